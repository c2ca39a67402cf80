/** Account → Passkeys: a person's own. */

import { sessionSecretOf } from "../../platform/auth/operator-session.ts";
import { parseSecret } from "../../platform/auth/secret.ts";
import type { Deps } from "../../platform/deps.ts";
import { assertShape } from "../../platform/http/body.ts";
import {
  arePasskeysPossible,
  listPasskeys,
  type Passkey,
  registerPasskey,
  registrationOptions,
  removePasskey,
  renamePasskey,
} from "../../resources/operators/passkeys.ts";
import { Input, Notice } from "../ui/controls.tsx";
import { Time } from "../ui/text.tsx";
import { Confirm } from "./confirm.tsx";
import { onGet, onPost, type View } from "./handler.ts";
import { type Page, PostForm } from "./layout.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { NewPasskey, PasskeyChoice, PasskeyName } from "./shapes.ts";
import { text } from "./text.ts";

const words = text.passkeys;
const path = "/console/account/passkeys";

const Row = ({ id, name, createdAt, lastUsedAt }: Passkey) => (
  <li>
    <div>
      <span dir="auto">{name}</span>
      <small>
        {words.created} <Time at={createdAt} />
        {" · "}
        {lastUsedAt ? (
          <>
            {words.lastUsed} <Time at={lastUsedAt} />
          </>
        ) : (
          words.never
        )}
      </small>
    </div>
    <PostForm action={`${path}/rename`} class="inline">
      <input type="hidden" name="passkey" value={id} />
      <Input name="name" scope={id} label={words.name} value={name} required />
      <button type="submit" class="quiet small" aria-label={words.renameOf(name)}>
        {words.rename}
      </button>
    </PostForm>
    <Confirm
      label={words.remove}
      accessibleLabel={words.removeOf(name)}
      action={`${path}/remove`}
      hint={words.removeHint}
      confirm={words.removeConfirm}
      name="passkey"
      value={id}
    />
  </li>
);

const Passkeys = ({
  passkeys,
  isPossible,
  isAdded,
  message,
}: {
  passkeys: Passkey[];
  isPossible: boolean;
  isAdded: boolean;
  message?: string | undefined;
}) => (
  <>
    <h1>{words.title}</h1>
    {message && <Notice kind="error">{message}</Notice>}
    {isAdded && <Notice kind="success">{words.added}</Notice>}
    <p>{words.intro}</p>
    {passkeys.length > 0 ? (
      <ul class="rows">
        {passkeys.map((passkey) => (
          <Row key={passkey.id} {...passkey} />
        ))}
      </ul>
    ) : (
      <p class="quiet">{words.none}</p>
    )}
    {isPossible ? (
      <PostForm action={`${path}/new`}>
        <button type="submit">{words.add}</button>
      </PostForm>
    ) : (
      <p class="quiet">{words.impossible}</p>
    )}
  </>
);

const newPage = (options: object, name = "", message?: string): Page => ({
  title: words.add,
  section: "account",
  content: (
    <>
      <h1>{words.add}</h1>
      {message && <Notice kind="error">{message}</Notice>}
      <p class="quiet">{words.addIntro}</p>
      <PostForm action={path} class="stacked">
        <Input name="name" label={words.name} value={name} autofocus required />
        <PasskeyButton name="passkey" label={words.create} options={options} />
        <a href={path}>{text.cancel}</a>
      </PostForm>
    </>
  ),
});

export const passkeysPages = (deps: Deps) => {
  const { sql, config } = deps;
  const listPage = async (
    { session }: View,
    { isAdded = false, message }: { isAdded?: boolean; message?: string } = {},
  ): Promise<Page> => ({
    title: words.title,
    section: "account",
    content: (
      <Passkeys
        passkeys={await listPasskeys(sql, session.operator)}
        isPossible={arePasskeysPossible(config)}
        isAdded={isAdded}
        message={message}
      />
    ),
  });
  const again = (view: View & { message: string }) => listPage(view, { message: view.message });
  return {
    list: onGet(deps, (view) => listPage(view, { isAdded: view.query.added === "true" })),
    newPasskey: onPost(
      deps,
      async ({ request, session }) => newPage(await registrationOptions(deps, request, session)),
      again,
      { isRisky: true, passkey: "own" },
    ),
    add: onPost(
      deps,
      async ({ request, session, values, actor }) => {
        const { name, passkey } = assertShape(Object.fromEntries(values), NewPasskey, "bad_request");
        await registerPasskey(deps, request, actor, { team: session.team, credential: passkey, name });
        return `${path}?added=true`;
      },
      again,
      { isRisky: true, passkey: "own" },
    ),
    rename: onPost(
      deps,
      async ({ values, actor }) => {
        const { passkey, name } = assertShape(Object.fromEntries(values), PasskeyName, "bad_request");
        await renamePasskey(sql, actor, passkey, name);
        return path;
      },
      again,
    ),
    remove: onPost(
      deps,
      async ({ request, values, actor }) => {
        const { passkey } = assertShape(Object.fromEntries(values), PasskeyChoice, "bad_request");
        const { hash } = parseSecret("fdo", sessionSecretOf(config, request));
        await removePasskey(sql, actor, passkey, hash);
        return path;
      },
      again,
      { isRisky: true, passkey: "own" },
    ),
  };
};
