/** Many uploads at a time: what they take of the server's memory. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { anything, byKey, fileService, uploadUrl } from "../http/files/fixture.ts";
import { makeForm, makeTeam } from "../setup.ts";

const uploads = 64;
const bytes = Buffer.alloc(10 * 1024 * 1024, "a");
/** Bun took 48 to 73 MiB, Deno 32 to 50; with the chunks that the collector had left 250 to 500, and 120. */
const maxMiB = 110;

test.skipIf(process.platform !== "linux")("64 uploads of 10 MiB leave the memory flat", async () => {
  const app = await fileService({ FILES_MAX_BYTES: String(bytes.length) });
  const team = await makeTeam(app);
  const form = await makeForm(app, team, [anything]);
  const { hostname, port, host } = new URL(app.url);
  const send = (sent: Uint8Array) =>
    new Promise<string>((resolve, reject) => {
      const lines = [
        `POST ${uploadUrl("any", "a.txt")} HTTP/1.1`,
        `host: ${host}`,
        ...Object.entries(byKey(form, team)).map(([name, value]) => `${name}: ${value}`),
        `content-length: ${sent.length}`,
        "connection: close",
      ];
      let reply = "";
      const socket = connect(Number(port), hostname)
        .on("data", (data) => (reply += data))
        .on("close", () => resolve(reply.split(" ", 2)[1] ?? ""))
        .on("error", reject);
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      socket.write(sent);
    });
  const memory = () =>
    Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${app.process.pid}/status`, "utf8"))?.[1]) / 1024;
  expect(await send(bytes)).toBe("200");
  const idle = memory();
  let peak = idle;
  const timer = setInterval(() => (peak = Math.max(peak, memory())), 5);
  const all = await Promise.all(Array.from({ length: uploads }, () => send(bytes)));
  clearInterval(timer);
  expect(all).toEqual(Array.from({ length: uploads }, () => "200"));
  expect(peak - idle).toBeLessThan(maxMiB);
});
