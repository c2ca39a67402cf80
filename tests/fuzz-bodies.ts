/**
 * Request bodies for fuzzing: JSON with values that are hard to keep, JSON that is none, text that is no
 * UTF-8, and bytes.
 */
import fc from "fast-check";
import { anyValue } from "./form-arbitraries.ts";

const some = fc.constantFrom;
/** Null, nine times in ten. */
export const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const quoted = (key: string) => JSON.stringify(key);

/** JSON values as text, since the interesting ones have no JavaScript value. */
const broken = some(
  ...[
    "01",
    "+1",
    ".5",
    "1.",
    "NaN",
    "Infinity",
    "-",
    "0x10",
    "undefined",
    "'x'",
    "tru",
    "1_000",
    "/**/1",
    "1,",
    "[1,]",
  ],
  ...['"\\x"', '"\\u12"', '"\u0000"', '"\n"', '"\t"', '"', '"\\', '{"a":1,}', "{,}", '{"a"}', "[}"],
);
const odd = some(
  ...["9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740992.5"],
  ...[
    "9007199254740993e0",
    "1e400",
    "-1e400",
    "1e-400",
    "1E308",
    "123456789012345678901234567890",
    "-0",
    "0.1e1",
  ],
  ...[
    "[1e999]",
    '{"a":[9007199254740993]}',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00x"',
    '"\\ud83d\\ud83d"',
  ],
  ...['{"\\u0000":1}', '{"\\udfff":1}', '["\\ud800"]', '{"__proto__":{"polluted":1}}', '{"__proto__":null}'],
  ...['{"constructor":{"prototype":{"polluted":1}}}', '{"toString":null,"valueOf":1}', '{"a":1,"a":2}'],
);
const plain = fc.oneof(
  some(
    '"Ada"',
    "36",
    '"ada@example.org"',
    '["a"]',
    '{"country":"DE"}',
    '{"r":"c"}',
    '"\\ud83d\\ude00"',
    "1.5",
    '"\\u007f\\uffff"',
  ),
  anyValue.map((value) => JSON.stringify(value)),
);
const literal = fc.oneof(
  { weight: 12, arbitrary: plain },
  { weight: 4, arbitrary: odd },
  { weight: 1, arbitrary: broken },
);
const known = [
  "name",
  "age",
  "mail",
  "tags",
  "home",
  "grid",
  "any",
  "any",
  "any",
  "__proto__",
  "constructor",
];
const key = fc.oneof(
  { weight: 8, arbitrary: some(...known) },
  { weight: 1, arbitrary: some("hasOwnProperty", "toString", "", " ", "7", "data") },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 8 }) },
);
const members = fc
  .array(fc.tuple(key, literal), { maxLength: 4 })
  .map(
    (pairs) => `{${['"name":"Ada"', ...pairs.map(([name, value]) => `${quoted(name)}:${value}`)].join(",")}}`,
  );
const metadata = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: members },
  { weight: 1, arbitrary: literal },
  {
    weight: 1,
    arbitrary: some('{"respondentId":7}', '{"respondentId":"x"}', '{"__proto__":{"respondentId":1}}'),
  },
);
const request = fc.tuple(members, metadata, rarely(members)).map(([data, about, more]) => {
  const rest = `${about === null ? "" : `,"metadata":${about}`}${more === null ? "" : `,"__proto__":${more}`}`;
  return `{"data":${data}${rest}}`;
});
const nested = fc
  .tuple(some(5, 29, 30, 31, 32, 33, 500, 50_000), fc.boolean(), fc.boolean())
  .map(([depth, lists, whole]) => {
    const deep = lists
      ? "[".repeat(depth) + "]".repeat(depth)
      : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    return whole ? deep : `{"data":{"any":${deep}}}`;
  });
const large = some<() => string>(
  () => `{"data":{${quoted("k".repeat(100_000))}:1}}`,
  () => `{"data":{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join(",")}}}`,
  () => `{"data":{"name":"${"é".repeat(20_000)}"}}`,
  () => `{"data":{"name":"${"\\ud800".repeat(5_000)}"}}`,
  () => `{"data":{"tags":[${'"a",'.repeat(20_000)}"b"]}}`,
  () => `{"data":{"age":${"9".repeat(20_000)}}}`,
  () => `{"data":{},"metadata":{"m":"${"x".repeat(16_400)}"}}`,
  () => `{"data":{"any":"${" ".repeat(1_048_577)}"}}`,
).map((make) => make());

const text = fc.oneof(
  { weight: 60, arbitrary: request },
  { weight: 5, arbitrary: literal },
  { weight: 5, arbitrary: nested },
  { weight: 1, arbitrary: large },
);
const truncated = fc
  .tuple(text, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([whole, part]) => bytesOf(whole.slice(0, Math.floor(whole.length * part))));
const flipped = fc.tuple(request, fc.nat(), fc.nat(255)).map(([whole, at, byte]) => {
  const bytes = bytesOf(whole);
  bytes[at % bytes.length] = byte;
  return bytes;
});
const misencoded = fc
  .tuple(request, some<BufferEncoding>("utf16le", "latin1", "base64"))
  .map(
    ([whole, as]) =>
      new Uint8Array(
        as === "base64" ? Buffer.from(Buffer.from(whole).toString("base64")) : Buffer.from(whole, as),
      ),
  );
const marked = fc
  .tuple(
    some([0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0]),
    request,
  )
  .map(([bytes, whole]) => new Uint8Array([...bytes, ...bytesOf(whole)]));
/**
 * Bytes that a careless or a hostile client may send where a SubmissionRequest is asked for; some are good
 * ones.
 */
export const body = fc.oneof(
  { weight: 20, arbitrary: text.map(bytesOf) },
  { weight: 3, arbitrary: truncated },
  { weight: 2, arbitrary: flipped },
  { weight: 1, arbitrary: misencoded },
  { weight: 1, arbitrary: marked },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
);
