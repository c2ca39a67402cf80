/** What is done to the questions of a draft. Each form post is one patch of the form. */
import { isRecord, parseField } from "../../../fields/definition.ts";
import { lint } from "../../../fields/lint.ts";
import { say } from "../../../messages.ts";
import { Problem } from "../../../problem.ts";
import { type FormView, fieldHref, findForm, patchForm, pathOfForm } from "../form/form.tsx";
import { issuesOf } from "../form/issues.ts";
import { resumeField } from "../frame/addresses.ts";
import type { Handlers } from "../frame/context.ts";
import { type FormPost, onGet, onPost, type Retry } from "../frame/handler.ts";
import type { Done } from "../frame/notices.ts";
import { TranslatedProblem } from "../frame/translated-problem.ts";
import { frameText } from "../frame/words.ts";
import { readableIn, withExpressions } from "./condition-form.ts";
import { editorPage } from "./editor.tsx";
import { type Definition, definitionValues, freeId, toField, toMembers } from "./field-form.ts";
import { fieldsOfRows } from "./field-rows.tsx";
import { typeLabel } from "./field-types.tsx";
import { questionsText } from "./words.ts";

const words = questionsText.editor;

const definitionsOf = (form: FormView): Definition[] => form.schema.fields.filter(isRecord);

/** @throws {Problem} `not_found`. */
function definitionOf(form: FormView, id: string | null | undefined): Definition {
  const found = definitionsOf(form).find((field) => field.id === id);
  if (!found) throw new Problem("not_found", say("question_missing"));
  return found;
}

const idsOf = (form: FormView) => new Set<unknown>(definitionsOf(form).map(({ id }) => id));

/** What people call a question. */
const nameOf = ({ label, id, type }: Definition): string =>
  (typeof label === "string" && label.trim()) || String(id || typeLabel(String(type)));

/** Where a new question goes: after another one, first, or last. */
const placeOf = (after: string | null | undefined) =>
  after == null ? {} : after === "" ? { index: 0 } : { afterFieldId: after };

/** The list, with the focus on a question. */
const listAt = (form: FormView, id: unknown, more: Record<string, string> = {}): string =>
  `${pathOfForm(form)}?${new URLSearchParams({ at: String(id), ...more })}`;

/** The list, with the next question open: of the same type, and behind the one that was added. */
const anotherAt = (form: FormView, { type, id }: Definition, after: string | null): string =>
  `${pathOfForm(form)}?${new URLSearchParams({
    type: String(type),
    ...(after === null ? { new: "" } : { after: String(id) }),
  })}`;

/** After a question is saved: the list, or the question again with what is wrong with it. */
function afterSave(form: FormView, fields: readonly unknown[], id: unknown, to: string): Done {
  const saved = fields.filter(isRecord).find((field) => field.id === id) ?? {};
  const isInvalid = lint({ fields }).some(({ field }) => field === id);
  return {
    to: isInvalid ? fieldHref(form, String(id)) : to,
    text: isInvalid ? questionsText.field.saved : questionsText.field.savedOf(nameOf(saved)),
  };
}

/** What a question may depend on, as it was sent. */
const readable = ({ values }: FormPost, form: FormView, definition: Definition) =>
  readableIn(form, parseField({ ...toField(values), id: definition.id }), values.get("after"));

/** The question as it was entered; what `formd.resume` asks for is shown, and nothing is done. */
const again = async (retry: Retry, isNew: boolean) => {
  const form = await findForm(retry);
  const { values } = retry;
  const id = values.get("id") ?? "";
  const isConflict = retry.problem?.code === "conflict";
  const resumed = values.get(resumeField);
  // "true" comes from a sign-in.
  const asksForMore = resumed !== null && resumed !== "true";
  const open = {
    ...(!isNew && { id }),
    after: values.get("after") ?? undefined,
    isWhole: !isNew || asksForMore || values.has("help"),
    values,
    message: asksForMore ? undefined : retry.message,
    current: isConflict && !isNew ? definitionsOf(form).find((field) => field.id === id) : undefined,
  };
  return editorPage({ form, open });
};

/** A form post on one question, which leads back to the list. */
const postOnField = (perform: (view: FormPost, form: FormView) => Promise<Done>) =>
  onPost({ retry: async (retry) => editorPage({ form: await findForm(retry) }) }, async (view) =>
    perform(view, await findForm(view)),
  );

/** Where a question moves to: the index of a control, or else the place that was entered. */
const indexIn = (values: URLSearchParams, name: string): number =>
  Number(values.get(name) ?? Number(values.get("place") || Number.NaN) - 1);

export const fieldActs = {
  page: onGet(async (view) => {
    const form = await findForm(view);
    const { edit, after, type = "text", at, arrow } = view.query;
    if (edit !== undefined) {
      const issues = issuesOf(form.schema).filter(({ field }) => field === edit);
      const values = definitionValues(definitionOf(form, edit));
      return editorPage({ form, open: { id: edit, isWhole: true, values, issues } });
    }
    if (view.query.several !== undefined) return editorPage({ form, several: true });
    if (after !== undefined || view.query.new !== undefined)
      return editorPage({ form, open: { after, isWhole: false, values: new URLSearchParams({ type }) } });
    return editorPage({ form, at: { id: at, arrow } });
  }),

  save: onPost({ retry: (retry) => again(retry, false) }, async (view) => {
    const form = await findForm(view);
    const definition = definitionOf(form, view.values.get("id"));
    const { id } = definition;
    const set = toMembers(withExpressions(view.values, readable(view, form, definition)), definition);
    await patchForm(view, form, { op: "updateField", fieldId: id, set });
    const fields = definitionsOf(form).map((field) => (field === definition ? { ...field, ...set } : field));
    return afterSave(form, fields, id, listAt(form, id));
  }),

  add: onPost({ retry: (retry) => again(retry, true) }, async (view) => {
    const form = await findForm(view);
    const own = toField(view.values, idsOf(form));
    const entered = withExpressions(view.values, readable(view, form, own));
    const field: Record<string, unknown> = { id: own.id, ...toMembers(entered) };
    const after = view.values.get("after");
    await patchForm(view, form, { op: "addField", field, ...placeOf(after) }, null);
    const to = view.values.has("another") ? anotherAt(form, field, after) : listAt(form, field.id);
    return afterSave(form, [...form.schema.fields, field], field.id, to);
  }),

  addSeveral: onPost(
    { retry: async (retry) => editorPage({ form: await findForm(retry), several: true }) },
    async (view) => {
      const form = await findForm(view);
      const fields = fieldsOfRows(form, view.values);
      if (fields.length === 0) throw new TranslatedProblem("bad_request", words.noRow);
      const operations = fields.map((field) => ({ op: "addField", field }));
      await patchForm(view, form, operations, null);
      const to = view.values.has("another") ? "?several" : "";
      return { to: pathOfForm(form) + to, text: words.added(fields.length) };
    },
  ),

  move: postOnField(async (view, form) => {
    const { values } = view;
    const id = values.get("id");
    const arrow = ["up", "down"].find((name) => values.has(name));
    const toIndex = indexIn(values, arrow ?? "toIndex");
    await patchForm(view, form, { op: "moveField", fieldId: id, toIndex });
    const definitions = definitionsOf(form);
    const from = definitions.findIndex((field) => field.id === id);
    const count = definitions.length;
    return {
      to: listAt(form, id, arrow ? { arrow } : {}),
      text: words.moved(nameOf(definitions[from] ?? {}), Math.min(toIndex, count - 1) + 1, count),
      undo: { action: `${pathOfForm(form)}/field/move`, fields: { id: String(id), toIndex: String(from) } },
    };
  }),

  remove: postOnField(async (view, form) => {
    const definition = definitionOf(form, view.values.get("id"));
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
  restore: postOnField(async (view, form) => {
    const field = parseDefinition(view.values.get("definition"));
    const index = Math.min(Number(view.values.get("index")), form.schema.fields.length);
    await patchForm(view, form, { op: "addField", field, index }, null);
    return { to: listAt(form, field.id), text: frameText.undone };
  }),

  copy: postOnField(async (view, form) => {
    const definition = definitionOf(form, view.values.get("id"));
    const id = freeId(String(definition.id), idsOf(form));
    const label = words.copyOf(nameOf(definition));
    const field = { ...definition, id, label };
    await patchForm(view, form, { op: "addField", field, afterFieldId: definition.id });
    return { to: fieldHref(form, id), text: words.copied(nameOf(definition)) };
  }),
} satisfies Handlers;

/** @throws {Problem} `bad_request`. */
function parseDefinition(json: string | null): Definition {
  try {
    const definition: unknown = JSON.parse(json ?? "");
    if (isRecord(definition)) return definition;
  } catch {}
  throw new Problem("bad_request", say("definition_no_object"));
}
