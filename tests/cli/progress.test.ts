// stacks: one deno
/** Progress of long work: on a terminal, without one, and what it never does. */
import { describe, expect, jest, spyOn, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { progressLine, showProgress, silenceProgress } from "../../src/cli/progress.ts";
import { command, root, run, temporaryFolder, testRequiring } from "../setup.ts";

/** Runs a program on a terminal of some columns, and interrupts it once it has drawn `until`. */
const onTerminal = `
import fcntl, json, os, pty, signal, struct, subprocess, sys, termios
columns, until, *program = sys.argv[1:]
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
child = subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, start_new_session=True)
os.close(theirs)
shown = b""
try:
    while part := os.read(ours, 65536):
        shown += part
        if until and until.encode() in shown:
            os.killpg(child.pid, signal.SIGINT)
            until = ""
except OSError:
    pass
stdout = child.stdout.read().decode()
print(json.dumps({"code": child.wait(), "stdout": stdout, "stderr": shown.decode()}))`;

interface Shown {
  code: number;
  stdout: string;
  stderr: string;
}

/** @returns what was shown, with ⌫ in place of "erase to the end of the line" */
async function terminal(
  program: string[],
  { columns = 80, until = "" } = {},
  environment = {},
): Promise<Shown> {
  const args = ["-c", onTerminal, String(columns), until, ...program];
  const { stdout, stderr } = await run("python3", args, { TERM: "xterm", NO_COLOR: "1", ...environment });
  expect(stderr).toBe("");
  const shown: Shown = JSON.parse(stdout);
  return { ...shown, stderr: shown.stderr.replaceAll("\x1b[K", "⌫") };
}

/** The lines that were drawn, each in the place of the previous one. */
const drawnIn = (stderr: string) => stderr.split(/[\r\n]+/).map((line) => line.replace("⌫", ""));

/** Runs TypeScript with `showProgress` in it. */
const work = (code: string) =>
  terminal(
    [
      process.execPath,
      "-e",
      `import { showProgress } from "${root}/src/cli/progress.ts";\nimport { report } from "${root}/src/cli/database.ts";\n${code}`,
    ],
    {},
    { NO_COLOR: "" },
  );

/** A file of 300 MB, or several times as much: `formd restore` verifies each for a second, and refuses it. */
function longFile(copies = 1): { file: string; FORMD_DATA_DIR: string } {
  const folder = temporaryFolder();
  const file = join(folder, "long.gz");
  const line = Buffer.alloc(1024 ** 2, "x");
  line[line.length - 1] = 10;
  const packed = gzipSync(Buffer.concat(Array(300).fill(line)), { level: 1 });
  writeFileSync(file, Buffer.concat(Array(copies).fill(packed)));
  return { file, FORMD_DATA_DIR: join(folder, "data") };
}

describe("a line", () => {
  test.each([
    ["a known total", { done: 450, total: 1000 }, 9, false, "x: 45 %, 450 of 1,000 rows, 50/s, 11 s left"],
    ["no total", { done: 450 }, 9, false, "x: 450 rows, 50/s, 9 s"],
    ["nothing done yet", { done: 0, total: 1000 }, 9, false, "x: 0 %, 0 of 1,000 rows, 9 s"],
    ["a total of 0", { done: 0, total: 0 }, 0.2, true, "x: 0 of 0 rows, 0 s"],
    ["more done than there was", { done: 12, total: 10 }, 3, true, "x: 100 %, 12 of 12 rows, 4/s, 3 s"],
    ["all read, and not finished", { done: 10, total: 10 }, 5, false, "x: 100 %, 10 of 10 rows, 2/s, 5 s"],
    ["few steps, no rate", { done: 2, total: 5 }, 90, false, "x: 40 %, 2 of 5 rows, 1 min 30 s"],
    [
      "less than one a second",
      { done: 20, total: 80 },
      120,
      false,
      "x: 25 %, 20 of 80 rows, 10/min, 6 min 0 s left",
    ],
    [
      "hours",
      { done: 10_000, total: 50_000 },
      3599.6,
      false,
      "x: 20 %, 10,000 of 50,000 rows, 3/s, 4 h 0 min left",
    ],
    [
      "99.9 %, which is not 100",
      { done: 999, total: 1000 },
      1,
      false,
      "x: 99 %, 999 of 1,000 rows, 999/s, 0 s left",
    ],
  ])("for %s", (_, steps, seconds, isEnd, line) => {
    expect(progressLine("x", "rows", steps, seconds, isEnd)).toBe(line);
  });

  test("of bytes has their unit", () => {
    const steps = { done: 3 * 1024 ** 2, total: 6 * 1024 ** 2 };
    expect(progressLine("x", "bytes", steps, 2, false)).toBe("x: 50 %, 3 MB of 6 MB, 1.5 MB/s, 2 s left");
  });
});

testRequiring("python3")("on a terminal the line is drawn again in its place, and is no wider", async () => {
  const { file, FORMD_DATA_DIR } = longFile();
  for (const columns of [80, 24]) {
    const program = [...command, "restore", file];
    const { code, stdout, stderr } = await terminal(program, { columns }, { FORMD_DATA_DIR });
    expect([code, stdout]).toEqual([1, ""]);
    const drawn = drawnIn(stderr).filter((line) => line.startsWith("verifying: "));
    expect(drawn.length).toBeGreaterThan(1);
    expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(columns);
    // The error has a line of its own, behind the last state.
    expect(stderr).toMatch(/\r[^\r\n]*⌫\r\nformd: [^\r\n]+ is not a complete backup of formd\r\n$/);
  }
});

testRequiring("python3")("Ctrl-C ends the line, and the program", async () => {
  // So long that a slow machine does not end it before the key is pressed.
  const { file, FORMD_DATA_DIR } = longFile(20);
  const { code, stdout, stderr } = await terminal(
    [...command, "restore", file],
    { until: "verifying" },
    { FORMD_DATA_DIR },
  );
  expect([code === 0, stdout]).toEqual([false, ""]);
  expect(stderr).toMatch(/\rverifying: [^\n]*⌫\r\n$/);
});

testRequiring("python3")("--quiet and --json show nothing of it", async () => {
  const { file, FORMD_DATA_DIR } = longFile();
  for (const option of ["--quiet", "--json"]) {
    const shown = await terminal([...command, "restore", file, option], {}, { FORMD_DATA_DIR });
    expect(shown).toMatchObject({ code: 1, stdout: "" });
    expect(shown.stderr).toEndWith(`formd: ${file} is not a complete backup of formd\r\n`);
    expect(shown.stderr).not.toContain("verifying");
  }
});

testRequiring("python3")("a report in between has a line of its own, and is not red", async () => {
  const { stderr } = await work(`
    { using shown = showProgress("x", "rows", () => ({ done: 5 }));
      await Bun.sleep(150); report("created a thing"); await Bun.sleep(150); }
    console.log("done");`);
  expect(stderr).toMatch(/^\rx: [^\n]*\r⌫created a thing\r\n\rx: 5 rows, 0 s⌫[^\n]*\r\n$/);
});

testRequiring("python3")(
  "work that is shorter than a tick shows nothing, and neither does what follows",
  async () => {
    const { stderr, stdout } = await work(`
    { using shown = showProgress("x", "rows", () => ({ done: 0, total: 0 })); }
    await Bun.sleep(300); console.log("done");`);
    expect([stderr, stdout]).toEqual(["", "done\n"]);
  },
);

test("without a terminal it is a plain line every 10 s, and one at the end", () => {
  const print = spyOn(console, "error").mockReturnValue();
  jest.useFakeTimers();
  try {
    silenceProgress(false);
    const steps = { done: 0, total: 4 };
    const shown = showProgress("x", "months", () => steps);
    jest.advanceTimersByTime(9_999);
    expect(print).not.toHaveBeenCalled();
    jest.advanceTimersByTime(10_001);
    steps.done = 3;
    shown[Symbol.dispose]();
    jest.advanceTimersByTime(60_000);
    expect(print.mock.calls.flat().join("\n")).toMatch(
      /^x: 0 %, 0 of 4 months, \d+ s\nx: 0 %, 0 of 4 months, \d+ s\nx: 75 %, 3 of 4 months, \d+ s$/,
    );
  } finally {
    jest.useRealTimers();
    print.mockRestore();
  }
});
