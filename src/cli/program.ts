/** The command line: one file per command, beside this one. */
import { inspect } from "node:util";
import { Command, CommanderError } from "commander";
import { readConfig } from "../platform/config.ts";
import { redact } from "../platform/log.ts";
import { raisedSqlState } from "../problem.ts";
import { accessKeyCommand } from "./access-key.ts";
import { apiKeyCommand } from "./api-key.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand } from "./backup.ts";
import { bootstrapCommand } from "./bootstrap.ts";
import { demoCommand } from "./demo.ts";
import { distributeCommand } from "./distribute.ts";
import { docsCommand } from "./docs.ts";
import { doctorCommand } from "./doctor.ts";
import { erasuresCommand } from "./erasures.ts";
import { exportCommand } from "./export.ts";
import { formCommand } from "./form.ts";
import { migrateCommand } from "./migrate.ts";
import { operatorCommand } from "./operator.ts";
import { printable } from "./options.ts";
import { partitionCommand } from "./partition.ts";
import { personCommand } from "./person.ts";
import { receiptCommand } from "./receipt.ts";
import { reportCommand } from "./report.ts";
import { restoreCommand } from "./restore.ts";
import { schemaCommand } from "./schema.ts";
import { secretCommand } from "./secret.ts";
import { serveCommand } from "./serve.ts";
import type { Listen } from "./server.ts";
import { signCommand } from "./sign.ts";
import { signInConnectionCommand } from "./sign-in-connection.ts";
import { teamCommand } from "./team.ts";
import { versionCommand } from "./version.ts";
import { webhookCommand } from "./webhook.ts";
import { workspaceCommand } from "./workspace.ts";

/** What differs between runtimes. */
export interface Runtime {
  name: string;
  listen: Listen;
  /** Whether several processes can listen on one port. Default: no. */
  canSharePort?: boolean;
  environment: Record<string, string | undefined>;
}

/** The whole command line. Commands that report something take `--json`. */
export function program(runtime: Runtime): Command {
  const settings = () => readConfig(runtime.environment);
  const root = new Command("formd")
    .description("A self-hosted form service that agents and people can both trust.")
    .exitOverride()
    .showHelpAfterError("(--help shows the usage)");
  serveCommand(root, settings, runtime.listen, runtime.canSharePort ?? false);
  migrateCommand(root, settings);
  distributeCommand(root, settings);
  partitionCommand(root, settings);
  bootstrapCommand(root, settings);
  operatorCommand(root, settings);
  signInConnectionCommand(root, settings);
  teamCommand(root, settings);
  workspaceCommand(root, settings);
  apiKeyCommand(root, settings);
  formCommand(root, settings);
  accessKeyCommand(root, settings);
  auditCommand(root, settings);
  exportCommand(root, settings);
  reportCommand(root, settings);
  personCommand(root, settings);
  erasuresCommand(root, settings);
  backupCommand(root, settings);
  restoreCommand(root, settings);
  schemaCommand(root, settings);
  webhookCommand(root);
  receiptCommand(root);
  secretCommand(root, settings);
  signCommand(root);
  demoCommand(root, settings);
  doctorCommand(root, settings);
  docsCommand(root, settings);
  versionCommand(root, settings, runtime.name);
  return root;
}

/** Runs a command line. @returns the exit code */
export async function run(runtime: Runtime, args: string[]): Promise<number> {
  try {
    await program(runtime).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed what is wrong with the command line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(printable(redact(`formd: ${lineOf(error)}`)));
    if (/^(debug|trace)$/.test(runtime.environment.LOG_LEVEL ?? "")) console.error(redact(inspect(error)));
    return 1;
  }
}

/** An error in one line. A failed clean-up comes after the error that it followed. */
function lineOf(error: unknown): string {
  if (error instanceof SuppressedError)
    return `${lineOf(error.suppressed)} (the clean-up failed too: ${lineOf(error.error)})`;
  const { code, message, detail } = error as Error & { code?: string; detail?: string };
  // formd.raise_problem has the code for its message
  const sentence = (code === raisedSqlState && detail) || message;
  return sentence.split("\n", 1)[0] ?? "";
}
