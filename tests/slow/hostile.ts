/**
 * Requests that no client should send: every route with odd methods, paths, queries, headers and bodies,
 * valid credentials among them. Request number `index` of a seed is the same in every run with the same
 * routes, pages and credentials, except for the ids and secrets.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
type Json = any;

export interface Target {
  /** The OpenAPI document. */
  document: Json;
  /** The routes that the document does not have: pages, and what their forms are sent to. */
  pages: Page[];
  /** Values of path parameters that exist. */
  ids: Record<string, string>;
  /** Valid values of the headers that are credentials. */
  credentials: Record<string, string>;
}

export interface Page {
  method: string;
  /** With its parameters as in the document: `/f/{id}`. */
  path: string;
  /** The fields of a form that is sent there, as a page has them. */
  fields: [name: string, value: string][];
}

export interface HostileRequest {
  method: string;
  bytes: Uint8Array;
  /** Hangs up after sending, since the announced body does not come. */
  hangsUp: boolean;
}

/** A generator of numbers in [0, 1) from two integers (mulberry32). */
function numbersOf(seed: number, index: number): () => number {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words = (text: string) => text.trim().split(/\s+/);

const methods = [...words("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE get PROPFIND M-1"), "X".repeat(300)];
const otherPaths = words(`
  / // /healthz /readyz /metrics /llms.txt /developer/guide /developer/api/fields /developer/api/validation
  /nowhere /papi/v1/ /..%2f..%2fetc/passwd`);
const segments = [
  ...words(`
    %00 % %ff%fe .. ..%2f.. __proto__ %F0%9F%98%80 ';%20drop%20table%20formd.forms;%20-- 0
    01900000-0000-7000-8000-000000000000 01900000-0000-7000-8000-00000000000G`),
  "",
  "a".repeat(3_000),
];
const queries = [
  ...words(`
    page=0 page=-1 page=1e3 page=99999999999999999999 limit=1000000 limit=NaN limit=%00 status=%00
    createdAfter=infinity createdBefore=0001-01-01T00:00:00Z createdAfter=+275760-09-13T00:00:00.001Z
    agentId=1&agentId=2 format=csv format=xml partial=true partial=%F0 __proto__=1 &&&== % respondentId[]=1`),
  "",
  `a=${"b".repeat(4_000)}`,
];
const contentTypes = [
  "text/plain",
  "application/json; charset=utf-16",
  "application/problem+json",
  "APPLICATION/JSON",
  "multipart/form-data",
  "application/x-www-form-urlencoded",
  "application/json, application/json",
  ";",
  "a".repeat(2_000),
];
const headerNames = words(`
  x-request-id x-forwarded-for origin cookie idempotency-key content-digest signature signature-input
  accept-encoding if-none-match range expect content-encoding x-csrf-token authorization connection upgrade te
  x-forwarded-host x-a`);
const headerValues = [
  ...words(`
    0 -1 " é %00 a,b,, sig1=:AAAA: sha-256=:AAAA: ::1 [::ffff:1.2.3.4]:99999 null https://evil.example
    __proto__ identity;q=0 bytes=0- *`),
  "",
  " ",
  "a".repeat(3_000),
  'sig1=("@method" "@path");created=1;keyid="a";alg="ed25519";nonce="b"',
  "1.2.3.4, 5.6.7.8",
  "formd_session=fdo_x; formd_session=",
];
const literals = [
  ...words(`
    null true 0 -0 1e400 9007199254740993 1e-400 "" "\\u0000" "\\ud800" "\\ud83d\\ude00" "a" [] {} [[]]
    {"__proto__":{"a":1}} {"constructor":{"prototype":{}}} "2026-02-30T25:00:00Z" "=1+1" NaN 'a' 01 [1,]
    "01900000-0000-7000-8000-000000000000" {"a":1,"a":2}`),
  `"${"x".repeat(20_000)}"`,
  `[${"1,".repeat(3_000)}1]`,
  `${"[".repeat(40)}${"]".repeat(40)}`,
];
const formNames = ["", ...words("a csrf formd.resume formd.version formd.key __proto__ %00 next values")];
const formValues = [
  ...words(`
    + 0 -1 1e400 on %00 %ff %ED%A0%80 %F0%9F%98%80 %0D%0A 2026-02-30 __proto__ [] %7B%22a%22%3A1%7D
    01900000-0000-7000-8000-000000000000 https%3A%2F%2Fevil.example %3Cscript%3E =%3D&&=`),
  "",
  "a%0A".repeat(3_000),
  "x".repeat(20_000),
];
const wholeBodies = [
  "",
  " ",
  "\ufeff{}",
  "{",
  "null",
  "[]",
  "{}",
  '"',
  "\u0000",
  "[".repeat(100_000),
  `{"data":${"[".repeat(50_000)}`,
  `{"${"k".repeat(100_000)}":1}`,
  `[${"1e1,".repeat(100_000)}1]`,
  `{"data":{"name":[${"9007199254740993,".repeat(20_000)}1]}}`,
  `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join()}}`,
  "a&".repeat(50_000),
  `a=${"%00".repeat(30_000)}`,
];

interface Operation {
  method: string;
  path: string;
  queryNames: string[];
  examples: Json[];
  /** Fields of a form post. */
  fields?: Page["fields"];
}

function operationsOf({ document, pages }: Target): Operation[] {
  const ofPages = pages.map(({ method, path, fields }): Operation => {
    const operation = { method, path, queryNames: [], examples: [] };
    return method === "POST" ? { ...operation, fields } : operation;
  });
  const documented = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item).map(([method, operation]) => {
      const [[type, content] = []] = Object.entries<Json>(operation.requestBody?.content ?? {});
      const parameters: Json[] = operation.parameters ?? [];
      const examples = Object.values<Json>(content?.examples ?? {}).map(({ value }) => value);
      const isForm = type === "application/x-www-form-urlencoded";
      return {
        ...(isForm && {
          fields: Object.entries<Json>(examples[0] ?? {}).map(
            ([name, value]) => [name, String(value)] as [string, string],
          ),
        }),
        method: method.toUpperCase(),
        path,
        queryNames: parameters.filter((each) => each.in === "query").map(({ name }) => name),
        examples,
      };
    }),
  );
  return [...documented, ...ofPages];
}

/** The request of each index. */
export function hostileRequests(target: Target, seed: number): (index: number) => HostileRequest {
  const operations = operationsOf(target);
  return (index) => {
    const random = numbersOf(seed, index);
    const happens = (probability: number) => random() < probability;
    const oneOf = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const operation = oneOf(operations);
    return requestOf(operation, target, { random, happens, oneOf });
  };
}

const endsSessions = /^\/console\/(?:logout|sign-out|sign-out-everywhere|team|operators\/remove)$/;

interface Choice {
  random: () => number;
  happens: (probability: number) => boolean;
  oneOf: <T>(list: readonly T[]) => T;
}

function requestOf(
  operation: Operation,
  target: Pick<Target, "ids" | "credentials">,
  choice: Choice,
): HostileRequest {
  const { happens, oneOf, random } = choice;
  const method = happens(0.9) ? operation.method : oneOf(methods);
  const path = happens(0.97) ? pathOf(operation, target.ids, choice) : oneOf(otherPaths);
  const { examples, fields } = operation;
  const body = happens(examples.length > 0 || fields ? 0.95 : 0.1)
    ? bodyOf(fields ? () => formOf(fields, choice) : examples, choice)
    : undefined;
  const hangsUp = body !== undefined && happens(0.02);
  const headers: [string, string][] = [
    [
      "host",
      happens(0.98)
        ? "localhost"
        : oneOf(["", "a b", "evil.example", "localhost:99999", "[::1", "127.999.1.1"]),
    ],
  ];
  headers.push(["x-forwarded-for", `10.${[0, 0, 0].map(() => Math.floor(random() * 256)).join(".")}`]);
  for (const [name, value] of Object.entries(target.credentials)) {
    // A valid session is not ended, and a valid secret not used up.
    if (name === "cookie" && endsSessions.test(operation.path)) continue;
    if (happens(0.7))
      headers.push([
        name,
        happens(0.9) ? value : oneOf([...headerValues, value.slice(0, -1), `${value}a`, value.repeat(2)]),
      ]);
  }
  const contentType = fields ? "application/x-www-form-urlencoded" : "application/json";
  if (body !== undefined) headers.push(["content-type", happens(0.9) ? contentType : oneOf(contentTypes)]);
  // Otherwise a form post would get no further than the check of where it comes from.
  if (fields && happens(0.9)) headers.push(["sec-fetch-site", "same-origin"]);
  while (happens(0.3)) headers.push([oneOf(headerNames), oneOf(headerValues)]);
  const isChunked = body !== undefined && happens(0.1);
  const size = body?.byteLength ?? 0;
  if (isChunked) headers.push(["transfer-encoding", "chunked"]);
  else if (body !== undefined) headers.push(["content-length", String(hangsUp ? size + 1 : size)]);
  const head = `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
  const parts: Uint8Array[] = [Buffer.from(head, "latin1")];
  if (body && isChunked && size > 0)
    parts.push(Buffer.from(`${size.toString(16)}\r\n`), body, Buffer.from("\r\n"));
  else if (body && !isChunked) parts.push(body);
  if (isChunked && !hangsUp) parts.push(Buffer.from("0\r\n\r\n"));
  return { method, bytes: Buffer.concat(parts), hangsUp };
}

function pathOf(
  { path, queryNames }: Operation,
  ids: Record<string, string>,
  { happens, oneOf }: Choice,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
    happens(0.8) ? (ids[name] ?? "") : oneOf(segments),
  );
  const parts: string[] = [];
  while (happens(0.25))
    parts.push(
      queryNames.length > 0 && happens(0.5) ? `${oneOf(queryNames)}=${oneOf(segments)}` : oneOf(queries),
    );
  return (happens(0.98) ? filled : `${filled}/`) + (parts.length > 0 ? `?${parts.join("&")}` : "");
}

/** A valid body with some values replaced; now and then bytes that are not JSON. */
function bodyOf(examples: Json[] | (() => string), choice: Choice): Buffer {
  const { happens, oneOf, random } = choice;
  if (examples.length === 0 && Array.isArray(examples)) return Buffer.from(oneOf(wholeBodies));
  if (happens(0.1)) return Buffer.from(oneOf(wholeBodies));
  if (happens(0.02)) return Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256)));
  if (!Array.isArray(examples)) return Buffer.from(examples());
  return Buffer.from(textOf(oneOf(examples), choice, happens(0.3) ? 0 : 0.15));
}

/**
 * The fields of a form, some of them with other values, without one, twice, or with a name that the page does
 * not have.
 */
function formOf(fields: Page["fields"], { happens, oneOf }: Choice): string {
  const rate = happens(0.3) ? 0 : 0.15;
  const sent = fields
    .filter(() => !happens(rate / 3))
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${happens(rate) ? oneOf(formValues) : encodeURIComponent(value)}`,
    );
  while (happens(rate))
    sent.push(happens(0.5) && sent.length > 0 ? oneOf(sent) : `${oneOf(formNames)}=${oneOf(formValues)}`);
  return sent.join("&");
}

function textOf(value: Json, choice: Choice, rate: number): string {
  const { happens, oneOf } = choice;
  if (happens(rate)) return oneOf(literals);
  if (Array.isArray(value)) {
    const items = value.map((item) => textOf(item, choice, rate));
    while (happens(rate)) items.push(items.length > 0 && happens(0.5) ? oneOf(items) : oneOf(literals));
    return `[${items.join()}]`;
  }
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(() => !happens(rate / 3))
    .map(([name, member]) => `${JSON.stringify(name)}:${textOf(member, choice, rate)}`);
  if (happens(rate))
    members.push(`${oneOf(['"__proto__"', '"a"', '""', '"\\u0000"', '"toString"'])}:${oneOf(literals)}`);
  return `{${members.join()}}`;
}
