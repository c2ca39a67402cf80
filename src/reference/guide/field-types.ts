/** The field types as Markdown. */
import { choiceConstraints, constraintMeanings } from "../../fields/constraints.ts";
import { type FieldKind, fieldTypes, rulesOf } from "../../fields/types.ts";
import { FieldBase } from "../openapi/field-schemas.ts";

const kinds = Object.keys(fieldTypes) as FieldKind[];

/** A complete definition with every rule of the type, as an owner would write it. */
export function exampleOf(kind: FieldKind): { field: Record<string, unknown>; value: unknown } {
  const { field, value } = fieldTypes[kind].example;
  const isChoice = ([name]: [string, unknown]) => choiceConstraints.has(name);
  const members = Object.entries(field);
  const rules = members.filter((member) => !isChoice(member));
  return {
    field: {
      id: kind,
      type: kind,
      label: "Label",
      ...Object.fromEntries(members.filter(isChoice)),
      ...(rules.length > 0 && { validation: Object.fromEntries(rules) }),
    },
    value,
  };
}

/** The types with their rules and examples, or one of them, for a model that writes fields. */
export const describeFieldTypes = (only?: unknown): Record<string, unknown> => ({
  members: FieldBase.properties,
  types: kinds
    .filter((kind) => only === undefined || kind === only || fieldTypes[kind].aliases.includes(String(only)))
    .map((kind) => ({
      type: kind,
      aliases: fieldTypes[kind].aliases,
      meaning: fieldTypes[kind].meaning,
      rules: Object.fromEntries(rulesOf(kind).map(({ name, meaning }) => [name, meaning])),
      example: exampleOf(kind),
    })),
});

const code = (value: unknown): string => `\`${JSON.stringify(value)}\``;

const section = (kind: FieldKind): string => {
  const { meaning, aliases } = fieldTypes[kind];
  const { field, value } = exampleOf(kind);
  const names = aliases.map((alias) => `\`${alias}\``).join(", ");
  return [
    `## ${kind}`,
    `${meaning}${names && ` Other names: ${names}.`}`,
    rulesOf(kind)
      .map((rule) => `- \`${rule.name}\`: ${rule.meaning}`)
      .join("\n") || "It has no rules.",
    `Example: ${code(field)}`,
    ...(value === undefined ? [] : [`It accepts ${code(value)}`]),
  ].join("\n\n");
};

/** The members of a field, each with its purpose. */
export const memberMeanings: Readonly<Record<string, string>> = {
  id: FieldBase.properties.id.description,
  type: "The type of its value: one of the headings below, or `x-…` of your own.",
  ...Object.fromEntries(
    Object.entries(FieldBase.properties).map(([name, { description }]) => [name, description]),
  ),
  ...Object.fromEntries(Object.entries(constraintMeanings).filter(([name]) => choiceConstraints.has(name))),
  validation: "The rules of its type.",
};

/** The page of field types: values and rules, from the table that the engine uses. */
export const fieldTypesMarkdown = `# Field types

For owners who write a form's fields. A field is an object with these members; \`id\`, \`type\` and \`label\` are needed.

| member | for |
| --- | --- |
${Object.entries(memberMeanings)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join("\n")}

[Conditions](/developer/owners/conditions) has the language of \`showIf\`, \`requireIf\`, \`compute\` and \`rules\`. The
rules of a type may also be beside \`validation\`, and \`options\`, \`rows\` and \`columns\` usually are. Publishing a form
refuses a type or a rule that is not here, except those whose name begins with \`x-\`: a field of such a type accepts any
JSON value. Nothing is converted: \`"30"\` is not a number.

Empty values (null, blank text, \`[]\`, \`{}\`) count as absent. \`required\` refuses them. The
[validation codes](/developer/api/validation) say which rule a value violates.

${kinds.map(section).join("\n\n")}
`;

/** The types as a table in Markdown, for the guide. */
export const fieldTypeRows: string[][] = kinds
  .filter((kind) => fieldTypes[kind].example.value !== undefined)
  .map((kind) => [
    [kind, ...fieldTypes[kind].aliases].map((name) => `\`${name}\``).join(", "),
    fieldTypes[kind].meaning,
    `\`${JSON.stringify(fieldTypes[kind].example.value)}\``,
  ]);
