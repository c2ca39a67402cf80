/** The access keys of a form. */
import type { Config } from "../../../platform/config.ts";
import { parseQuery, Uuid } from "../../../platform/http/shapes.ts";
import { createAccessKey, listAccessKeys, revokeAccessKey } from "../../../resources/forms/access-keys.ts";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { formOf, sent } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { hasEnded, KeyTimes, keyEnd } from "../frame/key-end.tsx";
import { PostForm, useMay } from "../frame/layout.tsx";
import { ItemList, ListQuery } from "../frame/list-page.tsx";
import { Confirm, secretPage, Usage } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.accessKeys;

const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof listAccessKeys>>;

const newKeyForm = formOf({ endsOn: keyEnd }, { about: { expiry_past: "endsOn" } });
const accessKeyForm = formOf({ key: sent(Uuid) });

const AccessKeys = ({ form, items, pagination }: KeyPage & { form: FormView }) => {
  const mayCreate = useMay("access_key.created", form.workspaceId);
  const mayRevoke = useMay("access_key.revoked", form.workspaceId);
  const href = pathOfForm(form, "accessKeys");
  return (
    <>
      <p class="quiet">{words.hint}</p>
      {mayCreate && (
        <PostForm action={href} form={newKeyForm} class="stacked">
          <button type="submit">{words.create}</button>
        </PostForm>
      )}
      <ItemList items={items} pagination={pagination} path={href} none={words.none}>
        <ul class="rows">
          {items.map(({ id, prefix, revokedAt, ...times }) => (
            <li key={id}>
              <div>
                <code>{prefix}…</code>
                <KeyTimes created={words.created} times={times} />
              </div>
              <span class={`badge ${revokedAt || hasEnded(times) ? "revoked" : "active"}`}>
                {revokedAt ? words.revoked : hasEnded(times) ? frameText.keyEnd.expired : words.active}
              </span>
              {!revokedAt && mayRevoke && (
                <Confirm
                  label={words.revoke}
                  accessibleLabel={words.revokeOf(prefix)}
                  action={`${href}/revoke`}
                  confirm={words.revokeConfirm}
                  name="key"
                  value={id}
                />
              )}
            </li>
          ))}
        </ul>
      </ItemList>
    </>
  );
};

const listPage = async (view: PageContext) => {
  const form = await findForm(view);
  const { page } = parseQuery(view.query, ListQuery);
  const list = await listAccessKeys(view.deps.sql, form.teamId, form.id, { page, limit: pageSize });
  return formPage(form, "accessKeys", words.title, <AccessKeys form={form} {...list} />);
};

const createdPage = ({ BASE_URL }: Config, form: FormView, key: string) =>
  secretPage({
    title: words.createdTitle,
    section: "forms",
    secret: key,
    href: pathOfForm(form, "accessKeys"),
    children: (
      <Usage
        hint={words.usage}
        lines={[`curl ${BASE_URL}/papi/v1/submitter/form \\`, `  -H 'x-form-access-key: ${key}' …`]}
      />
    ),
  });

export const accessKeysPages = {
  list: onGet(listPage),
  create: onPost(
    {
      act: "access_key.created",
      nameOf: ({ found }) => found.name,
      load: findForm,
      form: newKeyForm,
      retry: listPage,
    },
    async ({ deps: { sql, config }, actor, data, found: form }) => {
      const { key } = await createAccessKey(sql, actor, form.teamId, form.id, data.endsOn);
      return createdPage(config, form, key);
    },
  ),
  revoke: onPost(
    { act: "access_key.revoked", load: findForm, form: accessKeyForm },
    async ({ deps, actor, data, found: form }) => {
      await revokeAccessKey(deps.sql, actor, form.teamId, form.id, data.key);
      return { to: pathOfForm(form, "accessKeys"), text: frameText.keyEnd.isRevoked };
    },
  ),
} satisfies Handlers;
