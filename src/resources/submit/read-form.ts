/** The published form: `GET /papi/v1/submitter/form`, an addition to the specification's submitter routes. */
import { type } from "arktype";
import { Elysia } from "elysia";
import { LRUCache } from "lru-cache";
import type { JsonSchema } from "../../fields/field-type.ts";
import { jsonSchemaOf } from "../../fields/json-schema.ts";
import type { FullOptions } from "../../fields/option-limits.ts";
import {
  authorizationCodes,
  credentialsArgument,
  readSubmitterRequest,
  requireAllowed,
  sessionSecurity,
  signatureSecurity,
} from "../../platform/auth/submitter.ts";
import { rowOf } from "../../platform/database/db.ts";
import type { Deps } from "../../platform/deps.ts";
import { success } from "../../platform/http/envelope.ts";
import * as shown from "../../platform/http/examples.ts";
import { operation } from "../../platform/http/operation.ts";
import { Problem } from "../../problem.ts";
import { Example, holdingExamples } from "../forms/examples.ts";
import { languageMember, languageParameter, PublishedForm } from "./shapes.ts";
import {
  type CompiledVersion,
  compiledVersion,
  definitionsWithoutTranslations,
  publishedVersion,
  requestedForm,
} from "./versions.ts";

/** A row of formd.submitter_form_read; unless the outcome is `allowed`, the rest is null. */
interface FormRow {
  outcome: string;
  callerType: string | null;
  callerId: string | null;
  name: string;
  description: string | null;
  formVersion: number;
  formSchema: { fields: unknown[] };
  /** `settings.examples`; null: none. */
  examples: unknown;
  fullOptions: FullOptions | null;
}

const path = "/papi/v1/submitter/form";

/** JSON Schemas by form, version and language. Translating the patterns is the costly part. */
const jsonSchemas = new LRUCache<string, JsonSchema>({ max: 1000 });

/**
 * The JSON Schema of a version.
 * @param language of the texts of the schema; absent: the form has no languages
 */
export function jsonSchemaFor(
  form: string,
  version: number,
  schema: { fields: unknown[] },
  language = "",
): JsonSchema {
  const name = `${form}/${version}/${language}`;
  const jsonSchema = jsonSchemas.get(name) ?? jsonSchemaOf(schema);
  jsonSchemas.set(name, jsonSchema);
  return jsonSchema;
}

function versionIn(id: string, row: FormRow): CompiledVersion {
  const held = compiledVersion(id);
  return held?.version === row.formVersion ? held : publishedVersion(id, held, row);
}

function toPublishedForm(id: string, row: FormRow, lang: string | undefined) {
  const { name, description, formVersion: version, fullOptions } = row;
  const published = versionIn(id, row);
  const { form: compiled, language } = requestedForm(published, lang);
  const schema =
    lang && language
      ? { ...row.formSchema, fields: definitionsWithoutTranslations(compiled) }
      : row.formSchema;
  const jsonSchema = jsonSchemaFor(id, version, schema, language);
  const examples = row.examples === null ? [] : holdingExamples(published.form, row.examples);
  const form = { id, name, description, version, schema, ...(fullOptions && { fullOptions }) };
  return { form, ...(language && { language }), jsonSchema, ...(examples.length && { examples }) };
}

/**
 * The published version with JSON Schema and examples, for `agent:read` and anonymous sessions of the form.
 * API keys are refused: `submissions:write` only creates, `forms:read` has the management route.
 */
export const publishedFormRoute = (deps: Deps) =>
  new Elysia({ name: path }).get(
    path,
    async ({ request, query }) => {
      const submitter = await readSubmitterRequest(deps, request);
      const { team, form: id, credentials } = submitter;
      if (credentials.credential === "api_key")
        throw new Problem(
          "unauthorized",
          "An API key does not read a published form: send x-respondent-token.",
        );
      const row = await rowOf(deps.sql<FormRow[]>`
        select * from formd.submitter_form_read(p_team => ${team}, p_form => ${id}, ${credentialsArgument(deps, credentials)})`);
      await requireAllowed(deps, submitter, row);
      return success(toPublishedForm(id, row, query.lang));
    },
    operation({
      id: "getPublishedForm",
      tag: "submitter",
      summary: "Read the published form",
      description:
        "The published version, as fields and as a JSON Schema (2020-12) of a submission's `data`, with the owner's examples. Agents need `agent:read`.",
      security: [sessionSecurity, signatureSecurity],
      query: {
        shape: type(languageParameter.shape),
        notes: {
          lang: `Of the texts; \`translations\` are then left out. ${languageParameter.note}`,
        },
      },
      response: {
        description: "The form.",
        members: {
          form: PublishedForm,
          language: languageMember,
          jsonSchema: {
            schema: {
              type: "object",
              additionalProperties: {},
              description: "Of `data`. Where it is looser than the form, `$comment` says so.",
            },
          },
          examples: { list: Example, isOptional: true },
        },
        example: { form: shown.publishedForm, jsonSchema: shown.jsonSchema, examples: [shown.formExample] },
      },
      codes: [...authorizationCodes, "rate_limited", "payload_too_large"],
    }),
  );
