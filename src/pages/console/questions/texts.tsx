/** Texts of the page around its questions, each edited where people read it. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import type { Closed } from "../../../platform/auth/submitter.ts";
import { Name } from "../../../platform/http/shapes.ts";
import { Paragraphs } from "../../form-page/page.tsx";
import type { PageText } from "../../form-page/text/types.ts";
import { useErrors } from "../../ui/controls.tsx";
import { type FormView, pathOfForm, Seen } from "../form/form.tsx";
import {
  type ConsoleForm,
  Controls,
  type FormControl,
  formOf,
  sent,
  shownValues,
  textInput,
} from "../frame/form.tsx";
import { PostForm, useRefused } from "../frame/layout.tsx";
import { Folded, FormActions } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";
import { questionsText } from "./words.ts";

const words = questionsText.texts;

const { maxTextLength, maxLabelLength, maxTitleLength } = limits.formPage;

type TextControl = FormControl<string | null>;

type Member = keyof typeof words.hints;

const textOf = (member: Member, atMost: number, rows?: number): TextControl =>
  textInput({
    ...{ label: words.labels[member], required: false, atMost, hint: words.hints[member] },
    ...(rows !== undefined && { rows, isVerbatim: true }),
  });

const longText = (member: Member) => ({ [member]: textOf(member, maxTextLength, 3) });

/** Controls of each part, by members of `settings.page`; `name` and `description` are those of the form. */
const parts = {
  title: () => ({
    name: textInput({ label: words.labels.name, required: true, shape: Name }) as TextControl,
    ...longText("introduction"),
    title: textOf("title", maxTitleLength),
    ...longText("description"),
  }),
  submitLabel: () => ({ submitLabel: textOf("submitLabel", maxLabelLength) }),
  thankYou: () => longText("thankYou"),
  closedText: () => longText("closedText"),
  fullText: () => longText("fullText"),
  offlineText: () => longText("offlineText"),
} satisfies Record<string, () => Record<string, TextControl>>;

export type TextPart = keyof typeof parts;
const isPart = (name: string): name is TextPart => Object.hasOwn(parts, name);
export const textPartIn = (name: string | null | undefined): TextPart | undefined =>
  name && isPart(name) ? name : undefined;

/** Members of the title that few forms have. */
const rare = ["title", "description"];

type Entered = Readonly<Record<string, string | null>>;

/** @throws {Problem} `bad_request` for a part that does not exist, when the form is read. */
export const textForm = (part: string | null): ConsoleForm<Entered> =>
  formOf<Entered>({
    part: sent(type.enumerated(...Object.keys(parts))) as TextControl,
    ...(part !== null && isPart(part) && parts[part]()),
  });

/** The values of a part in a draft. */
const valuesOf = ({ name, description, settings: { page = {} } }: FormView, part: TextPart): Entered => {
  const all: Record<string, unknown> = { ...page, name, description };
  return Object.fromEntries(
    Object.keys(parts[part]()).map((member) => [member, (all[member] as string) ?? null]),
  );
};

/** Returns the operation that gives a part its entered texts. */
export function textPatch({ part, name, description, ...page }: Entered): object {
  const own = part === "title" ? { name, description } : {};
  return { op: "setMeta", ...own, settings: { page } };
}

/** The fields of a post that undoes a change of a part. */
export const textsBefore = (form: FormView, part: TextPart): Record<string, string> => ({
  part,
  ...Object.fromEntries(shownValues(textForm(part), valuesOf(form, part))),
});

/** Controls that few forms need. They are open if one has a value or an error. */
const RareTexts = ({ of, names, before }: { of: ConsoleForm<Entered>; names: string[]; before: Entered }) => {
  const errors = useErrors();
  if (names.length === 0) return null;
  return (
    <Folded label={questionsText.field.more} isOpen={names.some((name) => before[name] || errors[name])}>
      <Controls of={of} names={names} />
    </Folded>
  );
};

const OpenText = ({ form, part }: { form: FormView; part: TextPart }) => {
  const of = textForm(part);
  const action = `${pathOfForm(form)}/text`;
  const before = valuesOf(form, part);
  const names = Object.keys(before);
  const few = names.filter((name) => part === "title" && rare.includes(name));
  return (
    <section class="open card-form" aria-label={words.parts[part]}>
      <PostForm action={action} fields={{ part }} class="stacked" initial={shownValues(of, before)}>
        <Seen form={form} refused={useRefused(action, { part })} />
        <Controls of={of} names={names.filter((name) => !few.includes(name))} />
        <RareTexts of={of} names={few} before={before} />
        <FormActions submit={frameText.save} cancel={pathOfForm(form)} />
      </PostForm>
    </section>
  );
};

/** A part as people read it. */
const ShownText = ({ form, part, text }: { form: FormView; part: TextPart; text: PageText }) => {
  const { name, description, settings } = form;
  const page = settings.page ?? {};
  if (part === "title")
    return (
      <>
        <h2 class="page-title" dir="auto">
          {page.title || name}
        </h2>
        <Paragraphs text={page.introduction ?? description ?? ""} />
      </>
    );
  if (part === "submitLabel") return <span class="button">{page.submitLabel || text.submit}</span>;
  if (part === "thankYou")
    return (
      <>
        <h3>{text.sent.heading}</h3>
        <Paragraphs text={page.thankYou || text.sent.message} />
      </>
    );
  if (part === "offlineText")
    return (
      <>
        <h3>{text.offline.heading}</h3>
        <Paragraphs text={page.offlineText || text.offline.message} />
      </>
    );
  const { availability } = settings;
  const reason = part === "closedText" ? "closed" : "full";
  const closesAt = availability?.closesAt;
  const closed = { reason, closesAt: closesAt ?? new Date().toISOString() } as Closed;
  const { heading, message } = text.closed(closed, availability?.timeZone);
  const isKnown = part !== "closedText" || closesAt !== undefined;
  return (
    <>
      <h3>{heading}</h3>
      <Paragraphs text={page[part] || (isKnown ? message : "")} />
    </>
  );
};

interface TextCardProps {
  form: FormView;
  part: TextPart;
  text: PageText;
  canEdit: boolean;
  /** True also for an archived form, which shows again what was refused. */
  mayEdit: boolean;
  open: TextPart | undefined;
  /** The part that the focus returns to. */
  at?: string | undefined;
}

export const TextCard = ({ form, part, text, canEdit, mayEdit, open, at }: TextCardProps) => (
  <div class="card" data-part={`text ${part}`}>
    {mayEdit && open === part ? (
      <OpenText form={form} part={part} />
    ) : (
      <>
        {canEdit && (
          <a
            class="edit"
            href={`${pathOfForm(form)}?${new URLSearchParams({ text: part })}`}
            autofocus={at === part}
          >
            <span class="unseen">{words.edit(words.parts[part])}</span>
          </a>
        )}
        <div class="shown" lang={text.lang}>
          <ShownText form={form} part={part} text={text} />
        </div>
      </>
    )}
  </div>
);
