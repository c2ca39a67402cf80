/** Sharing a form: the page online, its address, a QR code and a poster, code for a site, links, the feed. */
import type { RenderableProps } from "preact";
import { encode } from "uqr";
import { controlName } from "../../../fields/control-values.ts";
import { type Field, parseFields } from "../../../fields/definition.ts";
import { languagesIn } from "../../../fields/translations.ts";
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { endNewsFeed, makeNewsFeed } from "../../../resources/forms/followers.ts";
import { aliasOf } from "../../../resources/forms/page-address.ts";
import { freeAlias } from "../../../resources/forms/page-read.ts";
import { publishSettings } from "../../../resources/forms/publish.ts";
import { Alias, SiteOrigin } from "../../../resources/forms/settings.ts";
import { type SettingChange, settingChangesOf } from "../../../resources/forms/settings-changes.ts";
import { Input, Notice, Submit } from "../../ui/controls.tsx";
import { languageName } from "../../ui/language.ts";
import { Time } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pageHref, patchForm, pathOfForm, Seen } from "../form/form.tsx";
import { isOnline, isPublic } from "../form/form-state.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { formOf, textInput, Wrong } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext, type PostRules } from "../frame/handler.ts";
import {
  ActionButton,
  type ConsolePage,
  PostForm,
  requireMay,
  useMay,
  useRefused,
} from "../frame/layout.tsx";
import { Confirm, Copied, Folded, FormActions, LinkLine, Section, secretPage } from "../frame/parts.tsx";
import { AddQuestion, hasQuestions, publishRules, settingSentenceOf } from "./publish.tsx";
import { formsText } from "./words.ts";

const words = formsText.share;

interface SharingProps {
  form: FormView;
  /** URL of the server. */
  base: string;
  /** URL of the page. */
  address: string;
  /** A short name for the address. Empty: it has one, or none was found. */
  suggested: string;
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
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={words.codeLabel}
      shape-rendering="crispEdges"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  );
};

/** The code as a file of a `data:` URL. */
function fileOfCode(address: string): string {
  const { size, path } = pathOfCode(address);
  const file =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><path fill="#fff" d="M0 0h${size}v${size}H0z"/>` +
    `<path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(file)}`;
}

const Code = ({ form, address }: Pick<SharingProps, "form" | "address">) => (
  <Section title={words.code} hint={words.codeHint}>
    <QrCode address={address} />
    <p class="actions">
      <a class="button quiet" href={`${pathOfForm(form)}/poster`}>
        {words.poster}
      </a>
      <a href={fileOfCode(address)} download={`${aliasOf(form.name) || "qr"}.svg`}>
        {words.download}
      </a>
    </p>
  </Section>
);

/** The other settings that a publication puts into effect. */
const Others = ({ form, except }: Pick<SharingProps, "form"> & { except: SettingChange["name"] }) => {
  const others = settingChangesOf(form.publishedSettings, form.settings, form.settingsInForce).filter(
    ({ name, waits }) => waits && name !== except,
  );
  if (others.length === 0) return null;
  return (
    <div>
      <p>{words.others}</p>
      <ul>
        {others.map((change) => (
          <li key={change.name} dir="auto">
            {settingSentenceOf(change, form)}
          </li>
        ))}
      </ul>
    </div>
  );
};

const addressForm = (base: string, value: string) =>
  formOf<{ alias: string | null }>(
    {
      alias: textInput({
        ...{ label: words.alias, hint: words.addressHint(`${base}/f/`), value, required: true },
        ...{ shape: Alias, wrong: words.aliasWrong },
      }),
    },
    { about: { address_taken: "alias", too_many_addresses: "alias" } },
  );

/** Field that tells the post that gives the short address up from the one that changes it. */
const givingUp = { giveUp: "true" };

/** Form of a post that gives the short address up. */
const noAddressForm = formOf<{ alias: string | null }>({ alias: { read: () => null } });

const aliasIn = ({ settings, settingsInForce }: FormView) =>
  settingsInForce.page?.alias ?? settings.page?.alias;

const GiveUpAddress = ({ form, children }: RenderableProps<Pick<SharingProps, "form">>) => (
  <Confirm
    label={words.giveUpAddress}
    action={`${pathOfForm(form, "share")}/address`}
    confirm={words.giveUpAddressConfirm}
    fields={givingUp}
  >
    {children}
  </Confirm>
);

/** An address that people can read and type, in place of the long one. */
const ShortAddress = ({ form, base, suggested }: SharingProps) => {
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  const alias = aliasIn(form);
  const action = `${pathOfForm(form, "share")}/address`;
  const changing = { giveUp: "false" };
  const isRefused = useRefused(action, changing) !== undefined;
  if (!mayPublish) return null;
  const effects = (
    <>
      {alias && <p>{words.addressEnds(alias)}</p>}
      <Seen form={form} />
      <Others form={form} except="page.alias" />
    </>
  );
  const post = (
    <PostForm action={action} form={addressForm(base, alias ?? suggested)} fields={changing} class="stacked">
      {effects}
      <FormActions submit={words.useAddress} />
    </PostForm>
  );
  if (!alias) return post;
  return (
    <>
      <Folded label={words.changeAddress} isOpen={isRefused}>
        {post}
      </Folded>
      <GiveUpAddress form={form}>{effects}</GiveUpAddress>
    </>
  );
};

const attribute = (value: string) => value.replaceAll("&", "&amp;").replaceAll('"', "&quot;");

/** The origin of an address, which may be of any page of a site. */
const siteForm = () => {
  const input = textInput({ label: words.site, placeholder: "https://www.example.org", required: true });
  const read = (values: URLSearchParams, name: string) => {
    const text = input.read(values, name);
    if (text instanceof Wrong) return text;
    const { origin } = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`) ?? {};
    return SiteOrigin.allows(origin) ? origin : new Wrong(formsText.settings.errors["page.embedOrigins"]);
  };
  return formOf({ site: { ...input, read } });
};

/** Script that gives the frame of a form the height of its page. */
const embedPath = "/f/embed.js";

const Embedding = ({ form, address }: Pick<SharingProps, "form" | "address">) => {
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  const sites = form.settingsInForce.page?.embedOrigins ?? [];
  const code =
    `<iframe src="${address}?embed" title="${attribute(form.name)}" width="100%" height="600" allow="clipboard-write"></iframe>\n` +
    `<script type="module" src="${new URL(embedPath, address)}"></script>`;
  return (
    <Section title={words.embed} hint={sites.length > 0 ? words.sites(sites.join(", ")) : words.noSites}>
      {mayPublish && (
        <PostForm action={`${pathOfForm(form, "share")}/site`} form={siteForm()} class="stacked">
          <Seen form={form} />
          <Others form={form} except="page.embedOrigins" />
          <Submit class="quiet" label={words.addSite} />
        </PostForm>
      )}
      <Copied label={words.embedCode} value={code} />
      <Folded label={words.example} isOpen={false}>
        <iframe
          class="example"
          src={`${pathOfForm(form)}/preview?embed`}
          title={words.example}
          loading="lazy"
        />
        <script type="module" src={embedPath} />
      </Folded>
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
    <Folded label={words.filled} isOpen={Object.keys(values).some((name) => name.startsWith("fill."))}>
      {fields.length === 0 ? (
        <p class="quiet">{words.noPrefill(formText.members.prefill)}</p>
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
    </Folded>
  );
};

const nameOf = ({ id }: Field) => `fill.${id}`;

/** The operator's own feed of the form: its address is shown once. */
const NewsFeed = ({ form }: Pick<SharingProps, "form">) => {
  const { feedMadeAt } = form;
  const path = `${pathOfForm(form, "share")}/feed`;
  return (
    <Section id="feed" title={words.feed} hint={words.feedHint}>
      {feedMadeAt && (
        <p>
          {words.feedMade} <Time at={feedMadeAt} />
        </p>
      )}
      <div class="actions">
        <ActionButton action={path} label={feedMadeAt ? words.renewFeed : words.makeFeed} class="quiet" />
        {feedMadeAt && (
          <Confirm label={words.endFeed} action={`${path}/end`} confirm={words.endFeedConfirm} />
        )}
      </div>
    </Section>
  );
};

/** Addresses of the page, one for each language. Without one, the browser decides. */
const LinksByLanguage = ({ form, address }: Pick<SharingProps, "form" | "address">) => {
  const languages = languagesIn(form.publishedSchema ?? {});
  if (languages.length < 2) return null;
  return (
    <Folded label={words.byLanguage} isOpen={false}>
      {languages.map((lang) => (
        <Copied key={lang} label={languageName(lang)} value={`${address}?${new URLSearchParams({ lang })}`} />
      ))}
    </Folded>
  );
};

/** The address opens an invited form for no one, so that there is nothing to pass on. */
const Online = (props: SharingProps) => {
  const { form, address } = props;
  const isForAll = isPublic(form);
  const mayChange = useMay("form.settings_changed", form.workspaceId);
  return (
    <div class="sharing">
      <div>
        <Section title={words.address}>
          {!isForAll && (
            <Notice kind="info">
              {words.invitedOnly} <a href={pathOfForm(form, "invitations")}>{formText.form.invitations}</a>
            </Notice>
          )}
          <Copied value={address} />
          {isForAll && <LinkLine href={pageHref(form)} label={formText.form.fillIn} />}
          {isForAll && <LinksByLanguage form={form} address={address} />}
          <ShortAddress {...props} />
        </Section>
        {isForAll && <Code form={form} address={address} />}
      </div>
      <div>
        {isForAll && <Embedding form={form} address={address} />}
        {isForAll && <FilledLink {...props} />}
        <NewsFeed form={form} />
        {mayChange && (
          <Confirm
            label={words.takeOffline}
            action={`${pathOfForm(form, "share")}/offline`}
            hint={words.takeOfflineHint}
            confirm={words.takeOfflineConfirm}
          />
        )}
      </div>
    </div>
  );
};

/** True if people would see an empty page. Programs may use such a form. */
const isEmpty = ({ publishedSchema }: FormView) => publishedSchema?.fields.length === 0;

/** Section for a published form without a page: how to put the page online. */
const PutOnline = ({ form }: Pick<SharingProps, "form">) => {
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  const maySet = useMay("form.settings_changed", form.workspaceId);
  const { anonymous, page } = form.settings;
  if (anonymous?.enabled === false && page?.access !== "invited")
    return (
      <p>
        {words.noAnonymous(formsText.settings.anonymous)}{" "}
        {maySet && <a href={pathOfForm(form, "settings")}>{words.openSettings}</a>}
      </p>
    );
  if (isEmpty(form) && hasQuestions(form))
    return (
      <p>
        {words.draft} <a href={pathOfForm(form, "publish")}>{words.publishFirst}</a>
      </p>
    );
  if (isEmpty(form)) return <AddQuestion form={form} />;
  return (
    <>
      <p>{words.off}</p>
      <Others form={form} except="page.enabled" />
      {mayPublish ? (
        <PostForm action={`${pathOfForm(form, "share")}/online`} class="actions">
          <Seen form={form} />
          <button type="submit">{words.putOnline}</button>
        </PostForm>
      ) : (
        <p class="quiet">{words.notAllowed}</p>
      )}
      <NewsFeed form={form} />
    </>
  );
};

/** A draft. Its short address, which the API sets, counts for the team and is taken for other forms. */
const DraftSharing = ({ form }: Pick<SharingProps, "form">) => {
  const mayPublish = useMay("form.settings_published", form.workspaceId);
  const alias = aliasIn(form);
  return (
    <>
      <p>
        {words.draft} <a href={pathOfForm(form, "publish")}>{words.publishFirst}</a>
      </p>
      {alias && (
        <Section title={words.address}>
          <p>{words.addressKept(alias)}</p>
          {mayPublish && (
            <GiveUpAddress form={form}>
              <p>{words.addressFreed}</p>
              <Seen form={form} />
            </GiveUpAddress>
          )}
        </Section>
      )}
    </>
  );
};

const Sharing = (props: SharingProps) => {
  const { form } = props;
  const alias = aliasIn(form);
  if (form.status === "archived")
    return (
      <>
        <p>{words.archived}</p>
        {alias && <p>{words.archivedAddress(alias)}</p>}
      </>
    );
  if (form.status === "draft") return <DraftSharing form={form} />;
  if (isOnline(form)) return <Online {...props} />;
  return (
    <>
      <PutOnline form={form} />
      {alias && (
        <Section title={words.address}>
          <ShortAddress {...props} />
        </Section>
      )}
    </>
  );
};

/** Sheet of paper with the code, the title and the address. The style sheet prints it without the console. */
const Poster = ({ form, address }: Pick<SharingProps, "form" | "address">) => {
  const { theme, title } = form.settings.page ?? {};
  return (
    <>
      <p class="actions">
        <button type="button" data-print hidden>
          {words.print}
        </button>
        <a href={pathOfForm(form, "share")}>{words.back}</a>
      </p>
      <article class="poster">
        {theme?.logo && <img class="logo" src={theme.logo.src} alt={theme.logo.alt} />}
        <h2 dir="auto">{title || form.name}</h2>
        <p>{words.scan}</p>
        <QrCode address={address} />
        <p class="address">{address.replace(/^https?:\/\//, "")}</p>
      </article>
    </>
  );
};

async function sharingOf(view: PageContext): Promise<SharingProps> {
  const { sql, config } = view.deps;
  const form = await findForm(view);
  const { alias } = form.settingsInForce.page ?? {};
  const suggested =
    alias || !isOnline(form) ? "" : await freeAlias(sql, form.settings.page?.title || form.name);
  const base = config.BASE_URL;
  return { form, base, address: base + pageHref(form), suggested, values: view.query };
}

const show = async (view: PageContext): Promise<ConsolePage> => {
  const sharing = await sharingOf(view);
  const page = formPage(sharing.form, "share", formText.form.share, <Sharing {...sharing} />);
  return { ...page, policy: { "frame-src": "'self'" } };
};

const posterPage = async (view: PageContext): Promise<ConsolePage> => {
  const form = await findForm(view);
  if (!isOnline(form)) return await show(view);
  const address = view.deps.config.BASE_URL + pageHref(form);
  return formPage(form, "share", words.poster, <Poster form={form} address={address} />);
};

const online = publishRules("form.settings_published");

/** @throws {Problem} `conflict`. */
function requirePublished({ currentVersion }: FormView): void {
  if (currentVersion === 0) throw new Problem("conflict", say("form_not_published"));
}

const publishPageSettings = (
  { deps: { sql, masterKey }, actor }: Pick<PageContext, "deps" | "actor">,
  { teamId, id }: FormView,
  updatedAt: Date,
) => publishSettings(sql, actor, teamId, id, updatedAt, masterKey.isPresent);

/**
 * A post that changes the page's settings, and publishes them: the page shows which others take effect. A
 * draft can only give its short address up.
 */
const putInForce = <Data,>(
  rules: Pick<PostRules<Data, FormView>, "form" | "act">,
  pageOf: (data: Data, form: FormView) => Record<string, unknown>,
  done: (data: Data) => string,
) =>
  onPost<Data, FormView>({ ...online, ...rules, retry: show }, async (view) => {
    const { found: form } = view;
    // Before the patch, which an editor may do: a refused publication would leave the settings waiting.
    requireMay(view.session, "form.settings_published", form.workspaceId);
    const page = pageOf(view.data, form);
    if (page.alias !== null) requirePublished(form);
    const updatedAt = await patchForm(view, form, { op: "setMeta", settings: { page } }, seenIn(view));
    if (form.currentVersion > 0) await publishPageSettings(view, form, updatedAt);
    return { to: pathOfForm(form, "share"), text: done(view.data) };
  });

/** The draft that the operator saw, or else that of which the proof was checked. */
const seenIn = ({ values, found }: FormPost<unknown, FormView>) =>
  values.get("updatedAt") ?? found.updatedAt.toISOString();

const loaded = { load: findForm, nameOf: online.nameOf };

export const sharePages = {
  page: onGet(show),
  poster: onGet(posterPage),
  putOnline: putInForce(
    { act: online.act },
    (_, form) => {
      if (isEmpty(form)) throw new Problem("conflict", say("question_needed"));
      return { enabled: true };
    },
    () => words.isOnline,
  ),
  // Off is in effect at once: it is the stricter of the two.
  takeOffline: onPost({ ...loaded, act: "form.settings_changed", retry: show }, async (view) => {
    const { found: form } = view;
    const operation = { op: "setMeta", settings: { page: { enabled: false } } };
    await patchForm(view, form, operation, seenIn(view));
    return { to: pathOfForm(form, "share"), text: words.isOffline };
  }),
  useAddress: putInForce(
    {
      form: ({ deps, values }) =>
        values.get("giveUp") === givingUp.giveUp ? noAddressForm : addressForm(deps.config.BASE_URL, ""),
      act: (post) => (post.found.settingsInForce.page?.alias ? "form.redirected" : online.act(post)),
    },
    ({ alias }) => ({ alias }),
    ({ alias }) => (alias ? words.addressUsed : words.addressGivenUp),
  ),
  addSite: putInForce(
    { form: siteForm, act: "form.redirected" },
    ({ site }, { settings }) => ({
      embedOrigins: [...new Set([...(settings.page?.embedOrigins ?? []), site])],
    }),
    () => words.siteAdded,
  ),
  makeFeed: onPost({ ...loaded, act: "form.feed_made" }, async ({ deps, actor, found: form }) => {
    const secret = await makeNewsFeed(deps.sql, actor, deps.config.BASE_URL, form);
    const href = pathOfForm(form, "share");
    return secretPage({
      title: words.feed,
      section: "forms",
      secret,
      href,
      children: <p>{words.feedOnce}</p>,
    });
  }),
  endFeed: onPost({ ...loaded, act: "form.feed_ended" }, async ({ deps, actor, found: form }) => {
    await endNewsFeed(deps.sql, actor, form);
    return { to: pathOfForm(form, "share"), text: words.feedEnded };
  }),
} satisfies Handlers;
