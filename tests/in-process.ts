/**
 * Commands of formd in the process of the tests. A process of its own takes a third of a second of a core,
 * and a run has a hundred commands. With a FORMD_TEST_COMMAND only those run here that prepare a test of
 * something else.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { format } from "node:util";
import { runCommand } from "../src/cli/program.ts";
import type { Runtime } from "../src/cli/server.ts";

const outputs = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

// Captures a command's output separately, also when several commands run at the same time.
for (const [name, method] of [
  ["stdout", "log"],
  ["stderr", "error"],
] as const) {
  const stream = process[name];
  const [write, print] = [stream.write.bind(stream) as (...written: unknown[]) => boolean, console[method]];
  stream.write = (...written: unknown[]) => {
    const output = outputs.getStore();
    if (!output) return write(...written);
    output[name] += String(written[0]);
    return true;
  };
  console[method] = (...values: unknown[]) => {
    const output = outputs.getStore();
    if (output) output[name] += `${format(...values)}\n`;
    else print(...values);
  };
}

const listen = () => {
  throw new Error("a server has a process of its own");
};

export async function formdInProcess(args: string[], environment: Runtime["environment"]) {
  const output = { stdout: "", stderr: "" };
  const runtime = { name: `bun ${Bun.version}`, listen, environment };
  const code = await outputs.run(output, () => runCommand(runtime, args));
  return { code, ...output };
}
