/** Pages of the questions of a draft. Each form post is one patch of the form. */
import { type } from "arktype";
import { isRecord } from "../../../fields/definition.ts";
import { lint } from "../../../fields/lint.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { withOwnTranslations } from "../../../resources/forms/language-operations.ts";
import { type FormView, findForm, patchForm, pathOfForm } from "../form/form.tsx";
import { typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { cutText, type FlashRedirect, type Undo } from "../frame/flash.ts";
import { formOf, sent, Wrong } from "../frame/form.tsx";
import { type FormPost, onGet, onPost } from "../frame/handler.ts";
import { frameText } from "../frame/words.ts";
import { editorPage } from "./editor.tsx";
import { withGuess } from "./guess.ts";
import { limitErrors } from "./limit-errors.ts";
import { questionFormOf } from "./question.tsx";
import {
  type Definition,
  definitionsOf,
  freeId,
  idsOf,
  restoring,
  seenAt,
  toMembers,
} from "./question-form.tsx";
import { severalForm } from "./several.tsx";
import { textForm, textPartIn, textPatch, textsBefore } from "./texts.tsx";
import { isStatementType } from "./types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor;

const removedMeanwhile = () => new Problem("not_found", say("question_missing"));

/** @throws {Problem} `not_found`. */
function definitionOf(form: FormView, id: string | null | undefined): Definition {
  const found = definitionsOf(form).find((field) => field.id === id);
  if (!found) throw removedMeanwhile();
  return found;
}

/** Maximum number of bytes of a name in a flash message. */
const maxNameBytes = 300;

const wholeNameOf = ({ label, id, type }: Definition): string =>
  (typeof label === "string" && label.trim()) || String(id || typeLabel(String(type)));

const nameOf = (definition: Definition): string => cutText(wholeNameOf(definition), maxNameBytes);

/** The place of a new question: after another one, first, or last. */
const placeOf = (after: string | null) =>
  after === null ? {} : after === "" ? { index: 0 } : { afterFieldId: after };

/** The page, with the focus on a question or a text. */
const pageAt = (form: FormView, at: unknown, more: Record<string, string> = {}): string =>
  `${pathOfForm(form)}?${new URLSearchParams({ at: String(at), ...more })}`;

type QuestionPost = FormPost<unknown, FormView>;

/**
 * Time of a save, up to which the script of the page takes what it keeps open as seen. Absent where another
 * change came first, which does not refuse a question that is added.
 */
const savedIn = ({ found: form, values }: QuestionPost, at: Date) =>
  values.get("updatedAt") === form.updatedAt.toISOString() ? { saved: at.toISOString() } : {};

interface Saved {
  fields: readonly unknown[];
  id: unknown;
  at: Date;
  undo: Undo;
}

/**
 * Leads, after a question is saved, to the page, or back to the question if it has errors, or to a new
 * question after it.
 */
function afterSave(post: QuestionPost, { fields, id, at, undo }: Saved): FlashRedirect {
  const { found: form, values } = post;
  const field = fields.filter(isRecord).find((each) => each.id === id) ?? {};
  const isInvalid = lint({ fields }).some((issue) => issue.field === id);
  const saved = savedIn(post, at);
  const open = isInvalid ? { edit: String(id) } : values.has("another") ? { after: String(id) } : undefined;
  return {
    to: open ? `${pathOfForm(form)}?${new URLSearchParams({ ...open, ...saved })}` : pageAt(form, id, saved),
    text: isInvalid ? frameText.saved : questionsText.field.savedOf(nameOf(field)),
    undo,
  };
}

/** The post that removes added questions. */
const removing = (form: FormView, ids: readonly unknown[], at: Date): Undo => ({
  action: `${pathOfForm(form)}/field/remove`,
  fields: { ids: JSON.stringify(ids), ...seenAt(at) },
});

/** The place of a new question, which is the last one if the question before it was removed meanwhile. */
const afterIn = (form: FormView, after: string | null | undefined): string | undefined =>
  after === "" || idsOf(form).has(after) ? (after ?? undefined) : undefined;

/**
 * Shows the question as it was entered, and what `formd.resume` asks for. Nothing is saved. A question that
 * was removed meanwhile is open as a new one.
 */
const again = (isNew: boolean) => async (post: FormPost) => {
  const { values } = post;
  const form = await findForm(post);
  const id = values.get("id") ?? "";
  if (isNew && values.has("type")) withGuess(values);
  // "true" comes from a sign-in.
  const asksForMore = !["true", null].includes(values.get(resumeField));
  const open = {
    ...(!isNew && idsOf(form).has(id) && { id }),
    after: afterIn(form, values.get("after")),
    isWhole: !isNew || asksForMore || values.has("help") || isStatementType(values.get("type") ?? ""),
  };
  return editorPage({ form, open });
};

/** Shows the list, with the reason why nothing was done. */
const retry = async (post: FormPost) => editorPage({ form: await findForm(post) });

/** The form, which refuses limits that no question can have. */
const within = (
  { deps }: QuestionPost,
  form: ReturnType<typeof questionFormOf>,
  before: Definition = {},
) => ({
  ...form,
  check: (data: Definition) => limitErrors(data, before, deps.config.FILES_MAX_BYTES),
});

const formOfNew = (post: QuestionPost) => within(post, questionFormOf(post.found, withGuess(post.values)));

const formOfStored = (post: QuestionPost) => {
  const { found, values } = post;
  const definition = definitionOf(found, values.get("id"));
  return within(post, questionFormOf(found, values, definition), definition);
};

const idForm = formOf({ id: sent(type.string) });
const idsForm = formOf({
  ids: sent(type("string.json.parse").to("string[] <= 50").or("undefined")),
  id: sent(type("string | undefined")),
});

const arrows = ["up", "down"] as const;
/** The value of an arrow: the index that it leads to, and the id of the question. */
const arrowIn = (values: URLSearchParams): [index: string, id: string] | undefined => {
  const value = arrows.map((name) => values.get(name)).find((each) => each != null);
  const [, index, id] = /^(\d+) (.*)$/s.exec(value ?? "") ?? [];
  return index !== undefined && id !== undefined ? [index, id] : undefined;
};

const moveForm = formOf({
  id: { read: (values) => arrowIn(values)?.[1] ?? values.get("id") ?? "" },
  arrow: { read: (values) => arrows.find((name) => values.has(name)) },
  /** Index of a control, or the position that was entered. */
  place: {
    read: (values) => {
      const index = arrowIn(values)?.[0] ?? values.get("toIndex");
      const toIndex = Number(index ?? Number(values.get("place") || Number.NaN) - 1);
      return Number.isInteger(toIndex) && toIndex >= 0 ? toIndex : new Wrong(words.wrongPlace);
    },
  },
});

/**
 * Shows the list, or the question at which a position was entered. After a sign-in that is the one that was
 * moved, with its position.
 */
const retryMove = async (post: FormPost) => {
  const { values } = post;
  const [index = values.get("toIndex"), id = values.get("id") ?? ""] = arrowIn(values) ?? [];
  if (values.has(resumeField) && index !== null) {
    values.set("id", id);
    values.set("place", String(Number(index) + 1));
  }
  const form = await findForm(post);
  return editorPage({ form, open: values.has("place") ? { id, isWhole: true } : undefined });
};

const textFormOf = ({ values }: Pick<FormPost, "values">) => textForm(values.get("part"));

const restoreForm = formOf({
  definition: sent(type("string.json.parse").to({ "id?": "unknown" })),
  index: sent(type("string.integer.parse")),
});

/** The members that give a question another definition; the id stays. */
const changeTo = ({ id: _, ...members }: Definition, { id, ...present }: Definition): Definition => ({
  ...Object.fromEntries(Object.keys(present).map((name) => [name, null])),
  ...members,
});

/** The place on the page, and the language if the form has it beside its first one, by an address. */
const shownIn = (
  { settings }: FormView,
  { at: id, arrow, lang }: Readonly<Record<string, string | undefined>>,
) => ({
  at: { id, arrow },
  language: settings.languages?.slice(1).find((tag) => tag === lang),
});

export const questionPages = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    const { edit, after, type = "", several, text } = view.query;
    if (edit !== undefined)
      return idsOf(form).has(edit)
        ? editorPage({ form, open: { id: edit, isWhole: true } })
        : { ...editorPage({ form, reason: frameText.errors.sentence(removedMeanwhile()) }), status: 404 };
    if (several !== undefined) return editorPage({ form, several: true });
    if (after !== undefined || view.query.new !== undefined)
      return editorPage({
        form,
        open: { after: afterIn(form, after), type, isWhole: isStatementType(type) },
      });
    return editorPage({ form, openText: textPartIn(text), ...shownIn(form, view.query) });
  }),

  saveText: onPost(
    {
      act: "form.patched",
      load: findForm,
      form: textFormOf,
      retry: async (post) =>
        editorPage({ form: await findForm(post), openText: textPartIn(post.values.get("part")) }),
    },
    async (view) => {
      const { found: form, data } = view;
      const part = textPartIn(data.part) ?? "title";
      const at = await patchForm(view, form, textPatch(data));
      return {
        to: pageAt(form, part, { saved: at.toISOString() }),
        text: frameText.saved,
        undo: { action: `${pathOfForm(form)}/text`, fields: { ...textsBefore(form, part), ...seenAt(at) } },
      };
    },
  ),

  save: onPost(
    { act: "form.patched", load: findForm, form: formOfStored, retry: again(false) },
    async (view) => {
      const { found: form } = view;
      const definition = definitionOf(form, view.values.get("id"));
      const { id } = definition;
      const set = toMembers(view.data, definition);
      const at = await patchForm(view, form, { op: "updateField", fieldId: id, set });
      const fields = definitionsOf(form).map((field) =>
        field === definition ? { ...field, ...set } : field,
      );
      return afterSave(view, { fields, id, at, undo: restoring(form, definition, at) });
    },
  ),

  add: onPost({ act: "form.patched", load: findForm, form: formOfNew, retry: again(true) }, async (view) => {
    const { found: form } = view;
    const field = toMembers(view.data);
    const operation = { op: "addField", field, ...placeOf(view.values.get("after")) };
    const at = await patchForm(view, form, operation, null);
    const { id } = field;
    return afterSave(view, {
      fields: [...form.schema.fields, field],
      id,
      at,
      undo: removing(form, [id], at),
    });
  }),

  addSeveral: onPost(
    {
      act: "form.patched",
      load: findForm,
      form: ({ found }) => severalForm(found),
      retry: async (post) => editorPage({ form: await findForm(post), several: true }),
    },
    async (view) => {
      const { found: form } = view;
      const { rows } = view.data;
      const operations = rows.map((field) => ({ op: "addField", field }));
      const at = await patchForm(view, form, operations, null);
      const to = view.values.has("another") ? "?several" : "";
      const undo = removing(
        form,
        rows.map(({ id }) => id),
        at,
      );
      return { to: pathOfForm(form) + to, text: words.added(rows.length), undo };
    },
  ),

  move: onPost({ act: "form.patched", load: findForm, form: moveForm, retry: retryMove }, async (view) => {
    const { found: form } = view;
    const { id, arrow, place: toIndex } = view.data;
    const moved = definitionOf(form, id);
    const from = definitionsOf(form).indexOf(moved);
    const count = definitionsOf(form).length;
    const at = await patchForm(view, form, { op: "moveField", fieldId: id, toIndex });
    return {
      to: pageAt(form, id, { ...(arrow && { arrow }), ...savedIn(view, at) }),
      text: words.moved(nameOf(moved), Math.min(toIndex, count - 1) + 1, count),
      undo: { action: `${pathOfForm(form)}/field/move`, fields: { id, toIndex: String(from) } },
    };
  }),

  /** Removes a question, or those that were added. */
  remove: onPost({ act: "form.patched", load: findForm, form: idsForm, retry }, async (view) => {
    const { found: form } = view;
    const { id, ids = [id] } = view.data;
    const definitions = ids.map((each) => definitionOf(form, each));
    const operations = definitions.map((each) => ({ op: "removeField", fieldId: each.id }));
    await patchForm(view, form, operations);
    const [first] = definitions;
    if (!first || definitions.length > 1) return { to: pathOfForm(form), text: frameText.undone };
    return {
      to: `${pathOfForm(form)}#fields`,
      text: words.removed(nameOf(first)),
      undo: restoring(form, first),
    };
  }),

  /** Undoes a removal, or a change. */
  restore: onPost({ act: "form.patched", load: findForm, form: restoreForm, retry }, async (view) => {
    const { found: form } = view;
    const { definition: field, index } = view.data;
    const present = definitionsOf(form).find(({ id }) => id === field.id);
    const place = Math.min(index, form.schema.fields.length);
    const operation = present
      ? { op: "updateField", fieldId: field.id, set: changeTo(field, present) }
      : { op: "addField", field, index: place };
    await patchForm(view, form, operation);
    return { to: pageAt(form, field.id), text: frameText.undone };
  }),

  copy: onPost({ act: "form.patched", load: findForm, form: idForm, retry }, async (view) => {
    const { found: form } = view;
    const definition = definitionOf(form, view.data.id);
    const id = freeId(String(definition.id), idsOf(form));
    const label = formText.copyOf(wholeNameOf(definition));
    // The label is another text, which has no translation.
    const field = { ...withOwnTranslations(definition, { ...definition, id, label: "" }), label };
    const at = await patchForm(view, form, { op: "addField", field, afterFieldId: definition.id });
    return {
      to: `${pathOfForm(form)}?${new URLSearchParams({ edit: id, ...savedIn(view, at) })}`,
      text: words.copied(nameOf(definition)),
      undo: removing(form, [id], at),
    };
  }),
} satisfies Handlers;
