/** The texts of a form as a file for a spreadsheet, and the file that comes back. */
import { limits } from "../../../limits.ts";
import { fileHeadersOf } from "../../../resources/forms/file.ts";
import { applyPlan } from "../../../resources/forms/file-apply.ts";
import { planOfTranslations } from "../../../resources/forms/language-operations.ts";
import {
  type NotApplied,
  type ReadTranslations,
  readTranslations,
  writeTranslations,
} from "../../../resources/forms/translation-csv.ts";
import type { Translation } from "../../../resources/forms/translation-operations.ts";
import type { UnreadCsv } from "../../../resources/submissions/csv-table.ts";
import { Notice } from "../../ui/controls.tsx";
import { language, languageName, listSeparators } from "../../ui/language.ts";
import { formatCount } from "../../ui/text.tsx";
import { type FormView, findForm, formPage, pathOfForm } from "../form/form.tsx";
import type { Handlers } from "../frame/context.ts";
import { cutText } from "../frame/flash.ts";
import { FormProblem } from "../frame/form.tsx";
import { type FormPost, onPost, stream } from "../frame/handler.ts";
import { LinkLine, Section } from "../frame/parts.tsx";
import { csvForm, csvPost } from "./csv-section.tsx";
import { faultSentence, placeLabel } from "./rows.ts";
import { loadForTranslation, showTexts } from "./translate.tsx";
import { translationsText } from "./words.ts";

const words = translationsText.csv;

/** Reasons, and replaced texts, that a page lists, and bytes of a name and of a text in them. */
const maxListed = 200;
const maxNameBytes = 200;
const maxTextBytes = 500;

function unreadSentence(unread: UnreadCsv): string {
  if (unread.kind === "quotes") return words.unread.quotes(unread.row);
  if (unread.kind === "rows") return words.unread.rows(formatCount(limits.translations.maxRows));
  return words.unread[unread.kind];
}

function reasonSentence(reason: NotApplied): string {
  if (reason.kind === "invalid")
    return words.inRow(
      reason.row,
      `${languageName(reason.language)} · ${faultSentence(reason.text, reason.fault)}`,
    );
  const sentence = words.reasons[reason.kind](cutText(reason.name, maxNameBytes));
  return "row" in reason ? words.inRow(reason.row, sentence) : sentence;
}

/** A translation that had another text, which the form no longer has. */
function replacedSentence({ text, language, translation }: Translation): string {
  const [before, after] = [text.in(language) ?? "", translation].map((each) => cutText(each, maxTextBytes));
  return words.replacedText(`${placeLabel(text)} · ${languageName(language)}`, before ?? "", after ?? "");
}

const Listed = ({ title, sentences }: { title: string; sentences: string[] }) =>
  sentences.length === 0 ? null : (
    <Section title={title}>
      <ul>
        {sentences.slice(0, maxListed).map((sentence, index) => (
          <li key={index} dir="auto">
            {sentence}
          </li>
        ))}
        {sentences.length > maxListed && <li>{words.more(formatCount(sentences.length - maxListed))}</li>}
      </ul>
    </Section>
  );

const resultPage = (form: FormView, { changes, notApplied }: ReadTranslations) =>
  formPage(
    form,
    "translate",
    translationsText.title,
    <Section title={translationsText.title}>
      <Notice kind={changes.length > 0 ? "success" : "info"}>{words.result(changes.length)}</Notice>
      <Listed title={words.notApplied} sentences={notApplied.map(reasonSentence)} />
      <Listed
        title={words.replaced}
        sentences={changes
          .filter(({ text, language }) => text.in(language) !== undefined)
          .map(replacedSentence)}
      />
      <LinkLine href={pathOfForm(form, "translate")} label={words.back} />
    </Section>,
  );

const retry = (post: FormPost) => showTexts({ ...post, query: { to: post.values.get("to") ?? "" } });

export const translationFilePages = {
  download: stream(async (view, headers) => {
    const form = await findForm(view);
    Object.assign(headers, fileHeadersOf(form.name, ["text/csv; charset=utf-8; header=present", ".csv"]));
    return writeTranslations(form, listSeparators[language()]);
  }),
  read: onPost(
    { act: "form.patched", load: loadForTranslation, form: csvForm, retry, ...csvPost },
    async ({ deps, actor, found: form, data: { file } }) => {
      const read = readTranslations(form, file);
      if ("kind" in read) throw new FormProblem({ file: unreadSentence(read) });
      if (read.changes.length > 0)
        await applyPlan(deps.sql, actor, form, planOfTranslations(form, read.changes), form);
      return resultPage(form, read);
    },
  ),
} satisfies Handlers;
