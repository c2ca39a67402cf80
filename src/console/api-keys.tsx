/** The team's API keys. */
import { Elysia } from "elysia";
import { type ApiKeyRow, createApiKey, listApiKeys, revokeApiKey } from "../api-keys/api-keys.ts";
import { actorOf } from "../auth/actor.ts";
import { apiKeyScopes } from "../auth/api-key.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { uuidParam } from "../http/shapes.ts";
import { Checkbox, Input, Notice } from "../pages/controls.tsx";
import { Command, Time } from "../pages/text.tsx";
import { act, show, type View } from "./handler.ts";
import { type Page, PostForm, useMayEverywhere } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import { NewApiKey } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.apiKeys;
const path = "/console/api-keys";

interface ApiKeys {
  keys: ApiKeyRow[];
  values?: URLSearchParams;
  message?: string;
}

const KeyList = ({ keys }: Pick<ApiKeys, "keys">) => {
  const mayRevoke = useMayEverywhere("api_key.revoked");
  return (
    <ul class="rows">
      {keys.map(({ id, name, prefix, scopes, lastUsedAt, createdAt, revokedAt }) => (
        <li key={id}>
          <div>
            <strong dir="auto">{name || prefix}</strong>
            <small>
              <code>{prefix}…</code> · {scopes.map((scope) => words.scopeWords[scope]).join(" · ")}
            </small>
            <small>
              {words.created} <Time at={createdAt} /> · {words.lastUsed}{" "}
              {lastUsedAt ? <Time at={lastUsedAt} /> : words.never}
            </small>
          </div>
          {revokedAt && <span class="badge revoked">{words.revoked}</span>}
          {!revokedAt && mayRevoke && (
            <details class="confirm">
              <summary aria-label={words.revokeOf(name || prefix)}>{words.revoke}</summary>
              <PostForm action={`${path}/revoke`}>
                <button type="submit" class="danger small" name="key" value={id}>
                  {words.revokeConfirm}
                </button>
              </PostForm>
            </details>
          )}
        </li>
      ))}
    </ul>
  );
};

const NewKey = ({ values = new URLSearchParams() }: Pick<ApiKeys, "values">) => (
  <details class="panel" open={values.has("name")}>
    <summary>{words.create}</summary>
    <PostForm action={path} class="stacked">
      <Input name="name" label={words.name} value={values.get("name") ?? ""} />
      <fieldset>
        <legend>{words.scopes}</legend>
        {apiKeyScopes.map((scope) => (
          <Checkbox
            key={scope}
            name="scopes"
            value={scope}
            label={words.scopeWords[scope]}
            hint={<code>{scope}</code>}
            checked={values.getAll("scopes").includes(scope)}
          />
        ))}
      </fieldset>
      <button type="submit">{words.createSubmit}</button>
    </PostForm>
  </details>
);

const Content = ({ keys, values, message }: ApiKeys) => (
  <>
    <h1>{text.apiKeysTitle}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    <p class="quiet">{words.hint}</p>
    {keys.length === 0 ? <p class="empty">{words.none}</p> : <KeyList keys={keys} />}
    {useMayEverywhere("api_key.created") ? (
      <NewKey {...(values && { values })} />
    ) : (
      <p class="quiet">{words.adminsOnly}</p>
    )}
  </>
);

const keysPage = (props: ApiKeys): Page => ({
  title: text.apiKeysTitle,
  section: "apiKeys",
  content: <Content {...props} />,
});

export const apiKeysPages = (deps: Deps) => {
  const { sql, config } = deps;
  const read = ({ request, session }: View) =>
    listApiKeys(sql, actorOf(request, "operator", session.operator), session.team);
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => keysPage({ keys: await read(view) })),
    )
    .post(
      path,
      act(
        deps,
        async ({ session, values, actor }) => {
          const entered = { name: values.get("name"), scopes: values.getAll("scopes") };
          const given = assertShape(entered, NewApiKey, "bad_request");
          const { key } = await createApiKey(sql, actor, session.team, given);
          const lines = [`curl ${config.BASE_URL}/papi/v1/management/forms -H 'x-api-key: ${key}'`];
          return secretPage({
            title: words.createdTitle,
            section: "apiKeys",
            secret: key,
            href: path,
            children: (
              <section>
                <p>{words.usage}</p>
                <Command lines={lines} />
              </section>
            ),
          });
        },
        async (retry) => keysPage({ keys: await read(retry), values: retry.values, message: retry.message }),
      ),
    )
    .post(
      `${path}/revoke`,
      act(deps, async ({ session, values, actor }) => {
        await revokeApiKey(sql, actor, session.team, uuidParam({ key: values.get("key") ?? "" }, "key"));
        return path;
      }),
    );
};
