/** The command line. Each command has a file beside this one. */
import { inspect } from "node:util";
import { type Command, CommanderError } from "commander";
import { readConfig } from "../platform/config.ts";
import { redact } from "../platform/log.ts";
import { raisedSqlState, toProblem } from "../problem.ts";
import { CliCommand, printable, type Settings } from "./options.ts";
import type { Runtime } from "./server.ts";

type Register = (root: CliCommand, settings: Settings, runtime: Runtime) => void;

/** The commands, in the order of `--help`, loaded separately: all together take twice the time of one. */
const commands: Record<string, () => Promise<Register>> = {
  serve: async () => (await import("./serve.ts")).serveCommand,
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  distribute: async () => (await import("./distribute.ts")).distributeCommand,
  partition: async () => (await import("./partition.ts")).partitionCommand,
  bootstrap: async () => (await import("./bootstrap.ts")).bootstrapCommand,
  operator: async () => (await import("./operator.ts")).operatorCommand,
  "sign-in-connection": async () => (await import("./sign-in-connection.ts")).signInConnectionCommand,
  team: async () => (await import("./team.ts")).teamCommand,
  workspace: async () => (await import("./workspace.ts")).workspaceCommand,
  "api-key": async () => (await import("./api-key.ts")).apiKeyCommand,
  form: async () => (await import("./form.ts")).formCommand,
  "access-key": async () => (await import("./access-key.ts")).accessKeyCommand,
  audit: async () => (await import("./audit.ts")).auditCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  report: async () => (await import("./report.ts")).reportCommand,
  person: async () => (await import("./person.ts")).personCommand,
  erasures: async () => (await import("./erasures.ts")).erasuresCommand,
  backup: async () => (await import("./backup.ts")).backupCommand,
  restore: async () => (await import("./restore.ts")).restoreCommand,
  schema: async () => (await import("./schema.ts")).schemaCommand,
  webhook: async () => (await import("./webhook.ts")).webhookCommand,
  receipt: async () => (await import("./receipt.ts")).receiptCommand,
  secret: async () => (await import("./secret.ts")).secretCommand,
  sign: async () => (await import("./sign.ts")).signCommand,
  demo: async () => (await import("./demo.ts")).demoCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  docs: async () => (await import("./docs.ts")).docsCommand,
  licences: async () => (await import("./licences.ts")).licencesCommand,
  version: async () => (await import("./version.ts")).versionCommand,
};

/** Builds the command line with the named command, or with all if none has this name. */
export async function program(runtime: Runtime, name = ""): Promise<Command> {
  const settings = () => readConfig(runtime.environment);
  const root = new CliCommand("formd")
    .description("A self-hosted form service that agents and people can both trust.")
    .exitOverride()
    .showHelpAfterError("(--help shows the usage)");
  const only = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const loaded = await Promise.all((only ? [only] : Object.values(commands)).map((load) => load()));
  for (const register of loaded) register(root, settings, runtime);
  return root;
}

/** Runs a command line. @returns the exit code */
export async function runCommand(runtime: Runtime, args: string[]): Promise<number> {
  try {
    const root = await program(runtime, args[0]);
    await root.parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has already printed the error of the command line.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    console.error(printable(redact(`formd: ${lineOf(error)}`)));
    if (/^(debug|trace)$/.test(runtime.environment.LOG_LEVEL ?? "")) console.error(redact(inspect(error)));
    return 1;
  }
}

/** Formats an error in one line. A failed clean-up is appended to the error that preceded it. */
function lineOf(error: unknown): string {
  if (error instanceof SuppressedError)
    return `${lineOf(error.suppressed)} (the clean-up failed too: ${lineOf(error.error)})`;
  const { code } = error as Error & { code?: string };
  // formd.raise_problem has the code in place of the message
  const { message } = code === raisedSqlState ? toProblem(error) : (error as Error);
  return message.split("\n", 1)[0] ?? "";
}
