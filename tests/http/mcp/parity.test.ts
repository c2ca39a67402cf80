import { beforeAll, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { generatedCases } from "../../expect.ts";
import { anyValue, samples } from "../../form-arbitraries.ts";
import {
  type Agent,
  asAgent,
  ask,
  makeAgent,
  makeForm,
  makeTeam,
  type PublishedForm,
  permissive,
  type Service,
  service,
  type Team,
} from "../../setup.ts";

// biome-ignore lint/suspicious/noExplicitAny: what the server sends; the expectations say what it should be
type Json = any;

let app: Service;
let team: Team;
beforeAll(async () => {
  app = await service(permissive);
  team = await makeTeam(app);
}, 60_000);

const submitter = "/papi/v1/submitter/form";

const rpc = async (agent: Agent, method: string, params: object): Promise<Json> =>
  (
    await ask(app, "POST", "/mcp", {
      headers: { authorization: `Bearer ${agent.token}`, accept: "application/json, text/event-stream" },
      body: { jsonrpc: "2.0", id: 1, method, params },
    })
  ).body.result;

/** What both ways say: the data, or the code with the errors. */
const fromRest = ({ status, body }: Json) =>
  status === 200
    ? body.data
    : { code: body.code, message: body.error, ...(body.errors && { errors: body.errors }) };
const fromTool = ({ structuredContent }: Json) => structuredContent;

/** The stored rows of a form, without what differs between any two submissions. */
const rowsOf = (form: PublishedForm) => app.database.sql`
  select form_version, status, submitter_type, respondent_id, data, metadata from formd.submissions
  where form_id = ${form.id} order by id`;

const withoutId = ({ id: _, ...rest }: Json) => rest;

test("for any form and payload a tool and the route say the same, and store the same rows", async () => {
  const ajv = new Ajv2020({ strict: false, ownProperties: true, multipleOfPrecision: 9 });
  addFormats(ajv);
  let [accepted, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(
      samples(6),
      fc.array(anyValue, { minLength: 2, maxLength: 2 }),
      async ({ fields, data }, others) => {
        // Two forms with the same fields: one by REST, one by MCP.
        const forms = [await makeForm(app, team, fields), await makeForm(app, team, fields)] as const;
        const changed = others.map((value, i) => ({
          ...data,
          [String(fields[i % fields.length]?.id)]: value,
        }));
        for (const payload of [data, {}, ...changed]) {
          const [byRest, byTool] = [
            await makeAgent(app, team, forms[0]),
            await makeAgent(app, team, forms[1]),
          ];
          const headers = asAgent(forms[0], byRest);
          const body = { data: payload };
          const dry = await ask(app, "POST", `${submitter}/validation`, { headers, body });
          const dryTool = await rpc(byTool, "tools/call", {
            name: "validate",
            arguments: { formId: forms[1].id, ...body },
          });
          expect(fromTool(dryTool)).toEqual(fromRest(dry));

          const { tools } = await rpc(byTool, "tools/list", {});
          const own = tools.find(({ name }: Json) => name.startsWith("submit_"));
          const submitted = await ask(app, "POST", `${submitter}/submissions`, { headers, body });
          const submittedTool = await rpc(byTool, "tools/call", { name: own.name, arguments: payload });
          expect(withoutId(fromTool(submittedTool))).toEqual(withoutId(fromRest(submitted)));
          expect(submittedTool.isError ?? false).toBe(submitted.status !== 200);

          const isValid = ajv.compile(own.inputSchema);
          if (submitted.status === 200) expect([payload, isValid(payload)]).toEqual([payload, true]);
          if (submitted.status === 200) accepted++;
          else refused++;
        }
        const [rest, tool] = [await rowsOf(forms[0]), await rowsOf(forms[1])];
        expect([...tool]).toEqual([...rest]);
      },
    ),
    { numRuns: generatedCases(60, 12) },
  );
  expect(accepted).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
}, 300_000);
