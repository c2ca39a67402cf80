/** The form for who fills it in: `GET /papi/v1/submitter/form`, an addition to the specification's submitter routes. @module */
import { Elysia } from "elysia";
import type { Deps } from "../app.ts";
import type { Form } from "../fields/compile.ts";
import { jsonSchemaOf } from "../fields/json-schema.ts";
import { ok } from "../http/envelope.ts";
import { Problem } from "../problem.ts";
import { type Answer, callOf, type Published, refusalOf, whoCalls, withPublished } from "./request.ts";

/** A row of formd.form_read: of an allowed call, the version as it was frozen. */
interface Read extends Answer {
  name: string;
  description: string | null;
}

const path = "/papi/v1/submitter/form";

/** Made once a compiled version: patterns are translated, which is the costly part. */
const jsonSchemas = new WeakMap<Form, object>();

/**
 * The published version with its JSON Schema: for an agent with `agent:read`, and for an anonymous session of the form. Not for API keys:
 * `submissions:write` only creates, and `forms:read` has the management route.
 */
export const form = (deps: Deps) =>
  new Elysia({ name: path }).get(path, async ({ request }) => {
    const call = await callOf(deps, request);
    if (call.credential === "api_key") throw new Problem("unauthorized");
    let published: Published | undefined;
    const { outcome, name, description, formVersion, formSchema } = await withPublished(
      call,
      async (current) => {
        published = current;
        const [row] = await deps.sql<[Read]>`
        select * from formd.form_read(${whoCalls(deps, call)}, ${current?.version ?? null})`;
        return row;
      },
    );
    if (outcome !== "allowed" || !published || !formSchema) throw await refusalOf(deps, call, outcome);
    const jsonSchema = jsonSchemas.get(published.form) ?? jsonSchemaOf(formSchema);
    jsonSchemas.set(published.form, jsonSchema);
    return ok({
      form: { id: call.form, name, description, version: formVersion, schema: formSchema },
      jsonSchema,
    });
  });
