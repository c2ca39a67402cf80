import { describe, expect, test } from "bun:test";
import { maxUploadBody, withSentFile } from "../../src/resources/files/sent-file.ts";
import { digestOf } from "../signing.ts";

const boundary = "----WebKitFormBoundaryAb-1--z";
const part = (disposition: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;
const bytesOf = (text: string) => new TextEncoder().encode(text);
const content = "%PDF\r\n--\r\n-";
const file = part('name="file"; filename="ä.pdf"\r\nContent-Type: application/pdf', content);
const multipart = `multipart/form-data; boundary=${boundary}`;

const requestOf = (type: string | undefined, headers: Record<string, string> = {}) =>
  new Request("http://localhost", {
    method: "POST",
    headers: { ...(type && { "content-type": type }), ...headers },
  });

/** The name and bytes of the file in a body of these chunks, and whether the body was closed. */
async function sentIn(chunks: string[] | Uint8Array[], query = {}, headers = {}) {
  let isClosed = false;
  let arrived = 0;
  async function* arriving() {
    try {
      for (const each of chunks) {
        const chunk = typeof each === "string" ? bytesOf(each) : each.slice();
        arrived++;
        yield chunk;
        chunk.fill(0);
      }
    } finally {
      isClosed = true;
    }
  }
  const request = requestOf(multipart, headers);
  const asked = { field: "cv", ...query };
  const result = await withSentFile(request, asked, arriving(), 1e6, async (found) => {
    const bytes: Uint8Array[] = [];
    for await (const chunk of found.chunks) bytes.push(chunk.slice());
    found.requireDigest?.(new Uint8Array(32));
    return [found.nameOf(), Buffer.concat(bytes).toString()];
  }).catch((error: Error) => error.message);
  return { result, isClosed, arrived };
}

describe("the file of a multipart body", () => {
  test("is the same wherever a chunk ends, and whatever size chunks have", async () => {
    const body = bytesOf(file + end);
    for (let at = 0; at <= body.length; at++)
      expect((await sentIn([body.slice(0, at), body.slice(at)])).result).toEqual(["ä.pdf", content]);
    for (let size = 1; size < body.length; size++) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
        body.slice(index * size, (index + 1) * size),
      );
      expect((await sentIn(chunks)).result).toEqual(["ä.pdf", content]);
    }
  });

  test("has the name of the query, of the part, or a plain one", async () => {
    expect((await sentIn([file + end], { name: "a.pdf" })).result).toEqual(["a.pdf", content]);
    const unnamed = part('name="file"; filename=""', content);
    expect((await sentIn([unnamed + end])).result).toEqual(["file", content]);
  });

  test("is compared with a digest of the body", async () => {
    const digest = { "content-digest": digestOf(bytesOf(file + end)) };
    expect((await sentIn([file, end], {}, digest)).result).toEqual(["ä.pdf", content]);
    expect((await sentIn([file, end, "\r\n"], {}, digest)).result).toContain("content-digest");
    const ofFile = { "content-digest": digestOf(bytesOf(content)) };
    expect((await sentIn([file, end], {}, ofFile)).result).toContain("content-digest");
  });

  test.each([
    ["no part", [end], "The body has no file. Send one file (curl -F file=@FILE)"],
    ["a text before it", [part('name="field"', "cv"), file, end], 'The part "field" has no file name'],
    ["a text after it", [file, part('name="field"', "cv"), end], 'The part "field" has no file name'],
    ["a second file", [file, file, end], "The body has more than one file"],
    ["no end", [file], "The body must be that of an HTML form."],
  ])("with %s is refused, and the body is closed", async (_, chunks, message) => {
    const { result, isClosed } = await sentIn(chunks);
    expect(result).toContain(message);
    expect(isClosed).toBe(true);
  });

  test("is not read before a caller is refused", async () => {
    const body: string[] = [];
    async function* arriving() {
      body.push("read");
      yield bytesOf(file + end);
    }
    const refused = withSentFile(
      requestOf(multipart),
      { field: "cv" },
      arriving(),
      1e6,
      async ({ nameOf }) => {
        throw new Error(`refused before ${nameOf()} arrives`);
      },
    );
    await expect(refused).rejects.toThrow("refused before file arrives");
    expect(body).toEqual([]);
  });

  test("is refused before a long text has arrived", async () => {
    const long = Array.from({ length: 50 }, () => "a".repeat(1_000));
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${"n".repeat(500)}"\r\n\r\n`;
    const { result, arrived } = await sentIn([head, ...long]);
    expect(result.length).toBeLessThan(300);
    expect(arrived).toBeLessThan(4);
  });
});

test("a body may have any content type, except that of a form without a file", () => {
  for (const type of [undefined, "application/json", "application/pdf", "text/plain", "x"])
    expect(maxUploadBody(requestOf(type), 100)).toBe(100);
  expect(maxUploadBody(requestOf(multipart), 100)).toBeGreaterThan(16_384);
  for (const type of [
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/mixed; boundary=a",
  ])
    expect(() => maxUploadBody(requestOf(type), 100)).toThrow("curl --data-binary @FILE -H");
});
