/** The access keys of a form. */
import type { Config } from "../../../platform/config.ts";
import { parseQuery } from "../../../platform/http/shapes.ts";
import { createAccessKey, listAccessKeys, revokeAccessKey } from "../../../resources/forms/access-keys.ts";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { idIn, onGet, onPost, type View } from "../frame/handler.ts";
import { hasEnded, KeyEnd, KeyTimes, keyEndOf } from "../frame/key-end.tsx";
import { PostForm, RefusedNotice, useMay, useRefused } from "../frame/layout.tsx";
import { ItemList } from "../frame/list-page.tsx";
import { secretPage, Usage } from "../frame/secret.tsx";
import { ListQuery } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";
import { formsText } from "./words.ts";

const words = formsText.accessKeys;

const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof listAccessKeys>>;

const AccessKeys = ({ form, items, pagination }: KeyPage & { form: FormView }) => {
  const refused = useRefused();
  const mayCreate = useMay("access_key.created", form.workspaceId);
  const mayRevoke = useMay("access_key.revoked", form.workspaceId);
  const href = pathOfForm(form, "accessKeys");
  return (
    <>
      <RefusedNotice />
      <p class="quiet">{words.hint}</p>
      {mayCreate && (
        <PostForm action={href} class="stacked" entered={refused?.values}>
          <KeyEnd />
          <button type="submit">{words.create}</button>
        </PostForm>
      )}
      <ItemList items={items} pagination={pagination} path={href} none={words.none}>
        <ul class="rows">
          {items.map(({ id, prefix, revokedAt, ...times }) => (
            <li key={id}>
              <div>
                <code>{prefix}…</code>
                <KeyTimes created={words.created} of={times} />
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

const listPage = async (view: View) => {
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
  create: onPost({ retry: listPage, isRisky: true, passkey: "asked" }, async (view) => {
    const { sql, config } = view.deps;
    const form = await findForm(view);
    const { key } = await createAccessKey(sql, view.actor, form.teamId, form.id, keyEndOf(view.values));
    return createdPage(config, form, key);
  }),
  revoke: onPost({}, async (view) => {
    const form = await findForm(view);
    await revokeAccessKey(view.deps.sql, view.actor, form.teamId, form.id, idIn(view.values, "key"));
    return { to: pathOfForm(form, "accessKeys"), text: frameText.keyEnd.isRevoked };
  }),
} satisfies Handlers;
