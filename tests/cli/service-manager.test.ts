// stacks: one deno
/** Messages of a server to systemd, received through a socket such as systemd's own. */
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../expect.ts";
import { blockOf } from "../pages.ts";
import { background, database, freePort, onCleanup, run, temporaryFolder, testRequiring } from "../setup.ts";

const receive = `
  use IO::Socket::UNIX; use IO::Handle; STDOUT->autoflush(1);
  my $socket = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Local => $ARGV[0]) or die $!;
  print "listening\\n";
  while (defined $socket->recv(my $text, 4096)) { print "$text\\n" }`;

/** A service manager's socket, and the messages that have come. */
async function serviceManager() {
  const path = join(temporaryFolder(), "notify");
  const child = spawn("perl", ["-e", receive, path], { stdio: ["ignore", "pipe", "inherit"] });
  onCleanup(async () => void child.kill("SIGKILL"));
  let text = "";
  child.stdout.on("data", (chunk) => (text += String(chunk)));
  // systemd-notify sends one twice now and then.
  const states = () => [...new Set(text.match(/^(?:READY|STOPPING)=\d+$/gm))];
  await until(() => text.includes("listening"));
  return { path, states };
}

async function serve(args: string[], environment: Record<string, string>) {
  const { url } = await database();
  const port = String(await freePort());
  const settings = {
    DATABASE_URL: url,
    HOST: "127.0.0.1",
    PORT: port,
    DRAIN_SECONDS: "60",
    WEBHOOKS: "false",
  };
  return {
    ...background(["serve", ...args], { ...settings, ...environment }),
    url: `http://127.0.0.1:${port}`,
  };
}

const ways: [string, string[]][] = [["one process", []]];
// Workers need a runtime whose processes can share a port.
if (!process.env.FORMD_TEST_COMMAND?.includes("deno")) ways.push(["workers", ["--workers", "2"]]);

testRequiring("perl", "systemd-notify").each(ways)(
  "%s: ready once it listens, and stopping at the first signal",
  async (_, args) => {
    const { path, states } = await serviceManager();
    const server = await serve(args, { NOTIFY_SOCKET: path });
    await until(() => states().length > 0 || server.child.exitCode !== null);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(states()).toEqual(["READY=1"]);
    server.child.kill("SIGTERM");
    await until(() => states().length > 1);
    expect(server.child.exitCode).toBeNull();
    // It drains for a minute; a second signal ends that.
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect([states(), server.output()]).toEqual([
      ["READY=1", "STOPPING=1"],
      expect.not.stringContaining("has failed"),
    ]);
  },
);

test("a systemd-notify that fails: the server serves, and says why systemd learns nothing", async () => {
  const folder = temporaryFolder();
  symlinkSync(Bun.which("false") ?? "", join(folder, "systemd-notify"));
  const PATH = `${folder}:${process.env.PATH}`;
  const server = await serve([], { NOTIFY_SOCKET: "/run/absent/notify", PATH });
  await until(() => server.output().includes("systemd-notify READY=1 has failed: exit code 1"));
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  server.child.kill("SIGINT");
  expect(await server.ended).toBe(0);
});

testRequiring("systemd-analyze")("the page's unit is one that systemd takes", async () => {
  const unit = blockOf("docs/operate/install.md", "ini", "[Unit]");
  expect(unit).toContain("ExecStart=/usr/local/bin/formd serve\n");
  const file = join(temporaryFolder(), "formd.service");
  // The program must exist.
  writeFileSync(file, unit.replace("/usr/local/bin/formd", process.execPath));
  expect(await run("systemd-analyze", ["verify", "--man=no", file])).toMatchObject({ code: 0, stderr: "" });
  const template = join(temporaryFolder(), "formd@.service");
  const more = blockOf("docs/operate/scale-and-restart.md", "ini", "[Service]");
  writeFileSync(template, `${unit.replace("/usr/local/bin/formd", process.execPath)}\n${more}`);
  const instance = template.replace("@", "@8081");
  expect(await run("systemd-analyze", ["verify", "--man=no", instance])).toMatchObject({
    code: 0,
    stderr: "",
  });
  const [, name = "", value] = /^Environment=(\w+)=(.*)$/m.exec(more) ?? [];
  const port = String(await freePort());
  expect(value).toBe("%i");
  const server = await serve([], { PORT: "", [name]: port });
  await until(() => server.output().includes(`:${port}`) || server.child.exitCode !== null);
  server.child.kill("SIGINT");
  expect([server.output(), await server.ended]).toEqual([expect.stringContaining(`:${port}`), 0]);
  writeFileSync(file, unit.replace("Type=notify", "Type=notifies"));
  expect((await run("systemd-analyze", ["verify", "--man=no", file])).stderr).toContain("notifies");
});
