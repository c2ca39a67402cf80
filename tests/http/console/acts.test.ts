// stacks: one months
/**
 * Random actions in the console, beside a model of what they should leave: after each action the API shows
 * what the model holds, and exactly one event is on record when the model has changed, none when it has not.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { unknownId } from "../../expect.ts";
import { generatedCases } from "../../generated.ts";
import { ask, makeAgent, makeForm, signIn } from "../../setup.ts";
import { newKey } from "../../signing.ts";
import { type Shown, secretOf } from "./browser.ts";
import { consoleFixture } from "./fixture.ts";

interface FormState {
  name: string;
  description: string | null;
  status: "draft" | "published" | "archived";
  version: number;
  fields: [id: string, label: string][];
  settings: object;
}

interface AgentState {
  name: string;
  status: string;
  grants: Record<string, string[]>;
  /** The status of each signing key. */
  keys: Record<string, string>;
  /** The beginning of the secret. */
  secret: string;
}

/** Expected state of the API, by the object's id. */
interface Model {
  forms: Record<string, FormState>;
  agents: Record<string, AgentState>;
  /** `hasPrevious`: the secret before the last one is still used. Null: deleted. */
  webhooks: Record<string, { url: string; status: string; hasPrevious: boolean } | null>;
  /** Null: deleted. */
  submissions: Record<string, { status: string; decision: string | null; answer: string } | null>;
  /** True if the key is accepted. */
  accessKeys: Record<string, boolean>;
  apiKeys: Record<string, boolean>;
  /** Roles by e-mail; null: not an operator of the workspace. */
  roles: Record<string, string | null>;
}

/** The choice of an action: the same numbers make the same action in the same world. */
type Choose = <T>(of: readonly [T, ...T[]] | readonly T[]) => T;

const names = ["One", "Two", "Three"] as const;
const scopeLists = [["agent:read"], ["agent:read", "agent:submit"], ["agent:validate"]];
const settingsWith = ({ anonymous = true, review = false }) => ({
  anonymous: { enabled: anonymous },
  captcha: { enabled: false },
  challenge: { required: false },
  review: { required: review },
});
/** The part of an agent's secret that the API shows. */
const beginningOf = (secret: string) => secret.slice(0, 32);

type World = Awaited<ReturnType<typeof makeWorld>>;

/** A team with a form, three submissions that wait for review, an agent, and a person whose role changes. */
async function makeWorld() {
  const fixture = await consoleFixture();
  const { app, team, admin, read, draftOf, submit } = fixture;
  const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
    settings: { review: { required: true } },
  });
  const { email, password } = team.operator;
  const cookie = await signIn(app, email, password);
  const post = (path: string, fields: Record<string, string | string[]>) =>
    admin.post(`/console${path}`, fields);
  await post("/operators", { email, workspace: team.workspace, role: "editor" });
  const agent = await makeAgent(app, team, form, ["agent:read"]);
  const ids = await Promise.all([1, 2, 3].map(() => submit(form, { a: "One" })));
  const secrets: Record<string, string> = {};
  /** The form of an access key. */
  const formOf: Record<string, string> = {};
  const submissionPath = (id: string) => `/management/forms/${form.id}/submissions/${id}`;
  const model: Model = {
    ...{ forms: {}, agents: {}, webhooks: {}, submissions: {}, accessKeys: {}, apiKeys: {} },
    roles: { [email]: "editor" },
  };
  const readers: { [K in keyof Model]: (id: string) => Promise<Model[K][string]> } = {
    forms: async (id) => {
      const { name, description, status, currentVersion: version, schema, settings } = await draftOf({ id });
      const fields = schema.fields.map((field: { id: string; label: string }) => [field.id, field.label]);
      return { name, description, status, version, fields, settings };
    },
    agents: async (id) => {
      const { name, status, secretPrefix } = (await read(`/identity/agents/${id}`)).agent;
      const { grants } = await read(`/identity/agents/${id}/grants`);
      const { keys } = await read(`/identity/agents/${id}/keys`);
      const scopesOf = (grant: { formId: string; scopes: string[] }) => [grant.formId, grant.scopes.sort()];
      const statusOf = (key: { keyId: string; status: string }) => [key.keyId, key.status];
      return {
        ...{ name, status, secret: beginningOf(secretPrefix) },
        grants: Object.fromEntries(grants.map(scopesOf)),
        keys: Object.fromEntries(keys.map(statusOf)),
      };
    },
    webhooks: async (id) => {
      const found = await read(`/management/webhooks/${id}`);
      if (!found) return null;
      const { url, status, previousSecretEndsAt } = found.webhook;
      return { url, status, hasPrevious: previousSecretEndsAt !== null };
    },
    submissions: async (id) => {
      const found = await read(submissionPath(id));
      if (!found) return null;
      const { status, review, data } = found.submission;
      return { status, decision: review?.decision ?? null, answer: data.a };
    },
    accessKeys: async (id) => {
      const headers = { "x-form-access-key": secrets[id] ?? "", "x-api-key": team.key };
      const body = { data: {} };
      return (await ask(app, "POST", "/papi/v1/submitter/form/validation", { headers, body })).status !== 401;
    },
    apiKeys: async (id) => {
      const headers = { "x-api-key": secrets[id] ?? "" };
      return (await ask(app, "GET", "/papi/v1/management/forms", { headers })).status === 200;
    },
    roles: async () => {
      // Under the name that it has: an editor may, and nothing changes.
      const [[id, { name }] = ["", { name: "" }]] = Object.entries(model.agents);
      const { status } = await ask(app, "PATCH", `/papi/v1/identity/agents/${id}`, {
        headers: { cookie, origin: app.url },
        body: { name },
      });
      return { 200: "editor", 409: "editor", 403: "viewer", 401: null, 404: null }[status] ?? null;
    },
  };
  model.forms[form.id] = (await readers.forms(form.id)) as FormState;
  model.agents[agent.id] = (await readers.agents(agent.id)) as AgentState;
  for (const id of ids) model.submissions[id] = (await readers.submissions(id)) ?? null;
  // The readers return what was made.
  const settings = settingsWith({ review: true });
  expect(model.forms[form.id]).toMatchObject({ status: "published", version: 1, settings });
  const [secret, grants] = [beginningOf(agent.secret), { [form.id]: ["agent:read"] }];
  expect(model.agents[agent.id]).toMatchObject({ status: "active", secret, grants });
  expect(Object.values(model.submissions)).toEqual(
    Array(3).fill({ status: "pending", decision: null, answer: "One" }),
  );
  return {
    ...fixture,
    ...{ form: form.id, model, post, formOf },
    show: <K extends keyof Model>(kind: K, id: string) => readers[kind](id),
    /** Keeps the secret of a new object, and its form. */
    keep(id: string, shown: Shown, path: string) {
      secrets[id] = secretOf(shown);
      formOf[id] = path.split("/")[2] ?? "";
    },
    /** When a submission was changed last, as its pages send it. */
    changedAt: async (id: string): Promise<string> =>
      (await read(submissionPath(id)))?.submission.updatedAt ?? "",
    /** The last audit event, and the number of audit events and of edits of submissions. */
    async record() {
      const { pagination, events } = await read("/management/audit?limit=1");
      const edits = await Promise.all(ids.map((id) => read(`${submissionPath(id)}/edits`)));
      const count = edits.reduce((sum, list) => sum + list.edits.length, 0);
      return { total: pagination.total + count, last: events[0] };
    },
  };
}

type Fields = Record<string, string | string[]>;
type State = Model[keyof Model][string];

/** Fields of an action, and the state that follows; an equal state is not a change. */
interface Step<S> {
  fields?: Fields | (() => Promise<Fields>);
  to: S | ((shown: Shown) => S);
  /** Number of events, unless it is one for a change of the state. */
  events?: number;
}

/** An action on an object, or one that makes it. */
interface Act extends Step<State> {
  kind: keyof Model;
  /** Undefined: the action makes it. */
  id?: string;
  path: string;
  /** Other objects of the kind that it changes. */
  others?: Record<string, State>;
}

/** The object of an action. */
interface On<S> {
  world: World;
  choose: Choose;
  id: string;
  state: S;
}

/** Undefined: there is nothing to act on. */
type ToAct = (world: World, choose: Choose) => Act | undefined;

const creates =
  <K extends keyof Model>(
    kind: K,
    path: string,
    toStep: (world: World, choose: Choose) => Step<Model[K][string]>,
  ): ToAct =>
  (world, choose) => ({ kind, path, ...toStep(world, choose) });

/** An action on an object that exists; the path has its id. */
const on =
  <K extends keyof Model>(
    kind: K,
    path: string,
    toStep: (of: On<Model[K][string]>) => (Step<Model[K][string]> & Pick<Act, "others">) | undefined,
  ): ToAct =>
  (world, choose) => {
    const ids = Object.keys(world.model[kind]);
    if (ids.length === 0) return undefined;
    const id = choose(ids);
    const step = toStep({ world, choose, id, state: world.model[kind][id] as Model[K][string] });
    const form = world.formOf[id] ?? world.form;
    return step && { kind, id, path: path.replace(":form", form).replace(":id", id), ...step };
  };

const onForm = (
  path: string,
  toFields: (form: FormState, choose: Choose) => Record<string, string>,
  change: (form: FormState, fields: Record<string, string>) => Partial<FormState>,
) =>
  on("forms", `/forms/:id${path}`, ({ world, choose, id, state }) => {
    const fields = toFields(state, choose);
    return {
      fields: async () => ({ ...(await world.seen({ id })), ...fields }),
      to: { ...state, ...change(state, fields) },
    };
  });

const onDraft: typeof onForm = (path, toFields, change) =>
  onForm(path, toFields, (form, fields) => (form.status === "archived" ? {} : change(form, fields)));

/** An action on an agent; a revoked one does not change. */
const onAgent = (path: string, toStep: (of: On<AgentState>) => Step<Partial<AgentState>> | undefined) =>
  on("agents", `/agents/:id${path}`, (of) => {
    const { fields, to } = toStep(of) ?? {};
    const next = (shown: Shown) => ({ ...of.state, ...(typeof to === "function" ? to(shown) : to) });
    return to && { ...(fields && { fields }), to: of.state.status === "revoked" ? of.state : next };
  });

/** The submission after a decision. */
function decided(state: Model["submissions"][string], decision: string): Model["submissions"][string] {
  if (state?.status !== "pending") return state;
  const decisions: Record<string, string | null> = { approve: "approved", reject: "rejected", reopen: null };
  const status = decision === "approve" ? "completed" : "pending";
  return { ...state, status, decision: decisions[decision] ?? null };
}

const openForms = ({ model }: World) =>
  Object.entries(model.forms).flatMap(([id, { status }]) => (status === "archived" ? [] : [id]));
const fieldOf = ({ fields }: FormState, choose: Choose) => choose([...fields.map(([id]) => id), "none"]);
const urls = ["https://example.org/", "https://example.com/hook"] as const;
const none = () => ({});
// No event of this type comes: a delivery that fails would change the webhook as well.
const hook = { eventTypes: "submission.created", payload: "thin" };

/** The page in the settings: online after the first publication. */
const pageOf = (settings: { page?: object }): object => settings.page ?? {};

const isOn = (settings: object, name: "anonymous" | "review") => {
  const { anonymous, review } = settings as ReturnType<typeof settingsWith>;
  return name === "anonymous" ? anonymous.enabled : review.required;
};

let fieldCount = 0;
const acts: Record<string, ToAct> = {
  createForm: creates("forms", "/new-form", ({ team }, choose) => {
    const name = choose(names);
    return {
      fields: { name, workspace: team.workspace },
      to: { name, description: null, status: "draft", version: 0, fields: [], settings: settingsWith({}) },
    };
  }),
  addField: onDraft(
    "/field/new",
    () => ({ type: "text", label: `Field ${++fieldCount}` }),
    ({ fields }, { label = "" }) => ({ fields: [...fields, [label.toLowerCase().replace(" ", "_"), label]] }),
  ),
  editField: onDraft(
    "/field",
    (form, choose) => ({ id: fieldOf(form, choose), type: "text", label: choose(names) }),
    ({ fields }, { id, label = "" }) => ({
      fields: fields.map(([each, before]) => [each, each === id ? label : before]),
    }),
  ),
  moveField: onDraft(
    "/field/move",
    (form, choose) => ({ id: fieldOf(form, choose), toIndex: String(choose([0, ...form.fields.keys()])) }),
    ({ fields }, { id, toIndex }) => {
      const others = fields.filter(([each]) => each !== id);
      const moved = fields.filter(([each]) => each === id);
      return { fields: others.toSpliced(Number(toIndex), 0, ...moved) };
    },
  ),
  removeField: onDraft(
    "/field/remove",
    (form, choose) => ({ id: fieldOf(form, choose) }),
    ({ fields }, { id }) => ({ fields: fields.filter(([each]) => each !== id) }),
  ),
  name: onDraft(
    "/text",
    (_, choose) => ({ part: "title", name: choose(names), description: choose(["", "Text"]) }),
    ({ settings }, { name = "", description }) => ({
      ...{ name, description: description || null, settings: { ...settings, page: pageOf(settings) } },
    }),
  ),
  rules: onDraft(
    "/settings",
    ({ settings }, choose): Record<string, string> => {
      const name = choose(["anonymous", "review"] as const);
      return isOn(settings, name) ? { shown: `${name}=true` } : { [name]: "true" };
    },
    ({ settings }, fields) => {
      const flags = { anonymous: isOn(settings, "anonymous"), review: isOn(settings, "review") };
      const name = JSON.stringify(fields).includes("anonymous") ? "anonymous" : "review";
      return { settings: { ...settings, ...settingsWith({ ...flags, [name]: !flags[name] }) } };
    },
  ),
  publish: onDraft("/publish", none, ({ version, settings, fields }) => {
    if (fields.length === 0) return {};
    const page = { ...pageOf(settings), enabled: true };
    return {
      status: "published",
      version: version + 1,
      settings: version === 0 ? { ...settings, page } : settings,
    };
  }),
  archive: onForm("/archive", none, () => ({ status: "archived" })),
  restore: onForm("/restore", none, ({ status, version }) => ({
    status: status !== "archived" ? status : version > 0 ? "published" : "draft",
  })),
  createAgent: creates("agents", "/agents/new", ({ team }, choose) => {
    const name = choose(names);
    return {
      fields: { name, workspace: team.workspace },
      to: (shown) => ({
        ...{ name, status: "active", grants: {}, keys: {}, secret: beginningOf(secretOf(shown)) },
      }),
    };
  }),
  renameAgent: onAgent("/rename", ({ choose }) => {
    const name = choose(names);
    return { fields: { name }, to: { name } };
  }),
  setAgentStatus: onAgent("/status", ({ choose }) => {
    const status = choose(["active", "disabled"]);
    return { fields: { status }, to: { status } };
  }),
  grant: onAgent("/grants", ({ world, choose, state }) => {
    const forms = openForms(world);
    if (forms.length === 0) return undefined;
    const [form, scopes] = [choose(forms), choose(scopeLists)];
    return { fields: { form, scopes }, to: { grants: { ...state.grants, [form]: scopes } } };
  }),
  removeGrant: onAgent("/grants/remove", ({ world, choose, id, state }) => {
    const form = choose([...Object.keys(state.grants), "none"]);
    const { [form]: _, ...grants } = state.grants;
    const fields = async () => {
      const { grants: listed } = await world.read(`/identity/agents/${id}/grants`);
      const found = listed.find((each: { formId: string }) => each.formId === form);
      return { grant: found?.id ?? unknownId };
    };
    return { fields, to: { grants } };
  }),
  rotateAgentSecret: onAgent("/rotate", () => ({
    to: (shown) => ({ secret: beginningOf(secretOf(shown)) }),
  })),
  revokeAgent: onAgent("/revoke", () => ({ to: { status: "revoked" } })),
  addSigningKey: onAgent("/keys", ({ state }) => {
    const { id: key, pem } = newKey();
    const publicKeyPem = pem.replaceAll("\n", "\r\n");
    return { fields: { publicKeyPem }, to: { keys: { ...state.keys, [key]: "active" } } };
  }),
  revokeSigningKey: onAgent("/keys/revoke", ({ choose, state: { keys } }) => {
    const key = choose([...Object.keys(keys), "key_0000000000000000"]);
    return { fields: { key }, to: { keys: { ...keys, ...(keys[key] && { [key]: "revoked" }) } } };
  }),
  createAccessKey: (world, choose) => {
    const forms = openForms(world).filter((id) => world.model.forms[id]?.status === "published");
    if (forms.length === 0) return undefined;
    const form = choose(forms);
    return { kind: "accessKeys", path: `/forms/${form}/access-keys`, to: true };
  },
  revokeAccessKey: on("accessKeys", "/forms/:form/access-keys/revoke", ({ id }) => ({
    ...{ fields: { key: id }, to: false },
  })),
  createApiKey: creates("apiKeys", "/api-keys", (_, choose) => ({
    ...{ fields: { name: choose(names), scopes: "forms:read" }, to: true },
  })),
  revokeApiKey: on("apiKeys", "/api-keys/revoke", ({ id }) => ({ fields: { key: id }, to: false })),
  setRole: on("roles", "/operators", ({ world: { team }, choose, id: email, state }) => {
    const fields = { email, workspace: team.workspace, role: choose(["editor", "viewer"]) };
    // A removed operator gets a link, and has no role until it is accepted.
    return state === null ? { fields, to: state, events: 1 } : { fields, to: fields.role };
  }),
  removeOperator: on("roles", "/operators/remove", ({ world: { team }, id: email }) => ({
    ...{ fields: { email, workspace: team.workspace }, to: null },
  })),
  editSubmission: on("submissions", "/forms/:form/submissions/:id/edit", ({ world, choose, id, state }) => {
    const answer = choose(names);
    return {
      fields: async () => ({ a: answer, "formd.updatedAt": await world.changedAt(id) }),
      to: state && { ...state, answer },
    };
  }),
  review: on("submissions", "/forms/:form/submissions/:id/review", ({ world, choose, id, state }) => {
    const decision = choose(["approve", "reject", "reopen"]);
    return {
      fields: async () => ({ decision, reason: "", updatedAt: await world.changedAt(id) }),
      to: decided(state, decision),
    };
  }),
  reviewSeveral: on("submissions", "/forms/:form/review/several", ({ world, choose, id, state }) => {
    const decision = choose(["approve", "reject"]);
    const { submissions } = world.model;
    const waiting = Object.keys(submissions).filter((each) => submissions[each]?.status === "pending");
    const chosen = choose([waiting, waiting.slice(1), [id]]);
    return {
      fields: async () => {
        const items = chosen.map(async (each) => `${each} ${await world.changedAt(each)}`);
        return { decision, reason: "", submissions: await Promise.all(items) };
      },
      to: state,
      others: Object.fromEntries(chosen.map((each) => [each, decided(submissions[each] ?? null, decision)])),
    };
  }),
  deleteSubmission: on("submissions", "/forms/:form/submissions/:id/delete", () => ({ to: null })),
  createWebhook: creates("webhooks", "/webhooks/new", ({ team }, choose) => {
    const url = choose(urls);
    const fields = { ...hook, url, formId: "", workspaceId: team.workspace };
    return { fields, to: { url, status: "active", hasPrevious: false } };
  }),
  setWebhookStatus: on("webhooks", "/webhooks/:id/status", ({ choose, state }) => {
    const status = choose(["active", "paused"]);
    return { fields: { status }, to: state && { ...state, status } };
  }),
  editWebhook: on("webhooks", "/webhooks/:id", ({ choose, state }) => {
    const url = choose(urls);
    return { fields: { ...hook, url }, to: state && { ...state, url } };
  }),
  rotateWebhookSecret: on("webhooks", "/webhooks/:id/rotate", ({ state }) => ({
    ...{ to: state && { ...state, hasPrevious: true }, events: state ? 1 : 0 },
  })),
  deleteWebhook: on("webhooks", "/webhooks/:id/delete", () => ({ to: null })),
};

const runs = generatedCases(16, 2);
const actsPerRun = 45;

test("the API shows each action of the console, which is audited once when it changes something, else not", async () => {
  const step = fc.tuple(
    fc.constantFrom(...Object.keys(acts)),
    fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: actsPerRun, maxLength: actsPerRun }), async (steps) => {
      const world = await makeWorld();
      const { model } = world;
      let { total } = await world.record();
      for (const [name, numbers] of steps) {
        let next = 0;
        const choose: Choose = (of) => of[(numbers[next++] ?? 0) % of.length] as (typeof of)[number];
        const act = acts[name]?.(world, choose);
        if (!act) continue;
        const { kind, fields = {}, to, others } = act;
        const shown = await world.post(act.path, typeof fields === "function" ? await fields() : fields);
        const record = await world.record();
        const id = act.id ?? record.last.object.id;
        if (!act.id) world.keep(id, shown, act.path);
        const states: Record<string, State> = model[kind];
        const after: Record<string, State> = { [id]: typeof to === "function" ? to(shown) : to, ...others };
        const changed = Object.keys(after).filter(
          (each) => JSON.stringify(after[each]) !== JSON.stringify(states[each]),
        );
        const changes = act.events ?? changed.length;
        Object.assign(states, after);
        expect([name, await world.show(kind, id)]).toEqual([name, states[id] as never]);
        expect([name, shown.status, record.total - total]).toEqual([name, shown.status, changes]);
        expect([name, shown.status < (changes ? 400 : 500)]).toEqual([name, true]);
        total = record.total;
      }
      for (const kind of Object.keys(model) as (keyof Model)[])
        for (const [id, state] of Object.entries(model[kind]))
          expect([kind, id, await world.show(kind, id)]).toEqual([kind, id, state as never]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
}, 300_000);
