/**
 * Rules that the APIs of models and MCP's clients have for a tool, as docs/agents/tool-schemas.md lists them
 * with their sources. One violation makes some of them refuse a whole conversation.
 */

// biome-ignore lint/suspicious/noExplicitAny: a schema of any shape
type Json = any;

export const keyPattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const namePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const bounds: Record<string, readonly string[]> = {
  string: ["minLength", "maxLength"],
  integer: ["minimum", "maximum"],
  number: ["minimum", "maximum"],
  boolean: [],
  array: ["minItems", "maxItems"],
  object: [],
};
const members: Record<string, readonly string[]> = {
  string: ["enum"],
  array: ["items"],
  object: ["properties", "required"],
};

/** Violations of one schema and of those in it, each with its place. */
function violationsIn(schema: Json, at: string): string[] {
  const { type, description = "x", properties = {}, required, items } = schema;
  const known = bounds[type];
  if (!known) return [`${at}: the type ${JSON.stringify(type)}`];
  const allowed = ["type", "description", ...known, ...(members[type] ?? [])];
  const found = Object.keys(schema)
    .filter((keyword) => !allowed.includes(keyword))
    .map((keyword) => `${keyword} of ${type}`);
  if (typeof description !== "string" || description === "") found.push("description");
  for (const name of known)
    if (name in schema && !(type === "number" ? Number.isFinite : Number.isSafeInteger)(schema[name]))
      found.push(`${name} ${schema[name]}`);
  const [least, most] = known.map((name) => schema[name]);
  if (least > most) found.push(`bounds ${least} to ${most}`);
  if ("enum" in schema) found.push(...enumViolations(schema.enum));
  const keys = Object.keys(properties);
  if (type === "object") {
    if (keys.length === 0 && at !== "") found.push("no properties");
    found.push(
      ...keys.filter((key) => !keyPattern.test(key) || key === "__proto__").map((key) => `key ${key}`),
    );
    if (required && (required.length === 0 || new Set(required).size < required.length))
      found.push("required");
    for (const key of required ?? []) if (!keys.includes(key)) found.push(`required ${key}`);
  }
  return [
    ...found.map((violation) => `${at}: ${violation}`),
    ...keys.flatMap((key) => violationsIn(properties[key], `${at}/${key}`)),
    ...(type === "array" ? violationsIn(items ?? {}, `${at}[]`) : []),
  ];
}

const enumViolations = (values: unknown[]): string[] => [
  ...(values.length === 0 || new Set(values).size < values.length ? ["enum"] : []),
  ...values
    .filter((value) => typeof value !== "string" || value === "")
    .map((value) => `enum ${JSON.stringify(value)}`),
];

/** Violations of a tool; none: every model takes it. */
export function violationsOf({ name, description, inputSchema }: Json): string[] {
  const violations = inputSchema.type === "object" ? violationsIn(inputSchema, "") : ["no object"];
  if (!inputSchema.properties) violations.push("no properties");
  if (!namePattern.test(name)) violations.push("name");
  if (typeof description !== "string" || description === "" || description.length > 1024)
    violations.push("description");
  return violations.map((violation) => `${name}${violation}`);
}
