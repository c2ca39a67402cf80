// stacks: one
import { expect, test } from "bun:test";
import { mailServer } from "../../mail-server.ts";
import { makeTeam, service } from "../../setup.ts";
import { Browser, expectRedirect, textOf } from "../console/browser.ts";
import { consoleFixture } from "../console/fixture.ts";
import { expectMarked } from "../console/marked.ts";

const mails = await mailServer();
const { app, team, admin } = await consoleFixture(mails.settings);

const linkIn = (text = "") =>
  /https?:\/\/\S+?(\/console\/(?:invitation|reset)\/fd[ir]_[\w-]+)/.exec(text)?.[1] ?? "";
const ask = async (email: string) => new Browser(app).post("/console/forgot-password", { email });

test("an invited person alone gets the link, by mail, and the admin sees the same page for a known address", async () => {
  const email = `new-${team.id.slice(-6)}@example.org`;
  const { operator } = await makeTeam(app);
  const invite = (to: string) =>
    admin.post("/console/operators", { email: to, workspace: team.workspace, role: "viewer" });
  const [page, known] = [await invite(email), await invite(operator.email)];
  expect(textOf(page)).toContain(`An e-mail with this link is on its way to ${email}.`);
  expect(page.html).not.toContain("fdi_");
  expect(known.html.replaceAll(operator.email, email)).toBe(page.html);
  const { mail, from } = await mails.next(email);
  expect(from).toBe("forms@town.example");
  expect(mail.from?.value).toEqual([{ name: "Forms of the town", address: "forms@town.example" }]);
  expect(mail.headers.get("auto-submitted")).toBe("auto-generated");
  const link = linkIn(mail.text);
  expect(mail.html).toContain(link);
  expect(mail.html).not.toMatch(/<script|https?:(?!\/\/(?:localhost|127\.0\.0\.1))/);
  expectRedirect(await new Browser(app).post(link, { password: "correct horse" }), /^\/console$/);
  const people = textOf(await admin.get("/console/operators"));
  expect(people.includes("Address not confirmed")).toBe(false);
});

test("a person without the password chooses another one by a mail, once", async () => {
  const { operator } = await makeTeam(app);
  expect((await new Browser(app).get("/console/sign-in")).html).toContain('href="/console/forgot-password"');
  await ask(operator.email.toUpperCase());
  const { mail } = await mails.next(operator.email);
  const link = linkIn(mail.text);
  const changed = await new Browser(app).post(link, { password: "another horse" });
  expect([changed.status, textOf(changed).includes("Sessions ended: 0. Passkeys removed: none.")]).toEqual([
    200,
    true,
  ]);
  const notice = (await mails.next(operator.email)).mail;
  expect(notice.subject).toBe("Your password was changed");
  expect((await new Browser(app).post(link, { password: "third horse" })).status).toBe(404);
  expect((await new Browser(app).signIn(operator.email, operator.password)).status).toBe(401);
});

test("a wrong e-mail address is marked at its control", async () => {
  const page = await ask("ada");
  expect(page.status).toBe(400);
  await expectMarked(page, "email", { email: "ada" });
});

test("the mail of a link is in the language of the account, else of the page", async () => {
  const german = { "accept-language": "de" };
  const email = `neu-${team.id.slice(-6)}@example.org`;
  const invited = { email, workspace: team.workspace, role: "viewer" };
  await admin.post("/console/operators", invited, german);
  const invitation = (await mails.next(email)).mail;
  expect(invitation.subject).toStartWith("Einladung: ");
  expect(invitation.text).toContain("Ihre Rolle dort: Lesen.");
  const { operator } = await makeTeam(app);
  await new Browser(app).post("/console/forgot-password", { email: operator.email }, german);
  expect((await mails.next(operator.email)).mail.subject).toBe("Neues Passwort für formd");
  await app.database.sql`update formd.operators set language = 'en' where id = ${operator.id}`;
  await new Browser(app).post("/console/forgot-password", { email: operator.email }, german);
  expect((await mails.next(operator.email)).mail.subject).toBe("Choose a new password for formd");
});

test("the response is the same for an e-mail address without an account, which gets no mail", async () => {
  const { operator } = await makeTeam(app);
  const unknown = operator.email.replace("@", "-nobody@");
  const [first, second] = [await ask(operator.email), await ask(unknown)];
  const shape = (page: typeof first) => page.html.replaceAll(/[\w.+-]+@[\w.-]+/g, "…");
  expect([first.status, shape(first)]).toEqual([second.status, shape(second)]);
  await mails.next(operator.email);
  expect(mails.taken.filter(({ to }) => to.includes(unknown))).toEqual([]);
});

test("one e-mail address gets three links per hour, from any client IP, and the fourth page is the same", async () => {
  const { operator } = await makeTeam(app);
  const pages = [await ask(operator.email)];
  for (const _ of [2, 3]) {
    await mails.next(operator.email);
    pages.push(await ask(operator.email));
  }
  await mails.next(operator.email);
  pages.push(await ask(operator.email));
  await ask((await makeTeam(app)).operator.email);
  expect(new Set(pages.map(({ html }) => html)).size).toBe(1);
  expect(mails.taken.filter(({ to }) => to.includes(operator.email))).toHaveLength(3);
});

test("an invalid e-mail address, or one that would write a header, is refused", async () => {
  for (const email of ["", "nobody", "a@b\r\nBcc: c@d.example", `${"x".repeat(400)}@example.org`])
    expect([email, (await ask(email)).status]).toEqual([email, 400]);
});

test("a mail that the server refuses shows no link either, and the reason names no e-mail address", async () => {
  const refusing = await mailServer({}, () => ({ status: 550, text: "5.1.1 <x@example.org>: unknown" }));
  const fixture = await consoleFixture(refusing.settings);
  const page = await fixture.admin.post("/console/operators", {
    email: `x-${fixture.team.id.slice(-6)}@example.org`,
    workspace: fixture.team.workspace,
    role: "viewer",
  });
  expect(textOf(page)).toContain("It was not sent by e-mail: The mail server refused the mail (5.1.1).");
  expect(page.html).not.toContain("fdi_");
});

test("without mail the page says who makes a link, and nothing is asked", async () => {
  const browser = new Browser(await service());
  const page = await browser.get("/console/forgot-password");
  expect([page.status, page.html.includes("<form")]).toEqual([200, false]);
  const sent = await browser.post("/console/forgot-password", { email: "nobody" });
  expect([sent.status, sent.html]).toEqual([200, page.html]);
  expect(textOf(page)).toContain("Ask an admin of your team");
});
