/** Drafts of a form's page by their links, `/f/{id}/r/{token}`: to continue, to save again, to send. */
import { Elysia } from "elysia";
import { v7 as uuidv7 } from "uuid";
import { isEmail } from "../../fields/formats.ts";
import { dayText } from "../../fields/spelling.ts";
import { limits } from "../../limits.ts";
import type { Deps } from "../../platform/deps.ts";
import { RequestBody } from "../../platform/http/body.ts";
import { parseFormText } from "../../platform/http/form-body.ts";
import { operation } from "../../platform/http/operation.ts";
import { takeRateLimit } from "../../platform/http/rate-limits.ts";
import { emptyUnlessUtf8 } from "../../platform/http/shapes.ts";
import { dayMs, hourMs, takeAddress } from "../../platform/mail/address-limit.ts";
import { isMailOn, MailError, sendMail } from "../../platform/mail/smtp.ts";
import type { ProblemCode } from "../../problem.ts";
import { pagePathOf } from "../../resources/forms/page-address.ts";
import { resumeMail } from "../../resources/mails/resume-mail.ts";
import type { SubmitBatch } from "../../resources/submit/submit.ts";
import { Input } from "../ui/controls.tsx";
import { redirect } from "../ui/page.tsx";
import { addressIn } from "./addresses.ts";
import { type Draft, openDraft, readDraft } from "./drafts.ts";
import { beginPageRequest } from "./failure.tsx";
import { pageMark } from "./language.ts";
import { codesOfForm, pageLimit, returnedPage, sentPage, stepPage } from "./open.ts";
import { respondWithFormPage } from "./page.tsx";
import type { HeldLink, PublishedPage } from "./page-request.ts";
import { type PostContext, respondToSend, respondToStep, respondToStepsRead } from "./send.ts";
import { respondWithDraft } from "./steps.tsx";
import { Logo } from "./theme.tsx";

type LinkContext = PostContext & { params: { id: string; token: string } };

const linkOf = ({ token }: LinkContext["params"]): HeldLink => ({ use: "r", token });

const path = "/f/:id/r/:token";
const codes: ProblemCode[] = ["not_found", "gone", "anonymous_not_allowed"];
/** Body with an e-mail address. */
const maxAddressBytes = 4_096;

export const draftRoutes = (deps: Deps, submitBatch: SubmitBatch) =>
  new Elysia({ name: path })
    .onTransform(emptyUnlessUtf8("id"))
    .onTransform(emptyUnlessUtf8("token"))
    .get(
      path,
      async ({ request, params, set }: LinkContext) => {
        const link = linkOf(params);
        const asked = beginPageRequest(deps, request, params.id, link);
        const { page, values, before } = await openDraft(asked, link);
        return await respondWithDraft({ ...asked, set, page }, values, before);
      },
      operation({
        id: "getDraftPage",
        tag: "page",
        summary: "Continue a saved page",
        description:
          "The form at its step, with what was entered when it was saved (`settings.page.resume`). Opening it changes nothing. An unknown, ended or sent draft: 404.",
        security: [{}],
        response: { description: "The form.", isPage: true },
        codes: codesOfForm,
        limits: [pageLimit],
      }),
    )
    .post(
      path,
      ({ request, params, set }: LinkContext) =>
        respondToSend(deps, submitBatch, { request, params, set }, linkOf(params)),
      operation({
        id: "submitDraftPage",
        tag: "page",
        summary: "Send a page that was saved",
        description: "As `submitFormPage`. The draft ends in the same transaction.",
        security: [{}],
        ...sentPage,
      }),
    )
    .get(
      `${path}/steps`,
      ({ request, params, set }: LinkContext) =>
        respondToStepsRead(deps, { request, params, set }, linkOf(params)),
      operation({
        id: "getDraftSteps",
        tag: "page",
        summary: "Return to a page that was saved",
        security: [{}],
        ...returnedPage,
      }),
    )
    .post(
      `${path}/steps`,
      ({ request, params, set }: LinkContext) =>
        respondToStep(deps, { request, params, set }, linkOf(params)),
      operation({
        id: "sendDraftStep",
        tag: "page",
        summary: "Send one step of a page that was saved",
        description: "As `sendFormStep`. With the button that saves, the draft is replaced.",
        security: [{}],
        ...stepPage,
      }),
    )
    .get(
      `${path}/saved`,
      async ({
        request,
        params,
        query: { mailed },
        set,
      }: LinkContext & { query: Record<string, string | undefined> }) => {
        const link = linkOf(params);
        const asked = beginPageRequest(deps, request, params.id, link);
        const { page, draft } = await readDraft(asked, link, false);
        const to = mailed === undefined ? undefined : await openAddress(deps, link, mailed);
        return respondWithSaved(deps, set, page, { link, draft, to });
      },
      operation({
        id: "getSavedPage",
        tag: "page",
        summary: "Read the page after saving",
        description: "The link to continue by, and until when it works.",
        security: [{}],
        response: { description: "The link.", isPage: true },
        codes,
        limits: [pageLimit],
      }),
    )
    .post(
      `${path}/send`,
      async ({ request, params, set }: LinkContext) => {
        const link = linkOf(params);
        const asked = beginPageRequest(deps, request, params.id, link);
        const { page } = await readDraft(asked, link, false);
        const body = await new RequestBody(request, maxAddressBytes).read();
        const to = parseFormText(request, body).get(addressName)?.trim() ?? "";
        const mailed = (await mailLink(deps, page, link, to)) ? await sealAddress(deps, link, to) : "";
        const address = addressIn(page, `${asked.action}/saved`);
        return redirect(set, `${address}${address.includes("?") ? "&" : "?"}mailed=${mailed}`);
      },
      operation({
        id: "mailDraftLink",
        tag: "page",
        summary: "Mail the link of a page that was saved",
        description: "To an e-mail address, which is used once and not stored.",
        security: [{}],
        response: { description: "The page after saving.", redirect: "Leads to it.", isPage: true },
        codes: [...codes, "payload_too_large", "invalid_content_type"],
        limits: [pageLimit],
      }),
    );

const addressName = "email";

/** Seals an e-mail address for the next page's own address, which a browser keeps. */
const sealAddress = async ({ masterKey }: Deps, { token }: HeldLink, to: string): Promise<string> =>
  (await masterKey.encrypt("page-draft", `mailed ${token}`, new TextEncoder().encode(to))).toString(
    "base64url",
  );

/** @returns the address; empty: no mail was sent */
async function openAddress({ masterKey }: Deps, { token }: HeldLink, sealed: string): Promise<string> {
  const bytes = Buffer.from(sealed, "base64url");
  const opened = await masterKey.decryptByAny("page-draft", `mailed ${token}`, bytes);
  return new TextDecoder().decode(opened);
}

/** Path of the link as it is passed on: with the form's id, since an alias may become another form's. */
const pathOfLink = ({ team, formId }: PublishedPage, { token }: HeldLink): string =>
  `${pagePathOf({ team, form: formId })}/r/${token}`;

/** The link as it is passed on. It is no part of the site that has embedded the page. */
const urlOf = ({ config }: Deps, page: PublishedPage, link: HeldLink): string =>
  config.BASE_URL + addressIn({ ...page, isEmbedded: false }, pathOfLink(page, link));

/** Mails that are being sent. Beyond that a flood is refused. */
const maxSending = 50;
let sending = 0;

/** Mails a link, and stores nothing. @returns false: the address is none or had too many, or it failed */
async function mailLink(deps: Deps, page: PublishedPage, link: HeldLink, to: string): Promise<boolean> {
  const { config, log } = deps;
  if (!isMailOn(config) || !isEmail(to) || sending >= maxSending) return false;
  const { maxCopiesPerHour, maxCopiesPerDay } = limits.mail;
  const limitOfTeam = () => takeRateLimit(deps.sql, `mail:team:${page.team}`, config.MAIL_MAX_PER_DAY, dayMs);
  // A draft has as many mails as an address: its link sends no mails to a list of addresses.
  const isFree =
    (await takeAddress(deps, "resume-draft", link.token, maxCopiesPerHour, hourMs)) &&
    (await takeAddress(deps, `resume:${page.formId}`, to, maxCopiesPerHour, hourMs)) &&
    (await takeAddress(deps, "copy", to, maxCopiesPerDay, dayMs)) &&
    (await limitOfTeam()).allowed;
  if (!isFree) return false;
  const { host } = new URL(config.BASE_URL);
  sending++;
  try {
    const written = resumeMail(page.title, {
      link: urlOf(deps, page, link),
      host,
      lang: page.text.lang,
    });
    await sendMail(config, { id: uuidv7(), to, ...written });
    return true;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log.warn({ reason: error.message }, "the link of a draft was not mailed");
    return false;
  } finally {
    sending--;
  }
}

interface SavedView {
  link: HeldLink;
  draft: Draft;
  /** Address that the link was mailed to. Empty: it could not be. Absent: it was not asked for. */
  to: string | undefined;
}

/** Responds with the link, and until when it works. */
function respondWithSaved(
  deps: Deps,
  set: { headers: Record<string, unknown> },
  page: PublishedPage,
  { link, draft, to }: SavedView,
): string {
  const { text } = page;
  const { resume } = text;
  const [path, url] = [pathOfLink(page, link), urlOf(deps, page, link)];
  const lastDay = new Date(draft.expiresAt.getTime() - 1).toISOString().slice(0, 10);
  return respondWithFormPage(
    set,
    page,
    `${resume.heading} · ${page.title}`,
    <main id="main" class="sent" data-sent={page.formId}>
      <Logo settings={page.settings} />
      <p class="quiet form-title" dir="auto" {...pageMark(page, "title")}>
        {page.title}
      </p>
      <h1>{resume.heading}</h1>
      {to !== undefined && <p role="status">{to === "" ? resume.notMailed : resume.mailed(to)}</p>}
      <p>{resume.message(dayText(lastDay, text))}</p>
      <Input name="link" label={resume.link} value={url} readonly dir="ltr" />
      <p>
        {/* The script shows it. */}
        <button type="button" class="link" data-copy={url} data-copied={text.sent.copied} hidden>
          {text.sent.copy}
        </button>
      </p>
      <p>{resume.keep}</p>
      <p>{resume.shared}</p>
      {isMailOn(deps.config) && (
        <form method="post" action={addressIn(page, `${path}/send`)}>
          <Input
            name={addressName}
            label={resume.address}
            hint={resume.addressHint}
            type="email"
            autocomplete="email"
            dir="ltr"
            required
          />
          <button type="submit" class="secondary">
            {resume.mail}
          </button>
        </form>
      )}
      <p>
        <a class="button secondary" href={addressIn(page, path)}>
          {resume.continue}
        </a>
      </p>
    </main>,
  );
}
