/**
 * The command line: one file a command beside this one, their names and options here.
 *
 * @module
 */
import { Command, InvalidArgumentError, Option } from "commander";
import { validate as isUuid } from "uuid";
import { type Config, readConfig } from "../config.ts";
import { accessKeyCommand } from "./access-key.ts";
import { apiKeyCommand } from "./api-key.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { bootstrapCommand } from "./bootstrap.ts";
import { demoCommand } from "./demo.ts";
import { formCommand } from "./form.ts";
import { migrateCommand } from "./migrate.ts";
import { operatorCommand } from "./operator.ts";
import { restoreCommand } from "./restore.ts";
import { type Listen, serveCommand } from "./serve.ts";
import { signCommand } from "./sign.ts";
import { versionCommand } from "./version.ts";
import { workspaceCommand } from "./workspace.ts";

/** What a runtime brings along: how to listen, and what it is called. */
export interface Runtime {
  name: string;
  listen: Listen;
  environment: Record<string, string | undefined>;
}

/** Settings are read when a command runs, so that `--help` works with broken ones. */
export type Settings = () => Config;

/** The whole command line. Commands that report something take `--json`. */
export function program(runtime: Runtime): Command {
  const settings = () => readConfig(runtime.environment);
  const root = new Command("formd")
    .description("A self-hosted form service that agents and people can both trust.")
    .exitOverride()
    .showHelpAfterError("(--help tells more)");
  serveCommand(root, settings, runtime.listen);
  migrateCommand(root, settings);
  bootstrapCommand(root, settings);
  operatorCommand(root, settings);
  workspaceCommand(root, settings);
  apiKeyCommand(root, settings);
  formCommand(root, settings);
  accessKeyCommand(root, settings);
  auditCommand(root, settings);
  backupCommand(root, settings);
  restoreCommand(root, settings);
  signCommand(root);
  demoCommand(root, settings);
  versionCommand(root, settings, runtime.name);
  return root;
}

/** `--json`: one JSON object on stdout, and nothing else. */
export const jsonOption = new Option("--json", "print one JSON object");

/** An id on the command line. */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text.toLowerCase();
}

/** Prints a command's answer: the object with `--json`, else lines for people. */
export function answer(json: boolean | undefined, object: object, ...lines: string[]): void {
  console.log(json ? JSON.stringify(object) : lines.join("\n"));
}
