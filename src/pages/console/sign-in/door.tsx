/** `/` in a browser: the name of the installation and the sign-in; on a new server the way to set it up. */
import type { Deps } from "../../../platform/deps.ts";
import { once } from "../../../platform/once.ts";
import { type Installation, readInstallation } from "../../../resources/operators/setup-link.ts";
import { MessagePage, redirect, respondWithPage } from "../../ui/page.tsx";
import { home } from "../frame/addresses.ts";
import type { Handler } from "../frame/context.ts";
import { LinkLine } from "../frame/parts.tsx";
import { findSession } from "../frame/session.ts";
import { frameText } from "../frame/words.ts";
import { signInText } from "./words.ts";

const words = signInText.door;

/** Anyone can open the page: the name is read once in this time. */
const nameKnownMs = 1_000;

const Door = ({ isSetUp, name }: Installation) => {
  const { product, signIn } = frameText;
  return (
    <MessagePage
      product={product}
      heading={isSetUp ? (name ?? words.title) : words.newTitle}
      foot={<a href="/developer">{words.developers}</a>}
    >
      {isSetUp ? (
        <>
          <LinkLine class="button" href={home} label={signIn.title} />
          <p class="quiet">{words.message}</p>
        </>
      ) : (
        <>
          <p>{words.newMessage}</p>
          <LinkLine class="button quiet" href="/developer/operate/install" label={words.documentation} />
        </>
      )}
    </MessagePage>
  );
};

/** Makes the handler of `/`. A person who is signed in is sent to the console. */
export function doorPage({ sql }: Deps): Handler {
  const read = once(() => readInstallation(sql), nameKnownMs);
  return async ({ deps, request, set }) => {
    if (await findSession(deps, request)) return redirect(set, home);
    // The page is there without a database.
    const installation = await read().catch((): Installation => ({ isSetUp: true, name: null }));
    const title = installation.name ?? frameText.product;
    return respondWithPage(set, { title, lang: frameText.lang, children: <Door {...installation} /> });
  };
}
