/** The access keys of a form. */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import { createAccessKey, listAccessKeys, revokeAccessKey } from "../forms/access-keys.ts";
import { parseQuery, uuidParam } from "../http/shapes.ts";
import { Command, Pages, Time } from "../pages/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "./form.tsx";
import { act, show } from "./handler.ts";
import { PostForm, useMay } from "./layout.tsx";
import { secretPage } from "./secret.tsx";
import { ListQuery } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.accessKeys;

/** Access keys on a page of the list. */
const pageSize = 50;

type KeyPage = Awaited<ReturnType<typeof listAccessKeys>>;

const AccessKeys = ({ form, items, pagination }: KeyPage & { form: FormView }) => {
  const mayCreate = useMay("access_key.created", form.workspaceId);
  const mayRevoke = useMay("access_key.revoked", form.workspaceId);
  const href = pathOfForm(form, "accessKeys");
  return (
    <>
      <p class="quiet">{words.hint}</p>
      {mayCreate && (
        <PostForm action={href}>
          <button type="submit">{words.create}</button>
        </PostForm>
      )}
      {items.length === 0 ? (
        <p class="empty">{words.none}</p>
      ) : (
        <ul class="rows">
          {items.map(({ id, prefix, createdAt, revokedAt }) => (
            <li key={id}>
              <div>
                <code>{prefix}…</code>
                <small>
                  {words.created} <Time at={createdAt} />
                </small>
              </div>
              <span class={`badge ${revokedAt ? "revoked" : "active"}`}>
                {revokedAt ? words.revoked : words.active}
              </span>
              {!revokedAt && mayRevoke && (
                <details class="confirm">
                  <summary aria-label={words.revokeOf(prefix)}>{words.revoke}</summary>
                  <PostForm action={`${href}/revoke`}>
                    <button type="submit" class="danger small" name="key" value={id}>
                      {words.revokeConfirm}
                    </button>
                  </PostForm>
                </details>
              )}
            </li>
          ))}
        </ul>
      )}
      <Pages {...pagination} words={text.pages} hrefOf={(page) => `${href}?page=${page}`} />
    </>
  );
};

export const accessKeysPages = (deps: Deps) => {
  const { sql, config } = deps;
  const path = "/console/forms/:form_id/access-keys";
  return new Elysia({ name: path })
    .get(
      path,
      show(deps, async (view) => {
        const form = await findForm(deps, view);
        const { page } = parseQuery(view.query, ListQuery);
        const list = await listAccessKeys(sql, form.teamId, form.id, { page, limit: pageSize });
        return formPage(form, "accessKeys", words.title, <AccessKeys form={form} {...list} />);
      }),
    )
    .post(
      path,
      act(deps, async (view) => {
        const form = await findForm(deps, view);
        const { key } = await createAccessKey(sql, view.actor, form.teamId, form.id);
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
      }),
    )
    .post(
      `${path}/revoke`,
      act(deps, async (view) => {
        const form = await findForm(deps, view);
        const id = uuidParam({ key: view.values.get("key") ?? "" }, "key");
        await revokeAccessKey(sql, view.actor, form.teamId, form.id, id);
        return pathOfForm(form, "accessKeys");
      }),
    );
};
