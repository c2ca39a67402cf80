/** The team's API keys. */
import { Elysia } from "elysia";
import { type ApiKeyRow, createApiKey, listApiKeys, revokeApiKey } from "../api-keys/api-keys.ts";
import { apiKeyScopes } from "../auth/api-key.ts";
import { sha256 } from "../auth/secret.ts";
import { rememberCaller } from "../auth/unknown-callers.ts";
import type { Deps } from "../deps.ts";
import { assertShape } from "../http/body.ts";
import { parseQuery, uuidParam } from "../http/shapes.ts";
import { Checkbox, Input, Notice } from "../pages/controls.tsx";
import { Command, Pages, Time } from "../pages/text.tsx";
import { act, show } from "./handler.ts";
import { mayEverywhere, type Page, PostForm, refusedPage, useMayEverywhere } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import type { Session } from "./session.ts";
import { ListQuery, NewApiKey } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.apiKeys;
const path = "/console/api-keys";

/** API keys on a page of the list. */
const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof listApiKeys>>;

const KeyList = ({ keys }: { keys: ApiKeyRow[] }) => {
  const mayRevoke = useMayEverywhere("api_key.revoked");
  return (
    <ul class="rows">
      {keys.map(({ id, name, prefix, scopes, lastUsedAt, createdAt, revokedAt }) => (
        <li key={id}>
          <div>
            <strong dir="auto">{name || prefix}</strong>
            <small>
              <code>{prefix}…</code>
            </small>
            <small>{scopes.map((scope) => words.scopeWords[scope]).join(" · ")}</small>
            <small>
              {words.created} <Time at={createdAt} /> ·{" "}
              {lastUsedAt ? (
                <>
                  {words.lastUsed} <Time at={lastUsedAt} />
                </>
              ) : (
                words.never
              )}
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

const ApiKeys = ({ items, pagination }: KeyPage) => {
  const mayCreate = useMayEverywhere("api_key.created");
  return (
    <>
      <div class="heading">
        <h1>{text.apiKeysTitle}</h1>
        {mayCreate && (
          <a class="button small" href={`${path}/new`}>
            {words.create}
          </a>
        )}
      </div>
      <p class="quiet">
        {words.hint} {!mayCreate && words.adminsOnly}
      </p>
      {items.length === 0 ? <p class="empty">{words.none}</p> : <KeyList keys={items} />}
      <Pages {...pagination} words={text.pages} hrefOf={(page) => `${path}?page=${page}`} />
    </>
  );
};

const NewKey = ({ values, message }: { values: URLSearchParams; message?: string | undefined }) => (
  <>
    <h1>{words.create}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    <PostForm action={path} class="stacked">
      <Input name="name" label={words.name} hint={words.nameHint} value={values.get("name") ?? ""} />
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
      <div class="actions">
        <button type="submit">{words.createSubmit}</button>
        <a href={path}>{text.cancel}</a>
      </div>
    </PostForm>
  </>
);

const newKeyPage = (session: Session, values: URLSearchParams, message?: string): Page =>
  mayEverywhere(session, "api_key.created")
    ? { title: words.create, section: "apiKeys", content: <NewKey values={values} message={message} /> }
    : refusedPage("apiKeys", words.adminsOnly);

export const apiKeysPages = (deps: Deps) => {
  const { sql, config } = deps;
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async ({ session, query }) => {
        const { page } = parseQuery(query, ListQuery);
        const list = await listApiKeys(sql, session.team, session.operator, { page, limit: pageSize });
        return { title: text.apiKeysTitle, section: "apiKeys", content: <ApiKeys {...list} /> };
      }),
    )
    .get(
      `${path}/new`,
      show(deps, async ({ session }) => newKeyPage(session, new URLSearchParams())),
    )
    .post(
      path,
      act(
        deps,
        async ({ session, values, actor }) => {
          const entered = { name: values.get("name"), scopes: values.getAll("scopes") };
          const given = assertShape(entered, NewApiKey, "bad_request");
          const { key } = await createApiKey(sql, actor, session.team, given);
          rememberCaller(sha256(key));
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
        async ({ session, values, message }) => newKeyPage(session, values, message),
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
