/** The command line: one file per command, beside this one. */
import { Command } from "commander";
import { readConfig } from "../config.ts";
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

/** What differs between runtimes. */
export interface Runtime {
  name: string;
  listen: Listen;
  environment: Record<string, string | undefined>;
}

/** The whole command line. Commands that report something take `--json`. */
export function program(runtime: Runtime): Command {
  const settings = () => readConfig(runtime.environment);
  const root = new Command("formd")
    .description("A self-hosted form service that agents and people can both trust.")
    .exitOverride()
    .showHelpAfterError("(--help shows the usage)");
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
