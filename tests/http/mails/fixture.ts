/** A server that sends by a mail server of the tests, and forms whose submissions are mailed. */
import { outcome } from "../../expect.ts";
import { type MailServer, mailServer } from "../../mail-server.ts";
import { ask, makeForm, makeTeam, type PublishedForm, service, type Team } from "../../setup.ts";

export const fields = [
  { id: "name", type: "text", label: "Your name" },
  { id: "email", type: "email", label: "E-mail" },
  { id: "pin", type: "text", label: "Secret", sensitive: true },
  { id: "amount", type: "number", label: "Amount" },
  { id: "people", type: "integer", label: "People" },
  { id: "at", type: "datetime", label: "Arrival" },
];

export async function mailsFixture(given?: MailServer, settings: Record<string, string> = {}) {
  const mails = given ?? (await mailServer());
  const app = await service({
    ...mails.settings,
    RATE_LIMIT_PAPI_SUBMIT_IP_PER_MINUTE: "100000",
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: "100000",
    ...settings,
  });
  const team = await makeTeam(app);
  const call = (method: string, path: string, body?: unknown, key = team.key) =>
    ask(app, method, `/papi/v1/management/forms/${path}`, { headers: { "x-api-key": key }, body });
  const set = async (form: { id: string }, values: object) =>
    await call("PATCH", form.id, { operations: [{ op: "setMeta", settings: values }] });
  const formWith = async (values: object, of: Team = team): Promise<PublishedForm> => {
    const form = await makeForm(app, of, fields);
    const reply = await set(form, values);
    if (outcome(reply) !== "ok") throw new Error(JSON.stringify(reply.body));
    return form;
  };
  const submit = async (form: PublishedForm, data: object = { name: "Ada" }, key = team.key) => {
    const reply = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
      headers: { "x-form-access-key": form.accessKey, "x-api-key": key },
      body: { data },
    });
    if (outcome(reply) !== "ok") throw new Error(JSON.stringify(reply.body));
    return reply.body.data.id as string;
  };
  const listOf = async ({ id }: { id: string }, query = ""): Promise<Record<string, unknown>[]> =>
    (await call("GET", `${id}/mails${query}`)).body.data.mails;
  return { mails, app, team, call, set, formWith, submit, listOf };
}
