/** Sharing a form: the page online, its address, a QR code, code for a site, links. */
import { encode } from "uqr";
import { controlName } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { limits } from "../../../limits.ts";
import { publishSettings } from "../../../resources/forms/publish.ts";
import { settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { Input, Notice } from "../../ui/controls.tsx";
import { Picture } from "../../ui/pictures.tsx";
import { type FormView, findForm, formPage, pageHref, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import { isOnline } from "../form/form-state.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { PostForm, requireMay, useMay } from "../frame/layout.tsx";
import { Confirm, Copied, FormActions, LinkLine, Section } from "../frame/parts.tsx";
import { publishRules, settingSentenceOf } from "./publish.tsx";
import { formsText } from "./words.ts";

const words = formsText.share;

interface SharingProps {
  form: FormView;
  /** Address of the page. */
  address: string;
  /** Values to fill in, by the id of the field. */
  values: PageContext["query"];
}

/** Modules of the light border, without which cameras do not find the code. */
const quietZone = 4;

/** The code's dark modules as one path: a rectangle for each run in a row. */
function pathOfCode(address: string): { size: number; path: string } {
  const { size, data } = encode(address, { ecc: "M", border: quietZone });
  const rows = data.map((row, y) => {
    const modules = row.map((isDark) => (isDark ? "1" : "0")).join("");
    const runs = [...modules.matchAll(/1+/g)];
    return runs.map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join("");
  });
  return { size, path: rows.join("") };
}

/** Always dark on light: cameras read no other code. */
const QrCode = ({ address }: { address: string }) => {
  const { size, path } = pathOfCode(address);
  const box = `0 0 ${size} ${size}`;
  const file =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/>` +
    `<path d="${path}"/></svg>`;
  return (
    <Section title={words.code}>
      <svg class="qr" viewBox={box} role="img" aria-label={words.codeLabel} shape-rendering="crispEdges">
        <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
        <path fill="#000" d={path} />
      </svg>
      <p class="quiet">{words.codeHint}</p>
      <LinkLine
        href={`data:image/svg+xml,${encodeURIComponent(file)}`}
        download="qr-code.svg"
        label={words.download}
      />
    </Section>
  );
};

const SettingsLink = ({ form }: Pick<SharingProps, "form">) =>
  useMay("form.settings_changed", form.workspaceId) ? (
    <a href={pathOfForm(form, "settings")}>{words.openSettings}</a>
  ) : null;

const attribute = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

const Embedding = ({ form, address }: Pick<SharingProps, "form" | "address">) => {
  const code =
    `<iframe src="${address}?embed" title="${attribute(form.name)}" width="100%" height="600" allow="clipboard-write"></iframe>\n` +
    `<script type="module" src="${new URL("/f/embed.js", address)}"></script>`;
  return (
    <Section title={words.embed}>
      {form.settingsInForce.page?.embedOrigins?.length ? (
        <Copied label={words.embedCode} value={code} />
      ) : (
        <p>
          {words.noOrigins} <SettingsLink form={form} />
        </p>
      )}
    </Section>
  );
};

/** Types whose value is the text of one control. */
const textTypes = new Set(["text", "textarea", "email", "phone", "url", "number", "integer", "hidden"]);

/** Fields that an address may fill in. Sensitive ones are omitted: histories and logs keep addresses. */
const fillable = (form: FormView): Field[] =>
  parseFields(form.publishedSchema ?? { fields: [] }).filter(
    ({ kind, type, definition }) =>
      definition.prefill === true && definition.sensitive !== true && textTypes.has(kind ?? type),
  );

const FilledLink = ({ form, address, values }: SharingProps) => {
  const fields = fillable(form);
  const query = new URLSearchParams(
    fields.flatMap((field) => {
      const value = values[nameOf(field)];
      return value ? [[controlName(field.id), value]] : [];
    }),
  ).toString();
  const filled = `${address}?${query}`;
  const { maxPrefilledUrlLength } = limits.formPage;
  const isTooLong = filled.length > maxPrefilledUrlLength;
  return (
    <Section title={words.filled}>
      {fields.length === 0 ? (
        <p class="quiet">{words.noPrefill}</p>
      ) : (
        <form method="get" action={pathOfForm(form, "share")} class="stacked">
          <p class="quiet">{words.filledHint}</p>
          {fields.map((field) => (
            <Input
              key={field.id}
              name={nameOf(field)}
              label={field.label || field.id}
              value={values[nameOf(field)] ?? ""}
              required={false}
            />
          ))}
          <FormActions submit={words.makeLink} />
        </form>
      )}
      {query && isTooLong && <Notice kind="error">{words.tooLong(maxPrefilledUrlLength)}</Notice>}
      {query && !isTooLong && <Copied label={words.filledAddress} value={filled} />}
    </Section>
  );
};

const nameOf = ({ id }: Field) => `fill.${id}`;

const Online = (props: SharingProps) => {
  const { form, address } = props;
  const mayChange = useMay("form.settings_changed", form.workspaceId);
  return (
    <>
      <h2>{words.live(form.currentVersion)}</h2>
      <Copied label={words.address} value={address} />
      <p>
        <a href={pageHref(form)}>
          <Picture name="external" />
          {formText.form.fillIn}
        </a>
      </p>
      <QrCode address={address} />
      <Embedding form={form} address={address} />
      <FilledLink {...props} />
      {mayChange && (
        <Confirm
          label={words.takeOffline}
          action={`${pathOfForm(form, "share")}/offline`}
          hint={words.takeOfflineHint}
          confirm={words.takeOfflineConfirm}
        />
      )}
    </>
  );
};

/** Section for a published form without a page: how to put the page online. */
const PutOnline = ({ form }: Pick<SharingProps, "form">) => {
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  const others = settingChangesOf(form.publishedSettings, form.settings, form.settingsInForce).filter(
    ({ name }) => name !== "page.enabled",
  );
  if (form.settings.anonymous?.enabled === false)
    return (
      <p>
        {words.noAnonymous} <SettingsLink form={form} />
      </p>
    );
  return (
    <>
      <h2>{words.live(form.currentVersion)}</h2>
      <p>{words.off}</p>
      {others.length > 0 && (
        <>
          <p>{words.others}</p>
          <ul>
            {others.map((change) => (
              <li key={change.name} dir="auto">
                {settingSentenceOf(change, form)}
              </li>
            ))}
          </ul>
        </>
      )}
      {mayPublish ? (
        <PostForm action={`${pathOfForm(form, "share")}/online`} class="actions">
          <Seen form={form} />
          <button type="submit">{words.putOnline}</button>
        </PostForm>
      ) : (
        <p class="quiet">{words.notAllowed}</p>
      )}
    </>
  );
};

const Sharing = (props: SharingProps) => {
  const { form } = props;
  if (form.status === "archived") return <p>{words.archived}</p>;
  if (form.status === "draft")
    return (
      <p>
        {words.draft} <a href={pathOfForm(form, "publish")}>{words.publishFirst}</a>
      </p>
    );
  return isOnline(form) ? <Online {...props} /> : <PutOnline form={form} />;
};

const show = async (view: PageContext) => {
  const form = await findForm(view);
  const address = view.deps.config.BASE_URL + pageHref(form);
  const content = <Sharing form={form} address={address} values={view.query} />;
  return formPage(form, "share", formText.form.share, content);
};

const online = publishRules("form.settings_published");
const offline = { ...online, act: "form.settings_changed" } as const;

const setEnabled = (enabled: boolean) =>
  onPost({ ...(enabled ? online : offline), retry: show }, async (view) => {
    const { found: form } = view;
    // Before the patch, which an editor may do: a publication that is refused would leave the page waiting.
    if (enabled) requireMay(view.session, "form.settings_published", form.workspaceId);
    const operation = { op: "setMeta", settings: { page: { enabled } } };
    // The proof was checked for the form as it was read.
    const seen = view.values.get("updatedAt") ?? form.updatedAt.toISOString();
    const updatedAt = await patchForm(view, form, operation, seen);
    // Off is in effect at once: it is the stricter of the two.
    if (enabled) await publishSettings(view.deps.sql, view.actor, form.teamId, form.id, updatedAt);
    return { to: pathOfForm(form, "share"), text: enabled ? words.isOnline : words.isOffline };
  });

export const sharePages = {
  page: onGet(show),
  putOnline: setEnabled(true),
  takeOffline: setEnabled(false),
} satisfies Handlers;
