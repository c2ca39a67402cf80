import { describe, expect, test } from "bun:test";
import { cliActor } from "../../../src/platform/auth/actor.ts";
import { publishForm, publishSettings } from "../../../src/resources/forms/publish.ts";
import { referenceOf } from "../../../src/resources/submit/reference.ts";
import { outcome, until } from "../../expect.ts";
import { asAgent, ask, makeAgent, makeForm, type PublishedForm } from "../../setup.ts";
import { mailsFixture } from "./fixture.ts";

const { app, team, mails, listOf, ...fixture } = await mailsFixture();

const publish = (form: PublishedForm) => publishForm(app.database.sql, cliActor, team.id, form.id);
const formWith = async (settings: object) => {
  const form = await fixture.formWith(settings);
  await publish(form);
  return form;
};
/** Submits by a new agent, since one agent submits at most once in five seconds. */
const submit = async (form: PublishedForm, data: object, metadata?: object) => {
  const agent = await makeAgent(app, team, form);
  const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
    headers: asAgent(form, agent),
    body: { data, ...(metadata && { metadata }) },
  });
  expect(outcome(reply)).toBe("ok");
  return reply.body.data.id as string;
};
let people = 0;
const newAddress = () => `respondent${++people}@example.org`;
const settled = async (form: PublishedForm, count = 1) => {
  await until(async () => (await listOf(form)).length === count);
  await until(async () => (await listOf(form)).every(({ state }) => state !== "due"));
  return await listOf(form);
};

describe("a copy", () => {
  test("confirms, in the page's language, with a reference and no value", async () => {
    const form = await formWith({ copy: { field: "email" }, page: { language: "de" } });
    const to = newAddress();
    const id = await submit(form, { name: "Marker-9d", email: to });
    const { mail, source } = await mails.next(to);
    expect(mail.subject).toBe(`Ihre Einsendung ${referenceOf(id)}: Test`);
    expect(mail.html).toContain('lang="de"');
    expect(mail.text).toContain(`Zeichen: ${referenceOf(id)}`);
    expect(source).not.toContain("Marker-9d");
    expect(mail.text).not.toContain("/console");
    expect(mail.headers.has("list-unsubscribe")).toBe(false);
  });

  test("has the link for changes as long as it works, whose token is no part of a list or of the log", async () => {
    const page = { enabled: true, change: { until: "P2D" } };
    const form = await formWith({ copy: { field: "email" }, page });
    const to = newAddress();
    const id = await submit(form, { name: "Ada", email: to });
    const { mail } = await mails.next(to);
    const [link = ""] = /\/f\/[\w-]+\/c\/[\w-]{43}\b/.exec(mail.text ?? "") ?? [];
    expect(mail.html).toContain(`${link}"`);
    const opened = await fetch(app.url + link, { headers: { accept: "text/html" } });
    expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining('value="Ada"')]);
    for (const text of [JSON.stringify(await listOf(form)), app.log()])
      expect(text).not.toContain(link.slice(-43));
    await app.database.sql`
      update formd.submissions set completed_at = now() - interval '3 days' where id = ${id}`;
    await app.database.sql`
      update formd.mails set state = 'due', due_at = now() where form_id = ${form.id}`;
    expect((await mails.next(to)).mail.text).not.toContain("/c/");
  });

  test("has the owner's subject and text, and the values where it is set; never a sensitive one", async () => {
    const texts = { subject: "Danke für Ihre Mühe ✓", text: "Line 1\nLine 2" };
    const copy = { field: "email", include: "values", ...texts };
    const form = await formWith({ copy });
    const to = newAddress();
    const id = await submit(form, { name: "Grüße, 世界 🎉", email: to, pin: "4711-unspeakable" });
    const { mail, source } = await mails.next(to);
    expect(mail.subject).toBe(`${copy.subject} (${referenceOf(id)})`);
    expect(mail.text).toContain("Line 1\nLine 2");
    expect(mail.text).toContain("Your name:\n  Grüße, 世界 🎉");
    expect(source).not.toContain("unspeakable");
    expect(mail.text).not.toContain("unspeakable");
  });

  test("writes numbers, days and times in the language of the page, on the clock of the form", async () => {
    const settings = { copy: { field: "email", include: "values" }, page: { language: "de" } };
    const form = await formWith({ ...settings, availability: { timeZone: "Europe/Berlin" } });
    const to = newAddress();
    await submit(form, { email: to, amount: 12.5, people: 1200, at: "2027-07-10T08:00:00Z" });
    const { mail } = await mails.next(to);
    for (const shown of ["12,5", "1200", "10. Juli 2027, 10:00"])
      expect(mail.text).toContain(`\n  ${shown}\n`);
  });

  test("has the receipt attached on wish, byte for byte, and then no value either", async () => {
    const form = await formWith({ copy: { field: "email", receipt: true } });
    const to = newAddress();
    const id = await submit(form, { name: "Marker-7c", email: to });
    const { mail, source } = await mails.next(to);
    const receipt = `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`;
    const headers = { "x-api-key": team.key };
    const kept = await fetch(`${app.url}${receipt}`, { headers });
    const [attached] = mail.attachments;
    expect(attached).toMatchObject({ filename: `receipt-${id}.txt`, contentType: "text/plain" });
    expect(attached?.content.toString()).toBe(await kept.text());
    expect(`${attached?.content} ${mail.text} ${source}`).not.toContain("Marker-7c");
    // One that came in no request has none, and is confirmed all the same.
    await settled(form);
    await app.database.sql`
      update formd.submissions set request_digest = null where form_id = ${form.id}`;
    await app.database.sql`
      update formd.mails set state = 'due', due_at = now() where form_id = ${form.id}`;
    expect((await mails.next(to)).mail.attachments).toEqual([]);
  });

  test("is sent three times per hour to one inbox of a form, by any sub-address, and the list shows the limit", async () => {
    const form = await formWith({ copy: { field: "email" } });
    const to = newAddress();
    for (const address of [to, to.toUpperCase(), to.replace("@", "+1@"), to.replace("@", "+2+3@")])
      await submit(form, { email: address });
    const states = (await settled(form, 4)).map(({ state }) => state);
    expect(states.filter((state) => state === "sent")).toHaveLength(3);
    expect(await listOf(form, "?state=dropped")).toMatchObject([
      { lastError: "The address has had too many copies." },
    ]);
    // No address is stored to count it.
    const keys = await app.database.sql`select key from formd.rate_limits where key like 'mail:%'`;
    expect(JSON.stringify(keys)).not.toContain("example.org");
  });

  test("is sent ten times per day to one e-mail address, over all forms", async () => {
    const forms = await Promise.all([1, 2, 3, 4].map(() => formWith({ copy: { field: "email" } })));
    const to = newAddress();
    await Promise.all(forms.flatMap((form) => [1, 2, 3].map(() => submit(form, { email: to }))));
    const states = (await Promise.all(forms.map((form) => settled(form, 3)))).flat();
    expect(states.filter(({ state }) => state === "sent")).toHaveLength(10);
  });

  test("of a submission without an e-mail address, or of a deleted one, is dropped", async () => {
    const form = await formWith({ copy: { field: "email" } });
    await submit(form, { name: "Ada" });
    expect(await settled(form)).toMatchObject([
      { state: "dropped", lastError: "The submission has no address." },
    ]);
  });
});

describe("a copy of a form in several languages", () => {
  const size = {
    ...{ id: "size", type: "select", label: "Size", options: ["small", { value: "l", label: "Large" }] },
    translations: {
      de: { label: "Größe", options: { small: "klein" } },
      ar: { label: "المقاس", options: { small: "صغير", l: "كبير" } },
    },
  };
  const email = { id: "email", type: "email", label: "E-mail", translations: { ar: { label: "البريد" } } };
  const amount = { id: "amount", type: "number", label: "Amount", translations: { de: { label: "Betrag" } } };
  const languages = ["en", "de", "ar", "ja", "pt-BR"];
  const copy = {
    ...{ field: "email", include: "values", text: "Thanks.", receipt: true },
    translations: { de: { subject: "Danke", text: "Vielen Dank." }, ar: { text: "شكرًا" }, ja: { text: " " } },
  };
  const make = (more: object = {}) =>
    makeForm(app, team, [email, size, amount], { settings: { languages, copy, ...more } });
  const mailIn = async (form: PublishedForm, metadata?: object) => {
    const to = newAddress();
    const id = await submit(form, { email: to, size: "small", amount: 12.5 }, metadata);
    const { mail } = await mails.next(to);
    return { to, id, mail, html: String(mail.html), text: mail.text ?? "" };
  };
  const tagOf = (html: string) => /<html[^>]*>/.exec(html)?.[0];

  test("has the words, labels and values of the page's language, and the owner's texts in it", async () => {
    const form = await make({ copy: { ...copy, subject: "Yours" } });
    const { id, mail, html, text } = await mailIn(form, { language: "de" });
    expect([mail.subject, tagOf(html)]).toEqual([`Danke (${referenceOf(id)})`, '<html lang="de">']);
    for (const line of ["Vielen Dank.", "Größe:\n  klein", "Betrag:\n  12,5", "E-mail:", "Zeichen: "])
      expect(text).toContain(line);
    const receipt = `/papi/v1/management/forms/${form.id}/submissions/${id}/receipt`;
    const kept = await fetch(`${app.url}${receipt}`, { headers: { "x-api-key": team.key } });
    const [attached] = mail.attachments;
    expect([attached?.filename, attached?.content.toString()]).toEqual([
      `quittung-${id}.txt`,
      await kept.text(),
    ]);
  });

  test("reads from right to left in Arabic, and marks what is not translated", async () => {
    const { mail, html, text } = await mailIn(await make({ copy: { ...copy, subject: "Yours" } }), {
      language: "ar",
    });
    expect(tagOf(html)).toBe('<html lang="ar" dir="rtl">');
    expect(mail.subject).toStartWith("Yours (");
    expect(html).toContain('<h1 lang="en" dir="auto">Yours</h1>');
    expect(html).toContain('<p dir="auto">شكرًا</p>');
    for (const line of ["المقاس:\n  صغير", "الرقم المرجعي: ", "Amount:"]) expect(text).toContain(line);
  });

  test("has the plain texts in the first language, and one that a translation alone has in its language", async () => {
    const translations = { en: { subject: "Only here", text: "Not this" }, de: { subject: "Danke" } };
    const form = await make({ copy: { field: "email", text: "Thanks.", translations } });
    for (const [language, subject] of [
      ["en", "Only here ("],
      ["de", "Danke ("],
    ] as const) {
      const { mail, text } = await mailIn(form, { language });
      expect(mail.subject).toStartWith(subject);
      expect(text).toContain("Thanks.");
    }
  });

  test("in a language without words of its own has English ones, which are marked", async () => {
    const { html } = await mailIn(await make(), { language: "ja" });
    expect(tagOf(html)).toBe('<html lang="ja">');
    expect(html).toContain('<h1 lang="en" dir="auto">Your submission has arrived</h1>');
    expect(html).toContain('<p lang="en" dir="auto">Thanks.</p>');
    expect(html).toContain('<p lang="en" dir="auto">Reference: ');
  });

  test.each<[language: unknown, shown: string]>([
    ["de-AT", "de"],
    ["PT-br", "pt-BR"],
    ["fr", "en"],
    ["pt", "en"],
    [undefined, "en"],
    [7, "en"],
    [["de"], "en"],
    [{ de: "de" }, "en"],
    ["", "en"],
    ["__proto__", "en"],
    [`de${"-a".repeat(1_000)}`, "en"],
    ['de"><script>', "en"],
  ])("whose sender names %j is in %s", async (language, shown) => {
    const { html } = await mailIn(await make(), { language });
    expect(tagOf(html)).toBe(`<html lang="${shown}">`);
  });

  test("is in the language of its version, also when it is sent again after the language went", async () => {
    const form = await make();
    const { to } = await mailIn(form, { language: "de" });
    await settled(form);
    await fixture.set(form, { languages: ["en", "ar"], copy: { translations: { de: null } } });
    await publish(form);
    await app.database.sql`
      update formd.mails set state = 'due', due_at = now() where form_id = ${form.id}`;
    const again = (await mails.next(to)).mail;
    expect(again.subject).toStartWith("Ihre Einsendung ");
    expect(again.text).toContain("Größe:\n  klein");
    expect((await mailIn(form, { language: "de" })).mail.subject).toStartWith("Your submission ");
  });

  test("has no text of the owner that would be refused in the first language", async () => {
    const form = await make();
    const de = { subject: "Danke\r\nBcc: a@example.org", text: "x".repeat(60_000) };
    await app.database.sql`update formd.forms
      set settings_in_force = jsonb_set(settings_in_force, '{copy,translations}', ${app.database.sql.json({ de })}) where id = ${form.id}`;
    const { mail, text } = await mailIn(form, { language: "de" });
    expect([mail.subject?.slice(0, 15), text.includes("Thanks."), text.includes("xxx")]).toEqual([
      ...["Ihre Einsendung", true, false],
    ]);
  });

  test("leaves the notice to operators in their language, with the labels of the first one", async () => {
    const to = newAddress();
    const notify = { recipients: [to], include: "values" };
    const form = await make({ notify, page: { language: "de" } });
    await mailIn(form, { language: "ar" });
    const { mail } = await mails.next(to);
    expect(mail.subject).toStartWith("Neue Einsendung ");
    expect(mail.text).toContain("Size:\n  small");
  });

  test("of a form without languages is in that of its page, whatever its sender names", async () => {
    const form = await formWith({ copy: { field: "email", translations: copy.translations } });
    const to = newAddress();
    await submit(form, { email: to }, { language: "de" });
    const { mail } = await mails.next(to);
    expect([tagOf(String(mail.html)), mail.subject]).toEqual([
      '<html lang="en">',
      expect.stringContaining("Your submission"),
    ]);
  });
});

test("a form is published with a copy only if a field of type email has the e-mail address", async () => {
  const { sql } = app.database;
  for (const field of ["name", "gone"]) {
    const form = await fixture.formWith({ copy: { field } });
    const refused = `copies are mailed to "${field}" (copy.field), and no field of type email has this id`;
    await expect(publish(form)).rejects.toThrow(refused);
    await expect(publishSettings(sql, cliActor, team.id, form.id)).rejects.toThrow(refused);
  }
});
