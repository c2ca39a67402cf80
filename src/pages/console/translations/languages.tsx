/** The languages of a form: its texts' own first, and those that its texts are translated into. */
import { type } from "arktype";
import { canonicalTag, directionOf, ownNameOf } from "../../../fields/languages.ts";
import { limits } from "../../../limits.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { applyPlan } from "../../../resources/forms/file-apply.ts";
import { type Share, sharesOf } from "../../../resources/forms/form-texts.ts";
import { undeclaredLanguages } from "../../../resources/forms/language-checks.ts";
import {
  type LanguageChange,
  languagesOfDraft,
  planOfLanguages,
} from "../../../resources/forms/language-operations.ts";
import { Input, Select, Submit } from "../../ui/controls.tsx";
import { language, languageName } from "../../ui/language.ts";
import { formatCount } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm, Seen, translateHref } from "../form/form.tsx";
import { formText } from "../form/words.ts";
import type { Handlers } from "../frame/context.ts";
import { type FormControl, formOf, sent, Wrong } from "../frame/form.tsx";
import { onGet, onPost, type PageContext } from "../frame/handler.ts";
import { ActionButton, PostForm, requireMay, useRefused } from "../frame/layout.tsx";
import { Confirm, Section } from "../frame/parts.tsx";
import { translationsText } from "./words.ts";

const words = translationsText.languages;
const { maxLanguages } = limits.form;

/** Languages that can be chosen by name. Any other one is entered by its tag. */
const common =
  "ar bg bs cs da de el en es et fa fi fr hr hu it he hi id ja ko lt lv nb nl pl ps pt pt-BR ro ru sk sl so sq sr sv th ti tr uk ur vi zh-Hans zh-Hant".split(
    " ",
  );

/** A chosen language, or an entered tag, which outranks it. */
const languageControl: FormControl<string> = {
  draw: (name) => (
    <div class="inline">
      <Select
        name={name}
        label={words.choose}
        none={formText.fieldInput.choose}
        choices={common
          .map((value) => ({ value, label: languageName(value) }))
          .toSorted((a, b) => a.label.localeCompare(b.label, language()))}
      />
      <Input name={`${name}.tag`} label={words.tag} hint={words.tagHint} required={false} />
    </div>
  ),
  read: (values, name) => {
    const entered = values.get(`${name}.tag`)?.trim();
    const at = entered ? `${name}.tag` : name;
    const text = entered || values.get(name) || "";
    if (text === "") return new Wrong(words.missing);
    // A language that the form has is named as it is stored, also one that publishing refuses.
    if (values.get("change") !== "add") return text;
    return canonicalTag(text) ?? new Wrong(words.unknown(text.slice(0, 40)), at);
  },
};

const changes = ["add", "remove", "first", "deleteTexts"] as const satisfies LanguageChange[];

const languagesForm = (form: FormView) =>
  formOf(
    {
      ...{ language: languageControl, change: sent(type.enumerated(...changes)) },
      index: sent(type("string.integer.parse | undefined")),
    },
    {
      check: ({ language: tag, change }) => {
        const present = languagesOfDraft(form.settings).map((each) => canonicalTag(each) ?? each);
        if (change !== "add") return {};
        if (present.length >= maxLanguages) return { language: words.full(maxLanguages) };
        return present.includes(tag) ? { language: words.present(languageName(tag)) } : {};
      },
    },
  );

const fieldsOf = (form: FormView, change: LanguageChange, tag: string) => ({
  change,
  "language.tag": tag,
  updatedAt: form.updatedAt.toISOString(),
});

interface EntryProps {
  form: FormView;
  tag: string;
}

/** A button's label, which names the language for people who do not see the row. */
const named = (label: string, tag: string) => ({ label, accessibleLabel: `${label}: ${languageName(tag)}` });

const Name = ({ tag }: Pick<EntryProps, "tag">) => (
  <>
    <strong>{languageName(tag)}</strong>{" "}
    {ownNameOf(tag) !== languageName(tag) && (
      <span class="quiet" lang={tag} dir={directionOf(tag)}>
        {ownNameOf(tag)}
      </span>
    )}
  </>
);

const Language = ({ form, tag, share }: EntryProps & { share: Share | undefined }) => {
  const action = pathOfForm(form, "languages");
  const missing = share && share.total - share.translated;
  const of = (change: LanguageChange) => ({ action, fields: fieldsOf(form, change, tag) });
  return (
    <li>
      <div>
        <Name tag={tag} />
        <small>
          {share ? (
            <a href={translateHref(form, tag)}>
              {words.share(formatCount(share.translated), formatCount(share.total))}
            </a>
          ) : (
            words.first
          )}
        </small>
      </div>
      {share && (
        <>
          <Confirm
            {...named(words.makeFirst, tag)}
            {...{ ...of("first"), confirm: words.makeFirst, isHarmless: true }}
            hint={missing ? words.makeFirstMissing(missing, languageName(tag)) : words.makeFirstHint}
          />
          <Confirm
            {...named(words.remove, tag)}
            {...{ ...of("remove"), confirm: words.remove, isHarmless: true, hint: words.removeHint }}
          />
        </>
      )}
    </li>
  );
};

/** Texts in languages that the form does not have. */
const KeptTexts = ({ form }: { form: FormView }) => {
  const kept = undeclaredLanguages(form).map((each) => each.language);
  const action = pathOfForm(form, "languages");
  if (kept.length === 0) return null;
  return (
    <Section title={words.kept} hint={words.keptHint}>
      <ul class="rows">
        {kept.map((tag) => (
          <li key={tag}>
            <div>
              <Name tag={tag} />
            </div>
            {canonicalTag(tag) === tag && (
              <ActionButton
                {...{ action, label: words.add, class: "quiet small", fields: fieldsOf(form, "add", tag) }}
                aria-label={named(words.add, tag).accessibleLabel}
              />
            )}
            <Confirm
              action={action}
              {...named(words.deleteTexts, tag)}
              confirm={words.deleteConfirm}
              fields={fieldsOf(form, "deleteTexts", tag)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Languages = ({ form }: { form: FormView }) => {
  const languages = languagesOfDraft(form.settings);
  const action = pathOfForm(form, "languages");
  const fields = { change: "add" };
  const refused = useRefused(action, fields);
  const shares = new Map(sharesOf(form).map((share) => [share.language, share]));
  return (
    <>
      <p class="quiet">{words.hint}</p>
      <ul class="rows">
        {languages.map((tag, index) => (
          <Language key={tag} {...{ form, tag, share: index > 0 ? shares.get(tag) : undefined }} />
        ))}
      </ul>
      {languages.length < maxLanguages ? (
        <PostForm action={action} form={languagesForm(form)} fields={fields} class="stacked">
          <Seen form={form} refused={refused} />
          <Submit label={words.add} />
        </PostForm>
      ) : (
        <p>{words.full(maxLanguages)}</p>
      )}
      <KeptTexts form={form} />
    </>
  );
};

const languagesPage = async (view: PageContext) => {
  const form = await findForm(view);
  requireMay(view.session, "form.patched", form.workspaceId);
  return formPage(form, "languages", formText.form.languages, <Languages form={form} />);
};

/** True if the form has what a change is about, as the page shows it. */
function isPossible(form: FormView, change: LanguageChange, tag: string): boolean {
  if (change === "add") return true;
  if (change === "deleteTexts") return undeclaredLanguages(form).some(({ language }) => language === tag);
  const [, ...others] = languagesOfDraft(form.settings);
  return others.includes(tag);
}

/** The change that undoes another one. Deleted texts do not come back. */
const undoneBy = { add: "remove", remove: "add", first: "first", deleteTexts: undefined } as const;

/** Fields of the post that undoes a change. @param after the form with the change */
function undoFields(before: FormView["settings"], after: FormView, change: LanguageChange, tag: string) {
  const undo = undoneBy[change];
  const languages = languagesOfDraft(before);
  return (
    undo && {
      ...fieldsOf(after, undo, change === "first" ? (languages[0] ?? "") : tag),
      ...(change === "remove" && { index: String(languages.indexOf(tag)) }),
    }
  );
}

export const languagesPages = {
  page: onGet(languagesPage),
  change: onPost(
    {
      ...{ act: "form.patched", load: findForm, retry: languagesPage },
      form: ({ found }) => languagesForm(found),
    },
    async ({ deps, actor, values, found: form, data }) => {
      const { change, language: tag, index } = data;
      const isSeen = values.get("updatedAt") === form.updatedAt.toISOString();
      if (!isSeen || !isPossible(form, change, tag)) throw new Problem("conflict", say("form_changed"));
      const plan = planOfLanguages(form, change, tag, index);
      const after = { ...form, ...(await applyPlan(deps.sql, actor, form, plan, form)) };
      const to = pathOfForm(form, "languages");
      const fields = undoFields(form.settings, after, change, tag);
      return { to, text: words.done[change](languageName(tag)), undo: fields && { action: to, fields } };
    },
  ),
} satisfies Handlers;
