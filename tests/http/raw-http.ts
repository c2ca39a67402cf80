/** Sends requests that a client library would fix or refuse, and reads the server's log lines about them. */
import { connect } from "node:net";
import type { Server } from "../setup.ts";

export interface Raw {
  status: number;
  headers: Headers;
  text: string;
}

/** One request, byte for byte, and its response; for what fetch would fix or refuse to send. */
export const raw = (app: { url: string }, ...parts: (string | Uint8Array)[]) =>
  rawWithin(10_000, app, ...parts);

/** Sends a request like {@link raw}, with its own timeout. */
export function rawWithin(
  timeoutMs: number,
  { url }: { url: string },
  ...parts: (string | Uint8Array)[]
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let received = "";
    const finish = (ended: boolean) => {
      const [head = "", text = ""] = received.split(/\r\n\r\n(.*)/s);
      const [start = "", ...lines] = head.split("\r\n");
      const pairs = lines.map((line) => line.split(/:\s*(.*)/s).slice(0, 2) as [string, string]);
      const headers = new Headers(pairs);
      const isWhole =
        received.includes("\r\n\r\n") &&
        Buffer.byteLength(text) >= Number(headers.get("content-length") ?? Infinity);
      if (!ended && !isWhole) return;
      socket.destroy();
      resolve({ status: Number(start.split(" ")[1]), headers, text });
    };
    socket.on("data", (chunk) => {
      received += String(chunk);
      finish(false);
    });
    socket.on("end", () => finish(true));
    socket.on("error", (error) => (received ? finish(true) : reject(error)));
    socket.setTimeout(timeoutMs, () => finish(true));
    for (const part of parts) socket.write(part);
  });
}

/** A request's head, to the loopback name unless told otherwise. */
export const head = (line: string, headers: Record<string, string>) =>
  `${line} HTTP/1.1\r\n${Object.entries({ Host: "localhost", Connection: "close", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")}\r\n`;

/** Checks that a line has the id of a request: that of the server, or that of the client. */
export const isAbout = (
  line: { requestId?: string; clientRequestId?: string },
  requestId: string | null,
): boolean => [line.requestId, line.clientRequestId].some((id) => id !== undefined && id === requestId);

/**
 * The log's lines about requests, once the one with this id has its response: that line is written after the
 * response.
 */
export async function linesOf({ log }: Server, requestId: string | null) {
  for (let tries = 0; tries < 1_000; tries++) {
    const lines = log()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    if (lines.some((line) => isAbout(line, requestId) && "status" in line))
      return lines.filter((line) => "method" in line);
    await Bun.sleep(10);
  }
  throw new Error(`no line about ${requestId} in the log`);
}
