// stacks: one months
/**
 * Random acts in the console, beside a model of what they should leave: after each act the API shows what the
 * model holds, and exactly one event is on record when the model has changed, none when it has not.
 */
import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { generatedCases } from "../../generated.ts";
import {
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  rememberSecrets,
  type Service,
  service,
  signIn,
  type Team,
} from "../../setup.ts";
import { newKey } from "../../signing.ts";
import type { Browser, Shown } from "./browser.ts";
import { browserOf } from "./fixture.ts";

let app: Service;
beforeAll(async () => {
  app = await service();
});

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

/** What the API should show, by the object's id. */
interface Model {
  forms: Record<string, FormState>;
  agents: Record<string, AgentState>;
  /** `hasPrevious`: the secret before the last one is still used. Null: deleted. */
  webhooks: Record<string, { url: string; status: string; hasPrevious: boolean } | null>;
  /** Null: deleted. */
  submissions: Record<string, { status: string; decision: string | null; answer: string } | null>;
  /** Whether the key is accepted. */
  accessKeys: Record<string, boolean>;
  apiKeys: Record<string, boolean>;
  /** By the e-mail; null: no operator of the workspace. */
  roles: Record<string, string | null>;
}

/** The choice of an act: the same numbers make the same act in the same world. */
type Choose = <T>(of: readonly [T, ...T[]] | readonly T[]) => T;

const names = ["One", "Two", "Three"] as const;
const scopeLists = [["agent:read"], ["agent:read", "agent:submit"], ["agent:validate"]];
const settingsWith = ({ anonymous = true, review = false }) => ({
  anonymous: { enabled: anonymous },
  captcha: { enabled: false },
  challenge: { required: false },
  review: { required: review },
});
const unknownId = "0193a1b2-0000-7000-8000-000000000000";

const secretOf = ({ html }: Shown): string =>
  /<code>(fd[a-z]_[\w-]+)<\/code>/.exec(rememberSecrets(html))?.[1] ?? "";
/** As much of an agent's secret as the API shows. */
const beginningOf = (secret: string) => secret.slice(0, 32);

/** A team with a form, two submissions that wait for review and one that does not, and two people. */
class World {
  readonly #secrets: Record<string, string> = {};
  /** The form of an access key. */
  readonly formOf: Record<string, string> = {};
  readonly model: Model = {
    forms: {},
    agents: {},
    webhooks: {},
    submissions: {},
    accessKeys: {},
    apiKeys: {},
    roles: {},
  };

  private constructor(
    readonly team: Team,
    readonly browser: Browser,
    /** The cookies of the people whose role changes, by their e-mail. */
    readonly cookies: Record<string, string>,
    readonly form: string,
  ) {}

  static async make(): Promise<World> {
    const team = await makeTeam(app);
    const { email, password } = team.operator;
    const cookies = { [email]: await signIn(app, email, password) };
    const form = await makeForm(app, team, [{ id: "a", type: "text", label: "A" }], {
      settings: { review: { required: true } },
    });
    const world = new World(team, await browserOf(app, team, "admin"), cookies, form.id);
    const { model } = world;
    await world.post("/operators", { email, workspace: team.workspace, role: "editor" });
    model.roles[email] = "editor";
    model.forms[form.id] = {
      name: "Test",
      description: null,
      status: "published",
      version: 1,
      fields: [["a", "A"]],
      settings: settingsWith({ review: true }),
    };
    const agent = await makeAgent(app, team, form, ["agent:read"]);
    model.agents[agent.id] = {
      name: "Agent",
      status: "active",
      grants: { [form.id]: ["agent:read"] },
      keys: {},
      secret: beginningOf(agent.secret),
    };
    for (let n = 0; n < 3; n++) {
      const { body } = await ask(app, "POST", "/papi/v1/submitter/form/submissions", {
        headers: { "x-form-access-key": form.accessKey, "x-api-key": team.key },
        body: { data: { a: "One" } },
      });
      model.submissions[body.data.id] = { status: "pending", decision: null, answer: "One" };
    }
    return world;
  }

  api = (path: string, headers: Record<string, string> = { "x-api-key": this.team.key }) =>
    ask(app, "GET", `/papi/v1${path}`, { headers });

  /** What is on record: acts in the audit, and edits of submissions, which have a list of their own. */
  async record() {
    const audit = await this.api("/management/audit?limit=1");
    const edits = await Promise.all(
      Object.keys(this.model.submissions).map((id) =>
        this.api(`/management/forms/${this.form}/submissions/${id}/edits`),
      ),
    );
    const { pagination, events } = audit.body.data;
    const count = edits.reduce((sum, { body }) => sum + body.data.edits.length, 0);
    return { total: pagination.total + count, last: events[0] };
  }

  readonly #readers: { [K in keyof Model]: (id: string) => Promise<Model[K][string]> } = {
    forms: async (id) => {
      const { form } = (await this.api(`/management/forms/${id}`)).body.data;
      return {
        name: form.name,
        description: form.description,
        status: form.status,
        version: form.currentVersion,
        fields: form.schema.fields.map((field: { id: string; label: string }) => [field.id, field.label]),
        settings: form.settings,
      };
    },
    agents: async (id) => {
      const { name, status, secretPrefix } = (await this.api(`/identity/agents/${id}`)).body.data.agent;
      const { grants } = (await this.api(`/identity/agents/${id}/grants`)).body.data;
      const { keys } = (await this.api(`/identity/agents/${id}/keys`)).body.data;
      const scopesOf = (grant: { formId: string; scopes: string[] }) => [grant.formId, grant.scopes.sort()];
      const statusOf = (key: { keyId: string; status: string }) => [key.keyId, key.status];
      return {
        name,
        status,
        grants: Object.fromEntries(grants.map(scopesOf)),
        keys: Object.fromEntries(keys.map(statusOf)),
        secret: beginningOf(secretPrefix),
      };
    },
    webhooks: async (id) => {
      const { status: code, body } = await this.api(`/management/webhooks/${id}`);
      if (code === 404) return null;
      const { url, status, previousSecretEndsAt } = body.data.webhook;
      return { url, status, hasPrevious: previousSecretEndsAt !== null };
    },
    submissions: async (id) => {
      const { status: code, body } = await this.api(`/management/forms/${this.form}/submissions/${id}`);
      if (code === 404) return null;
      const { status, review, data } = body.data.submission;
      return { status, decision: review?.decision ?? null, answer: data.a };
    },
    accessKeys: async (id) => {
      const headers = { "x-form-access-key": this.#secrets[id] ?? "", "x-api-key": this.team.key };
      const body = { data: {} };
      return (await ask(app, "POST", "/papi/v1/submitter/form/validation", { headers, body })).status !== 401;
    },
    apiKeys: async (id) =>
      (await this.api("/management/forms", { "x-api-key": this.#secrets[id] ?? "" })).status === 200,
    roles: async (email) => {
      // Under the name that it has: an editor may, and nothing changes.
      const [[agent = "", { name } = { name: "" }] = []] = Object.entries(this.model.agents);
      const { status } = await ask(app, "PATCH", `/papi/v1/identity/agents/${agent}`, {
        headers: { cookie: this.cookies[email] ?? "", origin: app.url },
        body: { name },
      });
      return { 200: "editor", 409: "editor", 403: "viewer", 401: null, 404: null }[status] ?? null;
    },
  };

  read = <K extends keyof Model>(kind: K, id: string) => this.#readers[kind](id);
  post = (path: string, fields: Record<string, string | string[]>) =>
    this.browser.post(`/console${path}`, fields);

  keep(id: string, shown: Shown) {
    this.#secrets[id] = secretOf(shown);
  }

  /** When a submission was changed last, as its pages send it. */
  changedAt = async (id: string): Promise<string> =>
    (await this.api(`/management/forms/${this.form}/submissions/${id}`)).body.data?.submission.updatedAt ??
    "";

  /** What the pages of a form send beside what is entered. */
  seen = async (form: string) => ({
    updatedAt: (await this.api(`/management/forms/${form}`)).body.data.form.updatedAt as string,
  });
}

/** An act on an object, or one that makes it. */
interface Act {
  kind: keyof Model;
  /** Undefined: the act makes it. */
  id?: string;
  post: () => Promise<Shown>;
  /** What the act does to the model. @returns its events, where they are not one for a change of the model */
  apply: (id: string, shown: Shown) => number | undefined;
}

/** Undefined: there is nothing to act on. */
type ToAct = (world: World, choose: Choose) => Act | undefined;

const onForm =
  (
    path: string,
    toFields: (form: FormState, choose: Choose) => Record<string, string>,
    change: (form: FormState, fields: Record<string, string>) => void,
  ): ToAct =>
  (world, choose) => {
    const id = choose(Object.keys(world.model.forms));
    const form = world.model.forms[id] as FormState;
    const fields = toFields(form, choose);
    return {
      kind: "forms",
      id,
      post: async () => world.post(`/forms/${id}${path}`, { ...(await world.seen(id)), ...fields }),
      apply: () => {
        change(form, fields);
      },
    };
  };

const onDraft = (
  path: string,
  toFields: Parameters<typeof onForm>[1],
  change: Parameters<typeof onForm>[2],
) =>
  onForm(path, toFields, (form, fields) => {
    if (form.status !== "archived") change(form, fields);
  });

/** An act on an object of another kind than a form. */
const onOne =
  <K extends keyof Model>(
    kind: K,
    toAct: (of: {
      world: World;
      choose: Choose;
      id: string;
      state: Model[K][string];
    }) => Omit<Act, "kind" | "id"> | undefined,
  ): ToAct =>
  (world, choose) => {
    const ids = Object.keys(world.model[kind]);
    if (ids.length === 0) return undefined;
    const id = choose(ids);
    const act = toAct({ world, choose, id, state: world.model[kind][id] as Model[K][string] });
    return act && { kind, id, ...act };
  };

/** An act on an agent, which none changes once it is revoked. */
const onAgent = (toAct: Parameters<typeof onOne<"agents">>[1]) =>
  onOne("agents", (of) => {
    const act = toAct(of);
    return (
      act && { ...act, apply: (id, shown) => (of.state.status === "revoked" ? 0 : act.apply(id, shown)) }
    );
  });

/** What a decision does to a submission. @returns its events */
function decide(state: Model["submissions"][string] | undefined, decision: string): number {
  if (state?.status !== "pending") return 0;
  const before = state.decision;
  if (decision === "approve") state.status = "completed";
  state.decision = { approve: "approved", reject: "rejected", reopen: null }[decision] ?? null;
  return state.decision === before ? 0 : 1;
}

const openForms = ({ model }: World) =>
  Object.entries(model.forms).flatMap(([id, { status }]) => (status === "archived" ? [] : [id]));

const fieldOf = ({ fields }: FormState, choose: Choose) => choose([...fields.map(([id]) => id), "none"]);

let fieldCount = 0;
const acts: Record<string, ToAct> = {
  createForm: (world, choose) => {
    const name = choose(names);
    return {
      kind: "forms",
      post: () => world.post("/new-form", { name, workspace: world.team.workspace }),
      apply: (id) => {
        world.model.forms[id] = {
          name,
          description: null,
          status: "draft",
          version: 0,
          fields: [],
          settings: settingsWith({}),
        };
      },
    };
  },
  addField: onDraft(
    "/field/new",
    () => ({ type: "text", label: `Field ${++fieldCount}` }),
    ({ fields }, { label = "" }) => fields.push([label.toLowerCase().replace(" ", "_"), label]),
  ),
  editField: onDraft(
    "/field",
    (form, choose) => ({ id: fieldOf(form, choose), type: "text", label: choose(names) }),
    ({ fields }, { id, label = "" }) => {
      for (const field of fields) if (field[0] === id) field[1] = label;
    },
  ),
  moveField: onDraft(
    "/field/move",
    (form, choose) => ({
      id: fieldOf(form, choose),
      toIndex: String(choose([0, ...form.fields.keys()])),
    }),
    ({ fields }, { id, toIndex }) => {
      const from = fields.findIndex(([each]) => each === id);
      if (from >= 0) fields.splice(Number(toIndex), 0, ...fields.splice(from, 1));
    },
  ),
  removeField: onDraft(
    "/field/remove",
    (form, choose) => ({ id: fieldOf(form, choose) }),
    (form, { id }) => {
      form.fields = form.fields.filter(([each]) => each !== id);
    },
  ),
  name: onDraft(
    "/settings/page",
    (_, choose) => ({ name: choose(names), description: choose(["", "Text"]) }),
    (form, { name = "", description }) => {
      form.name = name;
      form.description = description || null;
      form.settings = { ...form.settings, page: {} };
    },
  ),
  rules: onDraft(
    "/settings/rules",
    (_, choose) => choose([{ review: "true" }, { anonymous: "true", review: "true" }]),
    (form, { anonymous, review }) => {
      const flags = { anonymous: anonymous !== undefined, review: review !== undefined };
      form.settings = { ...form.settings, ...settingsWith(flags) };
    },
  ),
  publish: onDraft(
    "/publish",
    () => ({}),
    (form) => {
      form.status = "published";
      form.version++;
    },
  ),
  archive: onForm(
    "/archive",
    () => ({}),
    (form) => {
      form.status = "archived";
    },
  ),
  restore: onForm(
    "/restore",
    () => ({}),
    (form) => {
      if (form.status === "archived") form.status = form.version > 0 ? "published" : "draft";
    },
  ),
  createAgent: (world, choose) => {
    const name = choose(names);
    return {
      kind: "agents",
      post: () => world.post("/agents/new", { name, workspace: world.team.workspace }),
      apply: (id, shown) => {
        const secret = beginningOf(secretOf(shown));
        world.model.agents[id] = { name, status: "active", grants: {}, keys: {}, secret };
      },
    };
  },
  renameAgent: onAgent(({ world, choose, id, state }) => {
    const name = choose(names);
    return {
      post: () => world.post(`/agents/${id}/rename`, { name }),
      apply: () => {
        state.name = name;
      },
    };
  }),
  setAgentStatus: onAgent(({ world, choose, id, state }) => {
    const status = choose(["active", "disabled"]);
    return {
      post: () => world.post(`/agents/${id}/status`, { status }),
      apply: () => {
        state.status = status;
      },
    };
  }),
  grant: onAgent(({ world, choose, id, state }) => {
    const forms = openForms(world);
    if (forms.length === 0) return undefined;
    const [form, scopes] = [choose(forms), choose(scopeLists)];
    return {
      post: () => world.post(`/agents/${id}/grants`, { form, scopes }),
      apply: () => {
        state.grants[form] = scopes;
      },
    };
  }),
  removeGrant: onAgent(({ world, choose, id, state }) => {
    const form = choose([...Object.keys(state.grants), "none"]);
    return {
      post: async () => {
        const { grants } = (await world.api(`/identity/agents/${id}/grants`)).body.data;
        const grant = grants.find((each: { formId: string }) => each.formId === form)?.id ?? unknownId;
        return await world.post(`/agents/${id}/grants/remove`, { grant });
      },
      apply: () => {
        delete state.grants[form];
      },
    };
  }),
  rotateAgentSecret: onAgent(({ world, id, state }) => ({
    post: () => world.post(`/agents/${id}/rotate`, {}),
    apply: (_, shown) => {
      state.secret = beginningOf(secretOf(shown));
    },
  })),
  revokeAgent: onAgent(({ world, id, state }) => ({
    post: () => world.post(`/agents/${id}/revoke`, {}),
    apply: () => {
      state.status = "revoked";
    },
  })),
  addSigningKey: onAgent(({ world, id, state }) => {
    const { id: key, pem } = newKey();
    return {
      post: () => world.post(`/agents/${id}/keys`, { publicKeyPem: pem.replaceAll("\n", "\r\n") }),
      apply: () => {
        state.keys[key] = "active";
      },
    };
  }),
  revokeSigningKey: onAgent(({ world, choose, id, state }) => {
    const key = choose([...Object.keys(state.keys), "key_0000000000000000"]);
    return {
      post: () => world.post(`/agents/${id}/keys/revoke`, { key }),
      apply: () => {
        if (state.keys[key]) state.keys[key] = "revoked";
      },
    };
  }),
  createAccessKey: (world, choose) => {
    const forms = openForms(world).filter((id) => world.model.forms[id]?.status === "published");
    if (forms.length === 0) return undefined;
    const form = choose(forms);
    return {
      kind: "accessKeys",
      post: () => world.post(`/forms/${form}/access-keys`, {}),
      apply: (id, shown) => {
        world.keep(id, shown);
        world.formOf[id] = form;
        world.model.accessKeys[id] = true;
      },
    };
  },
  revokeAccessKey: onOne("accessKeys", ({ world, id }) => ({
    post: () => world.post(`/forms/${world.formOf[id]}/access-keys/revoke`, { key: id }),
    apply: () => {
      world.model.accessKeys[id] = false;
    },
  })),
  createApiKey: (world, choose) => ({
    kind: "apiKeys",
    post: () => world.post("/api-keys", { name: choose(names), scopes: "forms:read" }),
    apply: (id, shown) => {
      world.keep(id, shown);
      world.model.apiKeys[id] = true;
    },
  }),
  revokeApiKey: onOne("apiKeys", ({ world, id }) => ({
    post: () => world.post("/api-keys/revoke", { key: id }),
    apply: () => {
      world.model.apiKeys[id] = false;
    },
  })),
  setRole: onOne("roles", ({ world, choose, id: email, state }) => {
    const role = choose(["editor", "viewer"]);
    return {
      post: () => world.post("/operators", { email, workspace: world.team.workspace, role }),
      apply: () => {
        // Who was removed gets a link, and has no role until it is accepted.
        if (state === null) return 1;
        world.model.roles[email] = role;
        return undefined;
      },
    };
  }),
  removeOperator: onOne("roles", ({ world, id: email }) => ({
    post: () => world.post("/operators/remove", { email, workspace: world.team.workspace }),
    apply: () => {
      world.model.roles[email] = null;
    },
  })),
  editSubmission: onOne("submissions", ({ world, choose, id, state }) => {
    const answer = choose(names);
    return {
      post: async () =>
        world.post(`/forms/${world.form}/submissions/${id}/edit`, {
          a: answer,
          "formd.updatedAt": await world.changedAt(id),
        }),
      apply: () => {
        if (state) state.answer = answer;
      },
    };
  }),
  review: onOne("submissions", ({ world, choose, id, state }) => {
    const decision = choose(["approve", "reject", "reopen"]);
    return {
      post: async () =>
        world.post(`/forms/${world.form}/submissions/${id}/review`, {
          decision,
          reason: "",
          updatedAt: await world.changedAt(id),
        }),
      apply: () => decide(state, decision),
    };
  }),
  reviewSeveral: onOne("submissions", ({ world, choose, id }) => {
    const decision = choose(["approve", "reject"]);
    const { submissions } = world.model;
    const waiting = Object.keys(submissions).filter((each) => submissions[each]?.status === "pending");
    const chosen = choose([waiting, waiting.slice(1), [id]]);
    return {
      post: async () => {
        const items = chosen.map(async (each) => `${each} ${await world.changedAt(each)}`);
        return world.post(`/forms/${world.form}/review/several`, {
          decision,
          reason: "",
          submissions: await Promise.all(items),
        });
      },
      apply: () => chosen.reduce((events, each) => events + decide(submissions[each], decision), 0),
    };
  }),
  deleteSubmission: onOne("submissions", ({ world, id }) => ({
    post: () => world.post(`/forms/${world.form}/submissions/${id}/delete`, {}),
    apply: () => {
      world.model.submissions[id] = null;
    },
  })),
  createWebhook: (world, choose) => {
    const url = choose(["https://example.org/", "https://example.com/hook"]);
    // No event of this type comes: a delivery that fails would change the webhook as well.
    const fields = { url, eventTypes: "submission.created", payload: "thin", formId: "" };
    return {
      kind: "webhooks",
      post: () => world.post("/webhooks/new", { ...fields, workspaceId: world.team.workspace }),
      apply: (id) => {
        world.model.webhooks[id] = { url, status: "active", hasPrevious: false };
      },
    };
  },
  setWebhookStatus: onOne("webhooks", ({ world, choose, id, state }) => {
    const status = choose(["active", "paused"]);
    return {
      post: () => world.post(`/webhooks/${id}/status`, { status }),
      apply: () => {
        if (state) state.status = status;
      },
    };
  }),
  editWebhook: onOne("webhooks", ({ world, choose, id, state }) => {
    const url = choose(["https://example.org/", "https://example.com/hook"]);
    return {
      post: () => world.post(`/webhooks/${id}`, { url, eventTypes: "submission.created", payload: "thin" }),
      apply: () => {
        if (state) state.url = url;
      },
    };
  }),
  rotateWebhookSecret: onOne("webhooks", ({ world, id, state }) => ({
    post: () => world.post(`/webhooks/${id}/rotate`, {}),
    apply: () => {
      if (!state) return 0;
      state.hasPrevious = true;
      return 1;
    },
  })),
  deleteWebhook: onOne("webhooks", ({ world, id }) => ({
    post: () => world.post(`/webhooks/${id}/delete`, {}),
    apply: () => {
      world.model.webhooks[id] = null;
    },
  })),
};

const runs = generatedCases(16, 2);
const actsPerRun = 45;

test("the API shows each act of the console, which is on record once when it changes something, else not", async () => {
  const step = fc.tuple(
    fc.constantFrom(...Object.keys(acts)),
    fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: actsPerRun, maxLength: actsPerRun }), async (steps) => {
      const world = await World.make();
      const { model } = world;
      let { total } = await world.record();
      for (const [name, numbers] of steps) {
        let next = 0;
        const choose: Choose = (of) => of[(numbers[next++] ?? 0) % of.length] as (typeof of)[number];
        const act = acts[name]?.(world, choose);
        if (!act) continue;
        const before = JSON.stringify(model);
        const shown = await act.post();
        const record = await world.record();
        const id = act.id ?? record.last.object.id;
        const events = act.apply(id, shown);
        const changes = events ?? (JSON.stringify(model) === before ? 0 : 1);
        expect([name, await world.read(act.kind, id)]).toEqual([name, model[act.kind][id] as never]);
        expect([name, shown.status, record.total - total]).toEqual([name, shown.status, changes]);
        expect([name, shown.status < (changes ? 400 : 500)]).toEqual([name, true]);
        total = record.total;
      }
      for (const kind of Object.keys(model) as (keyof Model)[])
        for (const [id, state] of Object.entries(model[kind]))
          expect([kind, id, await world.read(kind, id)]).toEqual([kind, id, state as never]);
    }),
    { numRuns: runs, endOnFailure: true },
  );
}, 300_000);
