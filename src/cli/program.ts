/** The command line. Each command has a file beside this one. */
import process from "node:process";
import { inspect } from "node:util";
import { type Command, CommanderError, Help } from "commander";
import { readConfig } from "../platform/config.ts";
import { redact } from "../platform/log.ts";
import { raisedSqlState, toProblem } from "../problem.ts";
import { CliCommand, printable, type Settings } from "./options.ts";
import type { Runtime } from "./server.ts";

type Register = (root: CliCommand, settings: Settings, runtime: Runtime) => void;

/** The commands by groups, in the order of `--help`. Loading all takes twice the time of loading one. */
const groups: Record<string, Record<string, () => Promise<Register>>> = {
  Serve: {
    serve: async () => (await import("./serve.ts")).serveCommand,
    demo: async () => (await import("./demo.ts")).demoCommand,
    doctor: async () => (await import("./doctor.ts")).doctorCommand,
    config: async () => (await import("./config.ts")).configCommand,
  },
  Database: {
    migrate: async () => (await import("./migrate.ts")).migrateCommand,
    backup: async () => (await import("./backup.ts")).backupCommand,
    restore: async () => (await import("./restore.ts")).restoreCommand,
    partition: async () => (await import("./partition.ts")).partitionCommand,
    distribute: async () => (await import("./distribute.ts")).distributeCommand,
    schema: async () => (await import("./schema.ts")).schemaCommand,
  },
  "People and keys": {
    bootstrap: async () => (await import("./bootstrap.ts")).bootstrapCommand,
    operator: async () => (await import("./operator.ts")).operatorCommand,
    "sign-in-connection": async () => (await import("./sign-in-connection.ts")).signInConnectionCommand,
    team: async () => (await import("./team.ts")).teamCommand,
    workspace: async () => (await import("./workspace.ts")).workspaceCommand,
    "api-key": async () => (await import("./api-key.ts")).apiKeyCommand,
    "access-key": async () => (await import("./access-key.ts")).accessKeyCommand,
    secret: async () => (await import("./secret.ts")).secretCommand,
  },
  "Forms and submissions": {
    form: async () => (await import("./form.ts")).formCommand,
    export: async () => (await import("./export.ts")).exportCommand,
    report: async () => (await import("./report.ts")).reportCommand,
    person: async () => (await import("./person.ts")).personCommand,
    erasures: async () => (await import("./erasures.ts")).erasuresCommand,
    audit: async () => (await import("./audit.ts")).auditCommand,
  },
  "Agents and receivers": {
    sign: async () => (await import("./sign.ts")).signCommand,
    receipt: async () => (await import("./receipt.ts")).receiptCommand,
    webhook: async () => (await import("./webhook.ts")).webhookCommand,
  },
  "About formd": {
    docs: async () => (await import("./docs.ts")).docsCommand,
    licences: async () => (await import("./licences.ts")).licencesCommand,
    version: async () => (await import("./version.ts")).versionCommand,
  },
};

/** Builds the command line with the named command, or with all if none has this name. */
export async function program(runtime: Runtime, name = ""): Promise<Command> {
  const settings = () => readConfig(runtime.environment, runtime.defaults);
  const root: CliCommand = new CliCommand("formd")
    .description("A self-hosted form service that agents and people can both trust.")
    .exitOverride()
    // Its errors quote the command line.
    .configureOutput({
      writeOut: (text) => process.stdout.write(printable(text)),
      writeErr: (text) => process.stderr.write(printable(text)),
    })
    // With their arguments the names would leave half of the width to what commands do.
    .configureHelp({
      subcommandTerm: (command) =>
        command.parent === root ? command.name() : new Help().subcommandTerm(command),
    })
    .showHelpAfterError("(--help shows the usage)");
  const all = Object.entries(groups).flatMap(([group, commands]) =>
    Object.entries(commands).map(([command, load]) => ({ group, command, load })),
  );
  const only = all.filter(({ command }) => command === name);
  const loading = (only.length > 0 ? only : all).map(async ({ group, load }) => ({
    group,
    register: await load(),
  }));
  for (const { group, register } of await Promise.all(loading)) {
    root.commandsGroup(`${group}:`);
    register(root, settings, runtime);
  }
  // Added last, for the last group.
  root.helpCommand("help [command]", "the help of a command");
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
    for (const line of linesOf(error)) console.error(printable(redact(line)));
    if (/^(debug|trace)$/.test(runtime.environment.LOG_LEVEL ?? ""))
      console.error(printable(redact(inspect(error))));
    return 1;
  }
}

/** Formats an error: in one line, or in a line for each of several reasons. */
function linesOf(error: unknown): string[] {
  const { lines = [] } = error as { lines?: readonly string[] };
  return lines.length > 1 ? ["formd: The form cannot be published:", ...lines] : [`formd: ${lineOf(error)}`];
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
