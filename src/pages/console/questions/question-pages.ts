/** Pages of the questions of a draft. Each form post is one patch of the form. */
import { type } from "arktype";
import { isRecord } from "../../../fields/definition.ts";
import { lint } from "../../../fields/lint.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { type FormView, fieldHref, findForm, patchForm, pathOfForm } from "../form/form.tsx";
import { typeLabel } from "../form/issues.ts";
import { formText } from "../form/words.ts";
import { resumeField } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import type { FlashRedirect } from "../frame/flash.ts";
import { formOf, sent, Wrong } from "../frame/form.tsx";
import { type FormPost, onGet, onPost } from "../frame/handler.ts";
import { frameText } from "../frame/words.ts";
import { editorPage } from "./editor.tsx";
import { questionFormOf } from "./question.tsx";
import { type Definition, definitionsOf, freeId, idsOf, toMembers } from "./question-form.tsx";
import { severalForm } from "./several.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor;

/** @throws {Problem} `not_found`. */
function definitionOf(form: FormView, id: string | null | undefined): Definition {
  const found = definitionsOf(form).find((field) => field.id === id);
  if (!found) throw new Problem("not_found", say("question_missing"));
  return found;
}

const nameOf = ({ label, id, type }: Definition): string =>
  (typeof label === "string" && label.trim()) || String(id || typeLabel(String(type)));

/** The place of a new question: after another one, first, or last. */
const placeOf = (after: string | null) =>
  after === null ? {} : after === "" ? { index: 0 } : { afterFieldId: after };

/** The list, with the focus on a question. */
const listAt = (form: FormView, id: unknown, more: Record<string, string> = {}): string =>
  `${pathOfForm(form)}?${new URLSearchParams({ at: String(id), ...more })}`;

/** Returns the address of the list, with the next question open: of the same type, after the added one. */
const anotherAt = (form: FormView, { type, id }: Definition, after: string | null): string =>
  `${pathOfForm(form)}?${new URLSearchParams({
    type: String(type),
    ...(after === null ? { new: "" } : { after: String(id) }),
  })}`;

/** Leads, after a question is saved, to the list, or back to the question if it has errors. */
function afterSave(form: FormView, fields: readonly unknown[], id: unknown, to: string): FlashRedirect {
  const saved = fields.filter(isRecord).find((field) => field.id === id) ?? {};
  const isInvalid = lint({ fields }).some(({ field }) => field === id);
  return {
    to: isInvalid ? fieldHref(form, String(id)) : to,
    text: isInvalid ? frameText.saved : questionsText.field.savedOf(nameOf(saved)),
  };
}

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
  // "true" comes from a sign-in.
  const asksForMore = !["true", null].includes(values.get(resumeField));
  const open = {
    ...(!isNew && idsOf(form).has(id) && { id }),
    after: afterIn(form, values.get("after")),
    isWhole: !isNew || asksForMore || values.has("help"),
  };
  return editorPage({ form, open });
};

/** Shows the list, with the reason why nothing was done. */
const retry = async (post: FormPost) => editorPage({ form: await findForm(post) });

type QuestionPost = FormPost<unknown, FormView>;

const formOfNew = ({ found, values }: QuestionPost) => questionFormOf(found, values);

const formOfStored = ({ found, values }: QuestionPost) =>
  questionFormOf(found, values, definitionOf(found, values.get("id")));

const idForm = formOf({ id: sent(type.string) });

const moveForm = formOf({
  id: sent(type.string),
  arrow: { read: (values) => ["up", "down"].find((name) => values.has(name)) },
  /** Index of a control, or the position that was entered. */
  place: {
    read: (values) => {
      const index = ["up", "down", "toIndex"].map((name) => values.get(name)).find((each) => each !== null);
      const toIndex = Number(index ?? Number(values.get("place") || Number.NaN) - 1);
      return Number.isInteger(toIndex) && toIndex >= 0 ? toIndex : new Wrong(words.wrongPlace);
    },
  },
});

/** Shows the list, or the question at which a position was entered. */
const retryMove = async (post: FormPost) => {
  const id = post.values.has("place") ? post.values.get("id") : null;
  return editorPage({ form: await findForm(post), open: id === null ? undefined : { id, isWhole: true } });
};

const restoreForm = formOf({
  definition: sent(type("string.json.parse").to({ "id?": "unknown" })),
  index: sent(type("string.integer.parse")),
});

export const questionPages = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    const { edit, after, type = "text", at, arrow, several } = view.query;
    if (edit !== undefined) {
      definitionOf(form, edit);
      return editorPage({ form, open: { id: edit, isWhole: true } });
    }
    if (several !== undefined) return editorPage({ form, several: true });
    if (after !== undefined || view.query.new !== undefined)
      return editorPage({ form, open: { after: afterIn(form, after), type, isWhole: false } });
    return editorPage({ form, at: { id: at, arrow } });
  }),

  save: onPost(
    { act: "form.patched", load: findForm, form: formOfStored, retry: again(false) },
    async (view) => {
      const { found: form } = view;
      const definition = definitionOf(form, view.values.get("id"));
      const { id } = definition;
      const set = toMembers(view.data, definition);
      await patchForm(view, form, { op: "updateField", fieldId: id, set });
      const fields = definitionsOf(form).map((field) =>
        field === definition ? { ...field, ...set } : field,
      );
      return afterSave(form, fields, id, listAt(form, id));
    },
  ),

  add: onPost({ act: "form.patched", load: findForm, form: formOfNew, retry: again(true) }, async (view) => {
    const { found: form } = view;
    const field = toMembers(view.data);
    const after = view.values.get("after");
    await patchForm(view, form, { op: "addField", field, ...placeOf(after) }, null);
    const to = view.values.has("another") ? anotherAt(form, field, after) : listAt(form, field.id);
    return afterSave(form, [...form.schema.fields, field], field.id, to);
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
      await patchForm(view, form, operations, null);
      const to = view.values.has("another") ? "?several" : "";
      return { to: pathOfForm(form) + to, text: words.added(rows.length) };
    },
  ),

  move: onPost({ act: "form.patched", load: findForm, form: moveForm, retry: retryMove }, async (view) => {
    const { found: form } = view;
    const { id, arrow, place: toIndex } = view.data;
    await patchForm(view, form, { op: "moveField", fieldId: id, toIndex });
    const definitions = definitionsOf(form);
    const from = definitions.findIndex((field) => field.id === id);
    const count = definitions.length;
    return {
      to: listAt(form, id, arrow ? { arrow } : {}),
      text: words.moved(nameOf(definitions[from] ?? {}), Math.min(toIndex, count - 1) + 1, count),
      undo: { action: `${pathOfForm(form)}/field/move`, fields: { id, toIndex: String(from) } },
    };
  }),

  remove: onPost({ act: "form.patched", load: findForm, form: idForm, retry }, async (view) => {
    const { found: form } = view;
    const definition = definitionOf(form, view.data.id);
    await patchForm(view, form, { op: "removeField", fieldId: definition.id });
    const index = definitionsOf(form).indexOf(definition);
    const fields = { definition: JSON.stringify(definition), index: String(index) };
    return {
      to: `${pathOfForm(form)}#fields-heading`,
      text: words.removed(nameOf(definition)),
      undo: { action: `${pathOfForm(form)}/field/restore`, fields },
    };
  }),

  /** Undoes a removal. */
  restore: onPost({ act: "form.patched", load: findForm, form: restoreForm, retry }, async (view) => {
    const { found: form } = view;
    const { definition: field, index } = view.data;
    const place = Math.min(index, form.schema.fields.length);
    await patchForm(view, form, { op: "addField", field, index: place }, null);
    return { to: listAt(form, field.id), text: frameText.undone };
  }),

  copy: onPost({ act: "form.patched", load: findForm, form: idForm, retry }, async (view) => {
    const { found: form } = view;
    const definition = definitionOf(form, view.data.id);
    const id = freeId(String(definition.id), idsOf(form));
    const label = formText.copyOf(nameOf(definition));
    const field = { ...definition, id, label };
    await patchForm(view, form, { op: "addField", field, afterFieldId: definition.id });
    return { to: fieldHref(form, id), text: words.copied(nameOf(definition)) };
  }),
} satisfies Handlers;
