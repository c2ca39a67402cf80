/** The access keys of a form. */
import type { Deps } from "../../platform/deps.ts";
import { parseQuery, uuidParam } from "../../platform/http/shapes.ts";
import { createAccessKey, listAccessKeys, revokeAccessKey } from "../../resources/forms/access-keys.ts";
import { Notice } from "../ui/controls.tsx";
import { Command } from "../ui/text.tsx";
import { Confirm } from "./confirm.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "./form.tsx";
import { onGet, onPost, type View } from "./handler.ts";
import { hasEnded, KeyEnd, KeyTimes, keyEndOf } from "./key-end.tsx";
import { PostForm, useMay } from "./layout.tsx";
import { List } from "./list-page.tsx";
import { secretPage } from "./secret.tsx";
import { ListQuery } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.accessKeys;

/** Access keys on a page of the list. */
const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof listAccessKeys>>;

interface Props extends KeyPage {
  form: FormView;
  /** What was entered, where the form post was refused, and why. */
  values: URLSearchParams;
  message?: string | undefined;
}

const AccessKeys = ({ form, items, pagination, values, message }: Props) => {
  const mayCreate = useMay("access_key.created", form.workspaceId);
  const mayRevoke = useMay("access_key.revoked", form.workspaceId);
  const href = pathOfForm(form, "accessKeys");
  return (
    <>
      {message && <Notice kind="error">{message}</Notice>}
      <p class="quiet">{words.hint}</p>
      {mayCreate && (
        <PostForm action={href} class="stacked">
          <KeyEnd values={values} />
          <button type="submit">{words.create}</button>
        </PostForm>
      )}
      <List items={items} pagination={pagination} path={href} none={words.none}>
        <ul class="rows">
          {items.map(({ id, prefix, revokedAt, ...times }) => (
            <li key={id}>
              <div>
                <code>{prefix}…</code>
                <KeyTimes created={words.created} of={times} />
              </div>
              <span class={`badge ${revokedAt || hasEnded(times) ? "revoked" : "active"}`}>
                {revokedAt ? words.revoked : hasEnded(times) ? text.keyEnd.expired : words.active}
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
      </List>
    </>
  );
};

export const accessKeysPages = (deps: Deps) => {
  const { sql, config } = deps;
  const listPage = async (view: View, values: URLSearchParams, message?: string) => {
    const form = await findForm(deps, view);
    const { page } = parseQuery(view.query, ListQuery);
    const list = await listAccessKeys(sql, form.teamId, form.id, { page, limit: pageSize });
    const content = <AccessKeys {...{ form, values, message }} {...list} />;
    return formPage(form, "accessKeys", words.title, content);
  };
  return {
    list: onGet(deps, (view) => listPage(view, new URLSearchParams())),
    create: onPost(
      deps,
      async (view) => {
        const form = await findForm(deps, view);
        const { key } = await createAccessKey(sql, view.actor, form.teamId, form.id, keyEndOf(view.values));
        const lines = [
          `curl ${config.BASE_URL}/papi/v1/submitter/form \\`,
          `  -H 'x-form-access-key: ${key}' …`,
        ];
        return secretPage({
          title: words.createdTitle,
          section: "forms",
          secret: key,
          href: pathOfForm(form, "accessKeys"),
          children: (
            <section>
              <p>{words.usage}</p>
              <Command lines={lines} />
            </section>
          ),
        });
      },
      (retry) => listPage(retry, retry.values, retry.message),
      { isRisky: true, passkey: "asked" },
    ),
    revoke: onPost(deps, async (view) => {
      const form = await findForm(deps, view);
      const id = uuidParam({ key: view.values.get("key") ?? "" }, "key");
      await revokeAccessKey(sql, view.actor, form.teamId, form.id, id);
      return { to: pathOfForm(form, "accessKeys"), text: text.keyEnd.isRevoked };
    }),
  };
};
