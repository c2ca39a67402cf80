/** The team's API keys. */
import { apiKeyScopes } from "../../../platform/auth/api-key.ts";
import { sha256 } from "../../../platform/auth/secret.ts";
import { rememberCaller } from "../../../platform/auth/unknown-callers.ts";
import { Name, parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { hasOutbox } from "../../../platform/mail/smtp.ts";
import * as resource from "../../../resources/api-keys/api-keys.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent, someOf, textInput } from "../frame/form.tsx";
import { namedBy, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { hasEnded, KeyTimes, keyEnd } from "../frame/key-end.tsx";
import { mayEverywhere, refusedPage, sectionPage, useSession } from "../frame/layout.tsx";
import { Empty, ListPage, ListQuery } from "../frame/list-page.tsx";
import { Confirm, newItemPage, secretPage, Usage } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { automationText } from "./words.ts";

const words = automationText.apiKeys;
const path = "/console/api-keys";

const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof resource.listApiKeys>>;

const KeyList = ({ keys }: { keys: resource.ApiKeyRow[] }) => {
  const mayRevoke = mayEverywhere(useSession(), "api_key.revoked");
  return (
    <ul class="rows">
      {keys.map(({ id, name, prefix, scopes, revokedAt, ...times }) => (
        <li key={id}>
          <div>
            <strong dir="auto">{name || prefix}</strong>
            <small>
              <code>{prefix}…</code>
            </small>
            <small>{scopes.map((scope) => words.scopeWords[scope]).join(" · ")}</small>
            <KeyTimes created={words.created} times={times} />
          </div>
          {revokedAt && <span class="badge revoked">{automationText.agents.statuses.revoked}</span>}
          {!revokedAt && hasEnded(times) && <span class="badge revoked">{frameText.keyEnd.expired}</span>}
          {!revokedAt && mayRevoke && (
            <Confirm
              label={frameText.revoke}
              accessibleLabel={words.revokeOf(name || prefix)}
              action={`${path}/revoke`}
              confirm={automationText.agent.revokeKeyConfirm}
              name="key"
              value={id}
            />
          )}
        </li>
      ))}
    </ul>
  );
};

const ApiKeys = (list: KeyPage) => {
  const mayCreate = mayEverywhere(useSession(), "api_key.created");
  const create = mayCreate && { href: `${path}/new`, label: words.create };
  return (
    <ListPage
      {...list}
      title={frameText.sections.apiKeys}
      create={create}
      intro={`${words.hint} ${mayCreate ? "" : words.adminsOnly}`}
      path={path}
      none={<Empty picture="key" message={words.none} action={create} />}
    >
      <KeyList keys={list.items} />
    </ListPage>
  );
};

const newKey = () =>
  formOf(
    {
      name: textInput({ label: frameText.name, hint: words.nameHint, shape: Name }),
      scopes: someOf(
        { label: words.scopes, choices: apiKeyScopes, labels: words.scopeWords, hasValues: true },
        automationText.agent.noScope,
      ),
      endsOn: keyEnd,
    },
    { about: { expiry_past: "endsOn" } },
  );

const newKeyPage = ({ session }: PageContext) => {
  if (!mayEverywhere(session, "api_key.created")) return refusedPage("apiKeys", words.adminsOnly);
  const end = { submit: words.createSubmit, cancel: path };
  return newItemPage("apiKeys", { title: words.create, action: path, form: newKey(), ...end });
};

export const apiKeysPages = {
  list: onGet(async ({ deps, session, query }) => {
    const { page } = parseQuery(query, ListQuery);
    const list = await resource.listApiKeys(deps.sql, session.team, session.operator, {
      page,
      limit: pageSize,
    });
    return sectionPage("apiKeys", <ApiKeys {...list} />);
  }),
  newPage: onGet(newKeyPage),
  create: onPost(
    { act: "api_key.created", nameOf: namedBy("name"), form: newKey, retry: newKeyPage },
    async ({ deps, session, data, actor }) => {
      const given = { name: data.name ?? "", scopes: data.scopes, expiresAt: data.endsOn };
      const { key } = await resource.createApiKey(deps.sql, actor, session.team, given, hasOutbox(deps));
      rememberCaller(sha256(key));
      const lines = [`curl ${deps.config.BASE_URL}/papi/v1/management/forms -H 'x-api-key: ${key}'`];
      return secretPage({
        title: words.createdTitle,
        section: "apiKeys",
        secret: key,
        href: path,
        children: <Usage hint={words.usage} lines={lines} />,
      });
    },
  ),
  revoke: onPost(
    { act: "api_key.revoked", form: formOf({ key: sent(Uuid) }) },
    async ({ deps, session, data, actor }) => {
      await resource.revokeApiKey(deps.sql, actor, session.team, data.key);
      return { to: path, text: frameText.keyEnd.isRevoked };
    },
  ),
} satisfies Handlers;
