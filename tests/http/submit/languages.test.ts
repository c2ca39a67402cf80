import { describe, expect, test } from "bun:test";
import { outcome } from "../../expect.ts";
import { ask, makeForm, permissive, service } from "../../setup.ts";
import { submissionsFixture } from "../submissions/fixture.ts";

const path = "/papi/v1/submitter/form";
const fields = [
  {
    id: "nights",
    type: "integer",
    label: "Nights",
    description: "How long you stay.",
    required: true,
    rules: [
      { rule: "data.nights > 0", message: "Stay a night." },
      { rule: "data.nights < 9", message: "Stay less." },
    ],
    translations: {
      de: { label: "Nächte", messages: ["Bleiben Sie eine Nacht."] },
      ar: { label: "ليالٍ", description: "مدة إقامتك.", messages: ["ليلة واحدة على الأقل.", null] },
      // The texts beside the translations are those of the first language.
      en: { label: "Not shown" },
    },
  },
  {
    id: "room",
    type: "select",
    label: "Room",
    options: ["single", { value: "double", label: "Double" }],
    translations: { de: { options: { single: "Einzelzimmer", double: "Doppelzimmer" } } },
  },
];
const { app, team, form, byKey, anonymousOn, agentOn, submit, validate, submitted, read, publishAnew } =
  await submissionsFixture(fields, service(permissive));
const languages = ["en", "de", "ar", "zh-Hant"];
const spoken = await makeForm(app, team, fields, { settings: { languages } });
const session = await anonymousOn(spoken);
const readForm = async (query: string, headers = session) =>
  (await ask(app, "GET", path + query, { headers })).body.data;

/** The query of a request, and the language in which its response is. */
const asked: [query: string, language: string][] = [
  ["", "en"],
  ["?lang=de", "de"],
  ["?lang=DE", "de"],
  ["?lang=de-CH", "de"],
  ["?lang=zh-hant-TW", "zh-Hant"],
  ["?lang=zh", "en"],
  ["?lang=ja", "en"],
  ["?lang=", "en"],
  ["?lang=*", "en"],
  ["?lang=%00", "en"],
  ["?lang=de%00", "en"],
  ["?lang=%ff", "en"],
  ["?lang=constructor", "en"],
  ["?lang=de&lang=ar", "ar"],
  ["?lang=de&lang=", "en"],
  [`?lang=de${"-x".repeat(5_000)}`, "en"],
];

describe("GET /papi/v1/submitter/form?lang=", () => {
  test("has the texts of one language, and no translations", async () => {
    const { form, language, jsonSchema } = await readForm("?lang=de");
    expect(language).toBe("de");
    expect(form.schema).toEqual({
      languages,
      fields: [
        {
          ...{ id: "nights", type: "integer", label: "Nächte", description: "How long you stay." },
          required: true,
          rules: [
            { rule: "data.nights > 0", message: "Bleiben Sie eine Nacht." },
            { rule: "data.nights < 9", message: "Stay less." },
          ],
        },
        {
          ...{ id: "room", type: "select", label: "Room" },
          options: [
            { value: "single", label: "Einzelzimmer" },
            { value: "double", label: "Doppelzimmer" },
          ],
        },
      ],
    });
    expect(jsonSchema.properties.nights).toMatchObject({
      title: "Nächte",
      description: "How long you stay.",
    });
    const inArabic = (await readForm("?lang=ar")).jsonSchema.properties.nights;
    expect(inArabic).toMatchObject({ title: "ليالٍ", description: "مدة إقامتك." });
  });

  test("without it the schema is as it was published, and the texts are in the first language", async () => {
    const { form, language, jsonSchema } = await readForm("");
    expect([language, form.schema]).toEqual(["en", { fields, languages }]);
    expect(jsonSchema.properties.nights.title).toBe("Nights");
    expect((await readForm("?lang=de&lang=")).form.schema).toEqual({ fields, languages });
    const first = await readForm("?lang=en");
    expect(first.form.schema.fields).toEqual(fields.map(({ translations: _, ...field }) => field));
    expect(first.jsonSchema).toEqual(jsonSchema);
  });

  test.each(asked)("%p is a request for a text in %p", async (query, language) => {
    expect((await readForm(query)).language).toBe(language);
  });

  test("a form with one language is the same with any lang", async () => {
    const headers = await anonymousOn(form);
    const plain = await readForm("", headers);
    expect(Object.keys(plain)).toEqual(["form", "jsonSchema"]);
    expect(Object.keys(plain.form)).toEqual(["id", "name", "description", "version", "schema"]);
    expect(plain.form.schema).toEqual({ fields });
    expect(await readForm("?lang=de", headers)).toEqual(plain);
  });

  test("languages are those of the version, also after the next one has others", async () => {
    const growing = await makeForm(app, team, fields, { settings: { languages: ["en"] } });
    const headers = await anonymousOn(growing);
    expect((await readForm("?lang=de", headers)).language).toBe("en");
    await publishAnew(growing, { op: "setMeta", settings: { languages: ["en", "de"] } });
    const { form, language } = await readForm("?lang=de", headers);
    expect([form.version, language, form.schema.fields[0].label]).toEqual([2, "de", "Nächte"]);
    await publishAnew(growing, { op: "setMeta", settings: { languages: null } });
    const { form: last, ...rest } = await readForm("?lang=de", headers);
    expect([last.version, rest.language, last.schema.fields[0].label]).toEqual([3, undefined, "Nights"]);
  });
});

describe("the messages of the owner's rules", () => {
  const faulty = { data: { nights: -1, room: "suite" } };
  const messagesOf = (errors: { code: string; message: string }[]) =>
    errors.map(({ code, message }) => [code, message]);
  const messages = {
    en: "Stay a night.",
    de: "Bleiben Sie eine Nacht.",
    ar: "ليلة واحدة على الأقل.",
  };
  const english = ["invalid_option", expect.stringMatching(/^Must be/)];

  test.each(Object.entries(messages))(
    "are in %p on the dry run and on submit; others are English",
    async (lang, message) => {
      const expected = [["rule", message], english];
      for (const who of [await anonymousOn(spoken), await agentOn(spoken), byKey(spoken)]) {
        const dry = (await validate(who, faulty, `?lang=${lang}`)).body.data;
        expect([dry.language, messagesOf(dry.errors)]).toEqual([lang, expected]);
        const refused = await submit(who, faulty, `?lang=${lang}`);
        expect([outcome(refused), messagesOf(refused.body.errors)]).toEqual([
          "422 validation_failed",
          expected,
        ]);
      }
      const partial = await submit(await agentOn(spoken), faulty, `?partial=true&lang=${lang}`);
      expect(messagesOf(partial.body.errors)).toEqual(expected);
    },
  );

  test("one without a translation is in the first language", async () => {
    const dry = (await validate(byKey(spoken), { data: { nights: 9 } }, "?lang=ar")).body.data;
    expect([dry.language, messagesOf(dry.errors)]).toEqual(["ar", [["rule", "Stay less."]]]);
  });

  test.each(asked)("%p is a request for messages in %p", async (query, language) => {
    const dry = await validate(byKey(spoken), faulty, query);
    const [{ message }] = dry.body.data.errors;
    expect([dry.body.data.language, message]).toEqual([
      language,
      messages[language as keyof typeof messages] ?? messages.en,
    ]);
    expect((await submit(byKey(spoken), faulty, query)).body.errors[0].message).toBe(message);
  });

  test("a form with one language has no language in the response", async () => {
    const plain = await validate(byKey(form), faulty);
    expect(Object.keys(plain.body.data)).toEqual([
      "valid",
      "errors",
      "warnings",
      "missingRequired",
      "applicable",
    ]);
    expect((await validate(byKey(form), faulty, "?lang=de")).body).toEqual(plain.body);
    expect((await submit(byKey(form), faulty, "?lang=de")).body.errors[0].message).toBe("Stay a night.");
  });

  test("lang and explain are independent of each other", async () => {
    const { data } = (await validate(byKey(spoken), faulty, "?explain=true&lang=de")).body;
    expect([data.language, data.notApplicable]).toEqual(["de", []]);
    expect(outcome(await validate(byKey(spoken), faulty, "?explain=ja&lang=de"))).toBe("400 bad_request");
  });
});

test("the same data is stored from each language, with the metadata that the agent sends", async () => {
  const body = { data: { nights: 2, room: "double" }, metadata: { language: "de-CH", a: 1 } };
  for (const lang of languages) {
    const reply = await submit(await agentOn(spoken), body, `?lang=${lang}`);
    const stored = await read({ formId: spoken.id, id: reply.body.data.id });
    expect([stored.data, stored.metadata]).toEqual([body.data, body.metadata]);
  }
  expect((await submitted(body.data, { to: spoken })).metadata).toBeNull();
});

test("a retry in another language returns the stored submission", async () => {
  const headers = { ...byKey(spoken), "idempotency-key": "one" };
  const body = { data: { nights: 2 } };
  const [first, again] = [await submit(headers, body, "?lang=de"), await submit(headers, body, "?lang=ar")];
  expect(outcome(first)).toBe("ok");
  expect(again.body).toEqual(first.body);
});
