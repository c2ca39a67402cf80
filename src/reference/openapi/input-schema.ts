/** Input of a route as one object, for the tools of `/mcp`. */
import { type InputSchemaOf, pathParameters, type Schema } from "../../platform/http/operation.ts";
import { components, refTo, schemaOf } from "./schemas.ts";

/** The schema of a route's parameters and body, without external references. */
export const inputSchemaOf: InputSchemaOf = (path, { query, body }) => {
  const inPath = pathParameters(path);
  const inQuery = query ? (schemaOf(query.shape).properties as Record<string, Schema>) : {};
  const properties: Record<string, Schema> = {
    ...Object.fromEntries(inPath.map((name) => [name, { type: "string" }])),
    ...inQuery,
    ...(body && { body: refTo(body.shape) }),
  };
  const required = [...inPath, ...(body && !body.optional ? ["body"] : [])];
  return withDefinitions({ type: "object", properties, required });
};

/** Adds the shapes that a schema refers to as `$defs`. */
function withDefinitions<T extends Schema>(schema: T): T {
  const all = components();
  const used = new Map<string, Schema>();
  const collect = (node: unknown): void => {
    for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, all[name] as Schema);
      collect(all[name]);
    }
  };
  collect(schema);
  const $defs = used.size > 0 ? { $defs: Object.fromEntries(used) } : {};
  return JSON.parse(JSON.stringify({ ...schema, ...$defs }).replaceAll("#/components/schemas/", "#/$defs/"));
}
