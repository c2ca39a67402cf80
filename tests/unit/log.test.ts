import { expect, test } from "bun:test";
import { redact } from "../../src/platform/log.ts";

test.each([
  ["postgres://me:secret@host/db", "postgres://me:[redacted]@host/db"],
  ["redis://:secret@host", "redis://:[redacted]@host"],
  ["two: a://b:secret@host and c://d:secret@host", "two: a://b:[redacted]@host and c://d:[redacted]@host"],
  [
    "such as postgres://USER:PASSWORD@HOST, a://b:secret@c",
    "such as postgres://USER:PASSWORD@HOST, a://b:[redacted]@c",
  ],
  ["a://b:c/d e@f http://localhost:8080/x", "a://b:c/d e@f http://localhost:8080/x"],
  ["a://b:c,d://e:secret@f", "a://b:[redacted]@f"],
])("of %j the log shows %j", (text, shown) => expect(redact(text)).toBe(shown));
