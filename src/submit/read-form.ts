/** The form for who fills it in: `GET /papi/v1/submitter/form`, an addition to the specification's submitter routes. @module */
import { Elysia } from "elysia";
import type { Deps } from "../deps.ts";
import type { CompiledForm } from "../fields/compile.ts";
import { jsonSchemaOf } from "../fields/json-schema.ts";
import { success } from "../http/envelope.ts";
import * as examples from "../http/examples.ts";
import { operation } from "../http/operation.ts";
import { Problem } from "../problem.ts";
import {
  authorizationCodes,
  type CompiledVersion,
  callerArguments,
  problemFor,
  readSubmitterRequest,
  sessionSecurity,
  signatureSecurity,
  type VersionedResult,
  withCurrentVersion,
} from "./request.ts";
import { PublishedForm } from "./shapes.ts";

/** A row of formd.form_read: of an allowed call, the version as it was frozen. */
interface Read extends VersionedResult {
  name: string;
  description: string | null;
}

const path = "/papi/v1/submitter/form";

/** Made once a compiled version: patterns are translated, which is the costly part. */
const jsonSchemas = new WeakMap<CompiledForm, object>();

/**
 * The published version with its JSON Schema: for an agent with `agent:read`, and for an anonymous session of the form. Not for API keys:
 * `submissions:write` only creates, and `forms:read` has the management route.
 */
export const form = (deps: Deps) =>
  new Elysia({ name: path }).get(
    path,
    async ({ request }) => {
      const call = await readSubmitterRequest(deps, request);
      if (call.credential === "api_key") throw new Problem("unauthorized");
      let published: CompiledVersion | undefined;
      const { outcome, name, description, formVersion, formSchema } = await withCurrentVersion(
        call,
        async (current) => {
          published = current;
          const [row] = await deps.sql<[Read]>`
        select * from formd.form_read(${callerArguments(deps, call)}, ${current?.version ?? null})`;
          return row;
        },
      );
      if (outcome !== "allowed" || !published || !formSchema) throw await problemFor(deps, call, outcome);
      const jsonSchema = jsonSchemas.get(published.form) ?? jsonSchemaOf(formSchema);
      jsonSchemas.set(published.form, jsonSchema);
      return success({
        form: { id: call.form, name, description, version: formVersion, schema: formSchema },
        jsonSchema,
      });
    },
    operation({
      id: "getPublishedForm",
      tag: "submitter",
      summary: "Read the form to fill in",
      description:
        "The published version, as fields and as a JSON Schema (2020-12) of a submission's `data`. Agents need `agent:read`.",
      security: [sessionSecurity, signatureSecurity],
      response: {
        description: "The form.",
        members: {
          form: PublishedForm,
          jsonSchema: {
            schema: {
              type: "object",
              additionalProperties: {},
              description: "Of `data`. Where it is looser than the form, `$comment` says so.",
            },
          },
        },
        example: {
          form: {
            id: examples.ids.form,
            name: examples.form.name,
            description: examples.form.description,
            version: 1,
            schema: examples.form.schema,
          },
          jsonSchema: {
            type: "object",
            properties: { email: { title: "E-mail", type: "string" } },
            required: ["email"],
          },
        },
      },
      codes: [...authorizationCodes, "payload_too_large"],
    }),
  );
