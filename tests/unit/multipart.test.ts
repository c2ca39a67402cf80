import { describe, expect, test } from "bun:test";
import { formParts } from "../../src/platform/files/multipart.ts";

const boundary = "----WebKitFormBoundaryAb-1--z";
const part = (disposition: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;

/** The parts of a body that arrives in these chunks; each chunk is gone when the next one is asked for. */
async function partsOf(chunks: Uint8Array[], maxTextBytes = 100_000) {
  const headers = { "content-type": `multipart/form-data; boundary=${boundary}` };
  const request = new Request("http://localhost", { method: "POST", headers, body: "" });
  async function* arriving() {
    for (const each of chunks) {
      const chunk = each.slice();
      yield chunk;
      chunk.fill(0);
    }
  }
  const found: string[][] = [];
  for await (const each of formParts(request, arriving(), { maxBytes: 1e9, maxTextBytes })) {
    if (!each.chunks) found.push([each.name, each.text]);
    else {
      const bytes: Uint8Array[] = [];
      for await (const chunk of each.chunks) bytes.push(chunk.slice());
      found.push([each.name, each.filename, Buffer.concat(bytes).toString()]);
    }
  }
  return found;
}
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("the parts of a form", () => {
  const body = bytesOf(
    part('name="name"', "Ada") +
      part('name="cv"; filename="ä.pdf"\r\nContent-Type: application/pdf', "%PDF\r\n--\r\n-") +
      part('name="cv"; filename="السيرة %22日本%22.pdf"\r\nContent-Type: application/pdf', "%PDF") +
      part('name="note"', "a\r\n\r\nb--") +
      end,
  );
  const parts = [
    ["name", "Ada"],
    ["cv", "ä.pdf", "%PDF\r\n--\r\n-"],
    ["cv", 'السيرة "日本".pdf', "%PDF"],
    ["note", "a\r\n\r\nb--"],
  ];

  test("are the same wherever a chunk ends", async () => {
    for (const whole of [body, body.slice(0, -2)])
      for (let at = 0; at <= whole.length; at++)
        expect([at, await partsOf([whole.slice(0, at), whole.slice(at)])]).toEqual([at, parts]);
  });

  test("are the same in chunks of any size", async () => {
    for (let size = 1; size < body.length; size++) {
      const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
        body.slice(index * size, (index + 1) * size),
      );
      expect([size, await partsOf(chunks)]).toEqual([size, parts]);
    }
  });

  test("are those before the last boundary, whatever is after it (RFC 2046)", async () => {
    for (const after of ["x", "\r\n", "text\r\n".repeat(50), `\r\n${part('name="more"', "x")}${end}`]) {
      const whole = Uint8Array.of(...body, ...bytesOf(after));
      for (let at = body.length - 70; at <= whole.length; at++)
        expect([after, at, await partsOf([whole.slice(0, at), whole.slice(at)])]).toEqual([after, at, parts]);
    }
  });

  test("are refused where names, names of files and texts together have too many bytes", async () => {
    const form = [
      part('name="äb"', "12"),
      part('name="cd"; filename="345"', "of the file, which does not count"),
      end,
    ];
    const chunks = [bytesOf(form.join(""))];
    expect(await partsOf(chunks, 10)).toHaveLength(2);
    await expect(partsOf(chunks, 9)).rejects.toMatchObject({ code: "payload_too_large" });
  });

  test("are refused where a name is too long", async () => {
    const named = (bytes: number) => [bytesOf(part(`name="${"a".repeat(bytes)}"`, "") + end)];
    expect(await partsOf(named(16_000))).toHaveLength(1);
    await expect(partsOf(named(17_000))).rejects.toMatchObject({ code: "bad_request" });
  });
});
