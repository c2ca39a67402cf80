/** `/developer/sign`: explains why a signed request was refused. Nothing of it is stored. */
import { type Explanation, explainSignature } from "../../platform/auth/explain-signature.ts";
import type { SignedMessage } from "../../platform/auth/http-signature.ts";
import { Problem } from "../../problem.ts";
import { type Link, renderPage } from "./frame.tsx";

export const signPath = "/developer/sign";

/** Input of the form. */
interface Pasted {
  request: string;
  publicKey: string;
  /** True: it is checked as at its `created` time. */
  ignoresAge: boolean;
}

const nothing: Pasted = { request: "", publicKey: "", ignoresAge: true };

const fault = (message: string) => new Problem("bad_request", message);

/**
 * Parses a request in HTTP/1.1 format, or in the output of `curl -v`.
 * @param text with LF as line breaks
 * @param base the address of this server
 * @throws {Problem} `bad_request` with the line that is not part of a request
 */
function messageFrom(text: string, base: string): SignedMessage {
  const lines = text.trimStart().split("\n");
  const end = lines.findIndex((line) => /^>? ?$/.test(line));
  const [first = "", ...rest] = lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.replace(/^> /, ""));
  const [, method = "", target = ""] = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(first) ?? [];
  const url = URL.parse(target, base);
  if (!target || !url)
    throw fault(`“${first.slice(0, 80)}” is not the first line of a request, such as POST /path HTTP/1.1.`);
  const headers = new Headers();
  for (const line of rest) {
    const [, name, value = ""] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    // Headers accepts Latin-1 only.
    if (!name || /[^\t -~\x80-\xff]/.test(value)) throw fault(`“${line.slice(0, 80)}” is not a header.`);
    headers.append(name, value);
  }
  const body = end < 0 ? "" : lines.slice(end + 1).join("\n");
  const [path = "", query] = (target.startsWith("/") ? target : url.pathname + url.search).split("?", 2);
  return {
    method: method.toUpperCase(),
    authority: URL.parse(`${url.protocol}//${headers.get("host") ?? url.host}`)?.host ?? "",
    path,
    query: `?${query ?? ""}`,
    headers,
    bytes: new TextEncoder().encode(body),
  };
}

/** The `created` time of a signature, in seconds since 1970. */
const createdOf = ({ headers }: SignedMessage): number | undefined => {
  const created = /;created=(\d{1,12})/.exec(headers.get("signature-input") ?? "")?.[1];
  return created === undefined ? undefined : Number(created);
};

type Result = Explanation & { authority: string };

async function explain({ request, publicKey, ignoresAge }: Pasted, base: string): Promise<Result> {
  // This server would have it in memory, and a disclosed secret is no longer secret.
  if (publicKey.includes("PRIVATE KEY") || request.includes("PRIVATE KEY"))
    throw fault(
      "This is a private key. It stays with its agent: paste the public one, and replace this pair.",
    );
  const message = messageFrom(request, base);
  const now = (ignoresAge && createdOf(message)) || Math.floor(Date.now() / 1000);
  return { ...(await explainSignature(message, now, publicKey.trim())), authority: message.authority };
}

const ResultOf = ({ step, advice, base, authority }: Result, own: string) => (
  <section class="result">
    <h2 id="result">{step ? `It fails at: ${step}` : "Nothing is wrong with it"}</h2>
    <p>{advice}</p>
    {authority !== own && (
      <p>
        Its host is <code>{authority}</code>. This server is <code>{own}</code>, and that is what must be
        signed as <code>@authority</code>.
      </p>
    )}
    {!step && (
      <p>Only the server knows whether the key is registered and the request is new: each works once.</p>
    )}
    {base !== undefined && (
      <>
        <h3 id="base">What must have been signed, byte for byte</h3>
        <div class="code">
          <pre class="whole">
            <code>{base}</code>
          </pre>
        </div>
      </>
    )}
  </section>
);

/** The page with the input and the result. */
function page(
  links: readonly Link[],
  { request, publicKey, ignoresAge }: Pasted,
  outcome?: preact.JSX.Element,
) {
  return renderPage({
    title: "Why was a signed request refused?",
    links,
    current: signPath,
    children: (
      <article class="sign">
        <h1>Why was a signed request refused?</h1>
        {outcome}
        <form method="post" action={signPath}>
          <p>
            Paste the request as it was sent: its first line, its headers, an empty line, its body. What{" "}
            <code>curl -v</code> prints will do. Nothing of it is kept.
          </p>
          <label for="request">Request</label>
          <textarea id="request" name="request" rows={12} required spellcheck={false} autocomplete="off">
            {request}
          </textarea>
          <label for="publicKey">
            Public key that was registered (PEM); without it the signature is not verified
          </label>
          <textarea id="publicKey" name="publicKey" rows={4} spellcheck={false} autocomplete="off">
            {publicKey}
          </textarea>
          <label class="check">
            <input type="checkbox" name="ignoresAge" defaultChecked={ignoresAge} /> It may be older than the 5
            minutes in which it would be accepted
          </label>
          <button type="submit">Check</button>
        </form>
      </article>
    ),
  });
}

export const renderSignPage = (links: readonly Link[]): string => page(links, nothing);

/** @returns the page with the failed step, or with the error in the input */
export async function renderExplanation(links: readonly Link[], form: URLSearchParams, base: string) {
  // A browser sends line breaks as CR LF, also in a body.
  const given = (name: string) => (form.get(name) ?? "").toWellFormed().replaceAll("\r\n", "\n");
  const pasted = {
    request: given("request"),
    publicKey: given("publicKey"),
    ignoresAge: form.has("ignoresAge"),
  };
  try {
    return page(links, pasted, ResultOf(await explain(pasted, base), new URL(base).host));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const shown = pasted.publicKey.includes("PRIVATE") ? { ...pasted, publicKey: "" } : pasted;
    return page(links, shown, <p role="alert">{error.message}</p>);
  }
}
