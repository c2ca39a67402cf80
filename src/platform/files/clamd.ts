/** Scans a file for malware with clamd of ClamAV (clamd(8), INSTREAM). */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Timeout without a byte: clamd may load its signatures first, and scans for two minutes (MaxScanTime). */
const silenceMs = 150_000;
const pingMs = 60_000;
const maxTextLength = 200;

/** More than the maximum of clamd's MaxRecursion. */
const depth = 101;
const isBeyondLimits = (response: string) => /^stream: Heuristics\.Limits\.Exceeded\S* FOUND$/.test(response);

export class Clamd {
  readonly #url: URL;

  /** @param url CLAMD_URL: `tcp://HOST:PORT`, or `unix:///PATH` */
  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** @throws {Error} if it does not respond */
  async ping(): Promise<void> {
    const response = await this.#send("PING", pingMs);
    if (response !== "PONG") throw unexpected(response);
  }

  /**
   * Sends a file. clamd stops reading beyond its StreamMaxLength, which should be at least FILES_MAX_BYTES.
   * It reports its other limits only with AlertExceedsMax, as malware: without it no file counts as clean.
   *
   * @param maxSilenceMs maximum time without a byte
   * @returns the name of the malware; undefined: the file is clean
   * @throws {Error} if the result is unknown
   */
  async scan(
    chunks: AsyncIterable<Uint8Array>,
    maxSilenceMs: number = silenceMs,
  ): Promise<string | undefined> {
    const response = await this.#send("INSTREAM", maxSilenceMs, chunks);
    const found = /^stream: (.+) FOUND$/.exec(response)?.[1];
    if (found !== undefined && !isBeyondLimits(response)) return found.slice(0, maxTextLength);
    if (response !== "stream: OK") throw unexpected(response);
    await this.requireAlerts();
    return undefined;
  }

  /** @throws {Error} unless clamd reports that it has not scanned an archive that is nested too deeply */
  async requireAlerts(): Promise<void> {
    async function* nested() {
      let bytes: Uint8Array = new Uint8Array(1);
      for (let level = 0; level < depth; level++) bytes = gzipSync(bytes, { level: 0 });
      yield bytes;
    }
    const response = await this.#send("INSTREAM", pingMs, nested());
    if (!isBeyondLimits(response))
      throw new Error("clamd calls clean what is beyond its limits: clamd.conf needs AlertExceedsMax yes.");
  }

  async #send(command: string, maxSilenceMs: number, chunks?: AsyncIterable<Uint8Array>): Promise<string> {
    const { protocol, hostname, port, pathname } = this.#url;
    const socket =
      protocol === "unix:"
        ? connect(fileURLToPath(`file://${pathname}`))
        : connect({ host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || 3310) });
    const timer = setTimeout(() => socket.destroy(new Error("clamd is silent.")), maxSilenceMs);
    try {
      await once(socket, "connect");
      // clamd responds to a file that is too large, and hangs up, while it is still being sent.
      const response = lastWords(socket);
      response.catch(() => {});
      await write(socket, Buffer.from(`z${command}\0`));
      let fault: unknown;
      const sending = chunks && sendChunks(socket, chunks, timer).catch((error: unknown) => (fault = error));
      await Promise.race([response, sending]);
      const received = (await response).replace(/\0$/, "");
      if (received === "" && fault !== undefined) throw fault;
      return received;
    } catch (error) {
      throw chunks && isHangUp(error) ? hungUp(error) : error;
    } finally {
      clearTimeout(timer);
      socket.destroy();
    }
  }
}

/** Reads the response until clamd hangs up. After a complete response the connection may also be reset. */
async function lastWords(socket: Socket): Promise<string> {
  let said = "";
  try {
    for await (const chunk of socket.setEncoding("utf8")) said += chunk;
  } catch (error) {
    if (!said.endsWith("\0")) throw error;
  }
  return said;
}

async function sendChunks(socket: Socket, chunks: AsyncIterable<Uint8Array>, timer: NodeJS.Timeout) {
  for await (const chunk of chunks) {
    await write(socket, lengthOf(chunk.length));
    await write(socket, chunk);
    timer.refresh();
  }
  await write(socket, lengthOf(0));
}

/** Resolves when the bytes are passed on, so that at most one chunk waits. */
const write = (socket: Socket, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

const isHangUp = (error: unknown) =>
  ["EPIPE", "ECONNRESET"].includes((error as NodeJS.ErrnoException).code ?? "");

/** TCP drops clamd's response if it hangs up before it has read everything (RFC 1122, section 4.2.2.13). */
const hungUp = (cause: unknown) =>
  new Error("clamd hung up on a file: its StreamMaxLength should be FILES_MAX_BYTES or more.", { cause });

const unexpected = (response: string) =>
  new Error(`clamd responds with "${response.slice(0, maxTextLength)}".`);
