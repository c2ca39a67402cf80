// stacks: one
/** The page and the API validate alike: the same status, the same errors, the same stored data. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { anyValue, samples } from "../../form-arbitraries.ts";
import { generatedCases } from "../../generated.ts";
import { ask, type PublishedForm } from "../../setup.ts";
import { pageFixture } from "./fixture.ts";

const { app, team, pathOf, published, post } = await pageFixture();

type Pair = [name: string, text: string];
type Field = Record<string, unknown>;

/**
 * Form pairs that a page may send for a value, and the JSON that they mean. Follows the documentation, and
 * uses none of the service's code.
 */
interface Encoded {
  pairs: Pair[];
  data: Record<string, unknown>;
}

const isScalar = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Browsers send line ends as CRLF. */
const typed = (value: unknown) => String(value).replaceAll("\n", "\r\n");
const isText = (value: unknown): value is string | number | boolean =>
  isScalar(value) && !/\r|\0/.test(String(value)) && String(value).isWellFormed();

const rulesOf = (field: Field) =>
  ({ ...field, ...((field.validation as object | undefined) ?? {}) }) as Field;
const numbers = ["number", "integer", "rating", "nps"];
const addressParts = ["line1", "line2", "city", "region", "postalCode", "country"];

function encode(field: Field, value: unknown): Encoded {
  const id = String(field.id);
  const rules = rulesOf(field);
  const one = (text: string, json: unknown): Encoded => ({
    pairs: [[id, text]],
    data: json === undefined ? {} : { [id]: json },
  });
  const nothing: Encoded = { pairs: [], data: {} };
  const options = ((rules.options as unknown[] | undefined) ?? []).map((option) =>
    isRecord(option) ? option.value : option,
  );
  /** When a text and a number look alike, the text is sent with quotation marks. */
  const sentAs = (item: unknown) =>
    typeof item === "string" && options.some((option) => option !== item && String(option) === item)
      ? `"${item}"`
      : String(item);
  const isOption = (item: unknown) => options.some((option) => sentAs(option) === sentAs(item));
  const optionOf = (item: unknown) =>
    options.find((option) => sentAs(option) === sentAs(item)) ?? sentAs(item);
  switch (field.type) {
    case "statement":
    case "heading":
      return isText(value) ? one(String(value), String(value)) : nothing;
    case "boolean":
    case "toggle":
    case "consent":
    case "terms":
      if (value === true) return one("on", true);
      return value === false ? one("false", false) : nothing;
    case "select":
    case "radio":
      if (!isText(value) || String(value).trim() === "") return nothing;
      if (rules.allowOther === true && !isOption(value))
        return { pairs: [[`${id}.other`, String(value)]], data: { [id]: String(value).trim() } };
      return one(sentAs(value), optionOf(value));
    case "multi_select":
    case "ranking": {
      const items = (Array.isArray(value) ? value : []).filter((item) => isText(item) && item !== "");
      const isOther = (item: unknown) => rules.allowOther === true && !isOption(item);
      const other = items.find((item) => isOther(item) && String(item).trim() !== "");
      const chosen = items.filter((item) => !isOther(item));
      const json = [...chosen.map(optionOf), ...(other === undefined ? [] : [String(other).trim()])];
      return {
        pairs: [
          ...chosen.map((item): Pair => [id, sentAs(item)]),
          ...(other === undefined ? [] : [[`${id}.other`, String(other)] as Pair]),
        ],
        data: json.length > 0 ? { [id]: json } : {},
      };
    }
    case "address": {
      if (!isRecord(value)) return nothing;
      const parts = Object.entries(value).filter(([, text]) => isText(text));
      const known = parts.filter(([part, text]) => addressParts.includes(part) && String(text).trim() !== "");
      const unknown = parts.filter(([part]) => !addressParts.includes(part));
      return {
        pairs: parts.map(([part, text]): Pair => [`${id}.${part}`, String(text)]),
        data: {
          ...(known.length > 0 && {
            [id]: Object.fromEntries(known.map(([part, text]) => [part, String(text).trim()])),
          }),
          ...Object.fromEntries(unknown.map(([part, text]) => [`${id}.${part}`, String(text)])),
        },
      };
    }
    case "matrix": {
      if (!isRecord(value)) return nothing;
      const rows = ["speed", "price"];
      const cells = Object.entries(value).map(
        ([row, cell]) => [row, [cell].flat().filter(isText).map(String)] as const,
      );
      const known = cells
        .map(([row, texts]) => [row, texts.filter((text) => text !== "")] as const)
        .filter(([row, texts]) => rows.includes(row) && texts.length > 0);
      const unknown = cells.filter(([row, texts]) => !rows.includes(row) && texts.length > 0);
      return {
        pairs: cells.flatMap(([row, texts]) => texts.map((text): Pair => [`${id}.${row}`, text])),
        data: {
          ...(known.length > 0 && {
            [id]: Object.fromEntries(known.map(([row, texts]) => [row, texts.length > 1 ? texts : texts[0]])),
          }),
          ...Object.fromEntries(unknown.map(([row, texts]) => [`${id}.${row}`, texts[0]])),
        },
      };
    }
    default: {
      if (!isText(value)) return nothing;
      const text = String(value);
      if (!numbers.includes(String(field.type))) return one(typed(value), text === "" ? undefined : text);
      if (text.trim() === "") return one(text, undefined);
      const decimal = /^(-?\d+),(\d{1,2}|\d{4,})$/.exec(text.trim());
      if (decimal) return one(text, Number(`${decimal[1]}.${decimal[2]}`));
      return one(text, /^-?\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : text.trim());
    }
  }
}

function encodeAll(fields: readonly Field[], data: Record<string, unknown>): Encoded {
  const known = new Set(fields.map(({ id }) => id));
  const encoded = fields.map((field) => {
    const value = Object.hasOwn(data, String(field.id)) ? data[String(field.id)] : undefined;
    return encode(field, value);
  });
  const extra = Object.entries(data).filter(([id, value]) => !known.has(id) && isText(value));
  return {
    pairs: [
      ...encoded.flatMap(({ pairs }) => pairs),
      ...extra.map(([id, value]): Pair => [id, String(value)]),
    ],
    data: Object.fromEntries([
      ...encoded.flatMap((each) => Object.entries(each.data)),
      ...extra.map(([id, value]) => [id, String(value)] as const),
    ]),
  };
}

async function storedData(form: PublishedForm, id: string): Promise<unknown> {
  const [row] = await app.database.sql`
    select data::text, submitter_type, status from formd.submissions where team_id = ${team.id} and form_id = ${form.id} and id = ${id}`;
  return row;
}

/** Each with four payloads. FORMD_PARITY_FORMS: another number. */
const forms = Number(process.env.FORMD_PARITY_FORMS ?? generatedCases(250, 40));

test("any form and any payload: the page has the status, the errors and the stored data of the API", async () => {
  let [accepted, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      samples(6),
      fc.array(anyValue, { minLength: 3, maxLength: 3 }),
      async ({ fields: all, data }, others) => {
        // A hidden field of a page is the owner's, unless its address may fill it in.
        const fields = all.map((field) =>
          field.type === "hidden" ? { ...field, prefill: true, default: undefined } : field,
        );
        const hidden = new Set(fields.flatMap(({ type, id }) => (type === "hidden" ? [id] : [])));
        const form = await published(fields);
        const access = { "x-form-access-key": form.accessKey };
        const session = await ask(app, "POST", "/papi/v1/auth/anonymous", { headers: access });
        const headers = { ...access, "x-respondent-token": session.body.data.token };
        const changed = others.map((value, i) => ({
          ...data,
          [String(fields[i % fields.length]?.id)]: value,
        }));
        for (const payload of [data, ...changed]) {
          const sent = encodeAll(fields, payload);
          const query = `?${new URLSearchParams(sent.pairs.filter(([name]) => hidden.has(name)))}`;
          const [api, page] = await Promise.all([
            ask(app, "POST", "/papi/v1/submitter/form/submissions", { headers, body: { data: sent.data } }),
            post(pathOf(form) + query, new URLSearchParams(sent.pairs), { accept: "application/json" }),
          ]);
          const body = JSON.parse(page.text);
          expect([page.status, body.code, body.errors]).toEqual([api.status, api.body.code, api.body.errors]);
          if (api.status === 200) {
            accepted++;
            expect(await storedData(form, body.data.id)).toEqual(await storedData(form, api.body.data.id));
          } else refused++;
        }
      },
    ),
    { numRuns: forms, endOnFailure: true },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(0);
}, 400_000);
