/**
 * JSON Schema as a form, also with the uiSchema of react-jsonschema-form. Members of an object, and those of
 * branches of its conditions, are one list of questions. Paths in the report are JSON pointers into the data.
 */
import type { Literal } from "../../../fields/conditions/expression.ts";
import { isRecord, ownIn } from "../../../fields/values.ts";
import { beginDraft, type Imported, type ImportSource, type Origin } from "./draft.ts";
import { addWay, conditionOf, fits, type Gate, type Place, type Ways } from "./json-schema-conditions.ts";
import {
  constraints,
  exclusives,
  kindOf,
  kinds,
  readOfItems,
  readOfObjects,
  readOfQuestions,
  readOfUi,
  sameWidgets,
  textKinds,
} from "./json-schema-kinds.ts";
import { type Flat, fixedValues, isNothing, readerOf, typesOf } from "./json-schema-reader.ts";
import { any, compares, literal, not } from "./logic.ts";
import { isSet, itemsOf, type Node, nodeOf, textOf } from "./read.ts";
import { quote, shortenText, textWithoutMarkup } from "./text.ts";

/** Fields without a value that formd writes into a schema. */
const parts = ["statement", "heading", "page_break"] as const;

const readOfDocument: ReadonlySet<string> = new Set(["schema", "uiSchema"]);

/** Characters of a name in a path. */
const maxNameLength = 100;

/** The members `ui:…` of a uiSchema, also those in its `ui:options`. */
const uiOf = (value: unknown): Record<string, unknown> => {
  const options = Object.entries(nodeOf(ownIn(value, "ui:options")));
  const own = Object.entries(nodeOf(value)).filter(([name]) => name.startsWith("ui:"));
  return Object.fromEntries([...options.map(([name, member]) => [`ui:${name}`, member]), ...own]);
};

const inOrder = <Item>(members: ReadonlyMap<string, Item>, names: readonly unknown[]): [string, Item][] => {
  const ranks = new Map(names.map((name, rank) => [name, rank]));
  const rankOf = (name: string) => ranks.get(name) ?? ranks.get("*") ?? names.length;
  return [...members].toSorted(([a], [b]) => rankOf(a) - rankOf(b));
};

const isSchema = (value: unknown): boolean =>
  isRecord(value) &&
  (isRecord(value.properties) || String(value.$schema).includes("json-schema.org") || isRecord(value.$defs));

const schemaIn = (document: Node): Node => (isSchema(document) ? document : nodeOf(document.schema));

function convert(document: Node): Imported {
  const root = schemaIn(document);
  const draft = beginDraft("jsonschema");
  const { flatten, isObject, choicesOf } = readerOf(root);
  const [shown, needed]: [Ways, Ways] = [new Map(), new Map()];

  const describe = ({ keywords }: Flat, ui: Node): string =>
    [ui["ui:description"] ?? keywords.get("description"), ui["ui:help"]]
      .map(textWithoutMarkup)
      .filter(Boolean)
      .join("\n");

  /** Adds a member of an object: a question, or an object with its own. */
  function ask(place: Place, name: string, schemas: readonly unknown[], before: Flat["chain"]) {
    const flat = flatten(schemas, before);
    const items = flatten([flat.keywords.get("items")], flat.chain);
    const ui = ownIn(place.ui, name);
    const own = uiOf(ui);
    // Long names may begin alike.
    const short = shortenText(name, maxNameLength) + (name.length > maxNameLength ? place.members.size : "");
    const path = `${place.path}/${short.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const label = textOf(own["ui:title"]) ?? textOf(flat.keywords.get("title")) ?? name;
    const origin = { path, key: place.prefix + short, label };
    const hint = nodeOf(flat.keywords.get("x-formd"));
    if (textOf(hint.type) && !place.isListed) {
      askAgain(origin, hint);
      place.members.set(name, undefined);
      return;
    }
    const isList = typesOf(flat)[0] === "array" && isObject(items);
    const isListed = place.isListed || isList;
    if (!isList && !isObject(flat)) {
      place.members.set(name, askOne(place, origin, flat, items, own));
      return;
    }
    const inner = { ...place, path, prefix: `${origin.key}.`, ui, members: new Map(), isListed };
    place.members.set(name, inner);
    if (isList) draft.note(path, "repeat", `${quote(label)} is a list. Its questions are left out.`);
    else if (!isListed && place.gates.length > 0)
      addWay(shown, draft.part(origin, "heading", { description: describe(flat, own) }), place.gates);
    else if (!isListed) draft.part(origin, "heading", { description: describe(flat, own) });
    askAll(inner, isList ? items : flat);
  }

  /** Adds a field that formd wrote. Its conditions are among its members. */
  function askAgain(origin: Origin, { type, label = "", ...members }: Node): void {
    const part = parts.find((each) => each === type);
    const entry = part
      ? draft.part(origin, part, members)
      : draft.question({ ...origin, label }, { type: String(type) }, members);
    if (entry) draft.keepAsWritten(entry, String(label));
  }

  function askOne(place: Place, origin: Origin, flat: Flat, items: Flat, ui: Record<string, unknown>) {
    const { keywords } = flat;
    const asked = typesOf(flat)[0] === "array" ? items : flat;
    const { lost, ...choices } = choicesOf(
      asked,
      itemsOf(ui["ui:enumNames"] ?? asked.keywords.get("enumNames")),
    );
    const name = kindOf(flat, items, ui, choices.options);
    if (place.isListed) {
      draft.leaveOut(origin, "repeat", kinds["array of objects"].loss);
      return undefined;
    }
    const isChoice = name.includes("enum");
    const limits = constraints.map((each) => [each, keywords.get(each)]);
    const entry = draft.question(origin, kinds[name], {
      required: keywords.get("required") === true || undefined,
      description: describe(flat, ui),
      placeholder: textOf(ui["ui:placeholder"]),
      default: keywords.get("default"),
      ...(isChoice ? choices : {}),
      ...(name === "data-url" ? { maxItems: 1 } : Object.fromEntries(limits)),
    });
    if (!entry) return undefined;
    if (place.gates.length > 0) addWay(shown, entry, place.gates);
    const value = keywords.get("const");
    if (name === "const") draft.setLogic(entry, "compute", literal(value as Literal), value);
    for (const [each, bound, op, word] of exclusives) {
      const limit = keywords.get(each) === true ? keywords.get(bound) : keywords.get(each);
      if (typeof limit === "number")
        draft.addRule(entry, compares(entry, op, limit), `Must be ${word} than ${limit}.`, limit);
    }
    if (textKinds.has(keywords.get("format"))) keywords.delete("format");
    if (name === "array of data-url") items.keywords.delete("format");
    if ([...textKinds.keys(), ...sameWidgets].includes(ui["ui:widget"])) delete ui["ui:widget"];
    if (flat.alternatives.length > 0 && !isChoice)
      draft.lose(entry, "rule", `It may be one of several: ${quote(flat.alternatives.flat())}`);
    for (const [what, texts] of isChoice && lost ? Object.entries(lost) : [])
      if (texts.length > 0) draft.lose(entry, "options", `${what} is left out: ${quote(texts)}`);
    if (name === "array of enum with uniqueItems") keywords.delete("uniqueItems");
    if (isNothing(keywords.get("not"))) keywords.delete("not");
    draft.loseUnread(entry, Object.fromEntries(keywords), readOfQuestions);
    draft.loseUnread(entry, Object.fromEntries(items.keywords), readOfItems);
    draft.loseUnread(entry, ui, readOfUi);
    return entry;
  }

  /** Adds the members of an object, those of its branches, and what is required of them. */
  function askAll(
    place: Place,
    { keywords, properties, required, alternatives, branches, chain }: Flat,
  ): void {
    const { members, gates } = place;
    const own = nodeOf(keywords.get("x-formd"));
    const ui = uiOf(place.ui);
    if (keywords.get("additionalProperties") === true) keywords.delete("additionalProperties");
    draft.loseUnread(place.path, Object.fromEntries(keywords), readOfObjects);
    draft.loseUnread(place.path, { ...ui, settings: own.settings }, readOfUi);
    const order = itemsOf(ui["ui:order"] ?? own.order);
    for (const [name, schemas] of inOrder(properties, order)) {
      const known = members.get(name);
      const isOwn = schemas.some((each) => isSet(ownIn(each, "x-formd")));
      if (!members.has(name) && schemas.every(isNothing) && !isOwn)
        draft.note(place.path, "type", `${quote(name)} has no value: it is not asked for.`);
      else if (!members.has(name)) ask(place, name, schemas, chain);
      else if (known && "members" in known) askAll({ ...known, gates }, flatten(schemas, chain));
      else if (known && shown.has(known) && !schemas.every(isNothing)) addWay(shown, known, gates);
      else if (known && !shown.has(known) && schemas.every(isNothing))
        addWay(shown, known, [{ make: () => not(conditionOf(gates)), original: quote(schemas) }]);
      else if (known && schemas.some((each) => isSet(each) && !isNothing(ownIn(each, "not"))))
        draft.lose(known, "rule", `A condition requires more of its value: ${quote(schemas)}`);
    }
    const under = (make: Gate["make"], original: string): Place => ({
      ...{ ...place, gates: [...gates, { make, original }] },
    });
    for (const { test, schema, isElse } of branches) {
      const condition = () => fits(flatten, place, [test], chain);
      const inner = under(isElse ? () => not(condition()) : condition, quote(test));
      if (isRecord(schema)) askAll(inner, flatten([schema], chain));
    }
    const others = alternatives
      .flat()
      .map((schema) => ({ ...flatten([schema], chain), original: quote(schema) }));
    const choices = new Map<string, unknown[]>();
    for (const [name, schemas] of others.flatMap((each) => [...each.properties])) {
      const values = members.has(name) ? [] : fixedValues(flatten(schemas, chain));
      if (values.length > 0) choices.set(name, [...(choices.get(name) ?? []), ...values]);
    }
    for (const [name, values] of choices) ask(place, name, [{ enum: values }], chain);
    for (const each of others) {
      const chosen = [...each.properties].filter(
        ([name, schemas]) => members.has(name) && fixedValues(flatten(schemas, chain)).length > 0,
      );
      const test = {
        properties: Object.fromEntries(chosen.map(([name, allOf]) => [name, { allOf }])),
        required: chosen.map(([name]) => name),
      };
      for (const [name] of chosen) each.properties.delete(name);
      const original = chosen.length > 0 ? quote(test) : each.original;
      askAll(
        under(() => fits(flatten, place, [test], chain), original),
        each,
      );
    }
    for (const name of required) {
      const known = members.get(name);
      if (!members.has(name))
        draft.note(place.path, "rule", `${quote(name)} is required, and is no question.`);
      else if (known && "field" in known && gates.length === 0) known.field.required = true;
      else if (known && "field" in known) addWay(needed, known, gates);
    }
  }

  const flat = flatten([root]);
  const ui = uiOf(document.uiSchema);
  const [title, description] = ["title", "description"].map(
    (name) => textOf(ui[`ui:${name}`]) ?? flat.keywords.get(name),
  );
  const place = { path: "", prefix: "", members: new Map(), gates: [], isListed: false };
  if (isObject(flat)) askAll({ ...place, ui: document.uiSchema }, flat);
  else ask({ ...place, ui: { value: document.uiSchema } }, "value", [root], new Set());
  if (root !== document) draft.loseUnread("", document, readOfDocument);
  for (const [member, ways] of [
    ["showIf", shown],
    ["requireIf", needed],
  ] as const)
    for (const [entry, lists] of ways)
      draft.setLogic(entry, member, any(lists.map(conditionOf)), lists.flat()[0]?.original);
  for (const { field } of needed.keys())
    if (field.requireIf !== undefined && field.requireIf === field.showIf) {
      field.required = true;
      delete field.requireIf;
    }
  return draft.finish(title, description);
}

export const jsonSchemaForms: ImportSource = {
  title: "JSON Schema, react-jsonschema-form",
  kinds,
  losses: [
    "A required member of an optional object is always required.",
    "Of alternatives of objects without a constant that tells them apart, all questions are asked, and none is required.",
    "`default` of an object, `readOnly`, `examples`, descriptions of choices, and formats that are not in the table.",
    "What a condition requires of a value beyond its presence.",
    "Widgets, fields and options of a uiSchema that change what a question asks; JSON Forms' uischema.",
  ],
  recognizes: (document) => isSchema(schemaIn(document)),
  convert,
};
