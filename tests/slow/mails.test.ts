/**
 * Servers that are killed while they send mail, by a mail server that now and then refuses for a while what
 * it has read: each submission is heard of at least once, and what is sent twice has one Message-ID.
 */
import { expect, test } from "bun:test";
import { until } from "../expect.ts";
import { mailsFixture } from "../http/mails/fixture.ts";
import { mailServer } from "../mail-server.ts";
import { type Server, server } from "../setup.ts";

const rounds = Number(process.env.FORMD_TEST_KILL_ROUNDS ?? 6);
const perRound = 60;

test(
  `${rounds} rounds: no mail is lost, and duplicates have one Message-ID`,
  async () => {
    const heard = new Map<string, Set<string>>();
    let deliveries = 0;
    const mails = await mailServer({}, ({ mail }, count) => {
      // It has the mail, whatever it says next.
      const submission = /\/submissions\/([\w-]{36})/.exec(mail.text ?? "")?.[1] ?? "";
      heard.set(submission, (heard.get(submission) ?? new Set()).add(mail.messageId ?? ""));
      deliveries++;
      return count % 17 === 0 ? { status: 451, text: "4.3.0 try again" } : undefined;
    });
    const fixture = await mailsFixture(mails);
    const form = await fixture.formWith({ notify: { recipients: ["office@town.example"] } });
    const { sql, url } = fixture.app.database;
    const environment = { DATABASE_URL: url, ...mails.settings };
    const expected = new Set<string>();
    let worker: Server = await server(environment);
    for (let round = 0; round < rounds; round++) {
      const before = deliveries;
      const ids = await Promise.all(Array.from({ length: perRound }, () => fixture.submit(form)));
      for (const id of ids) expected.add(id);
      await until(() => deliveries > before + 5);
      await Bun.sleep(Math.random() * 100);
      await worker.stop("SIGKILL");
      worker = await server(environment);
      // A lease lasts minutes, and so does the wait after a 451: as if they had passed.
      await sql`update formd.mails set due_at = now() where state = 'due' and attempts > 0`;
    }
    await until(async () => {
      await sql`
        update formd.mails set due_at = now()
        where state = 'due' and attempts > 0 and (leased_until_at is null or leased_until_at < now() + interval '295 s')`;
      return (await sql`select from formd.mails where state = 'due'`).length === 0;
    });
    expect(new Set(heard.keys())).toEqual(expected);
    const doubled = [...heard.values()].filter((ids) => ids.size !== 1);
    expect(doubled).toEqual([]);
    expect(await sql`select from formd.mails where state <> 'sent'`).toHaveLength(0);
    console.log(`${expected.size} mails, of which ${deliveries - expected.size} were sent more than once`);
  },
  rounds * 60_000 + 200_000,
);
