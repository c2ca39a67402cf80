/** Account → Passkeys: a person's own. */
import {
  arePasskeysPossible,
  listPasskeys,
  type Passkey,
  registerPasskey,
  registrationOptions,
  removePasskey,
  renamePasskey,
} from "../../../resources/operators/passkeys.ts";
import { Input, Submit } from "../../ui/controls.tsx";
import { Confirm } from "../frame/confirm.tsx";
import type { Handlers } from "../frame/context.ts";
import { onGet, onPost, type PostRules, parseValues, type View } from "../frame/handler.ts";
import { KeyTimes } from "../frame/key-end.tsx";
import { Act, type ConsolePage, PostForm } from "../frame/layout.tsx";
import { ListPage } from "../frame/list-page.tsx";
import { PasskeyButton } from "../frame/passkey-button.tsx";
import { NewPasskey, PasskeyChoice, PasskeyName } from "../frame/shapes.ts";
import { frameText } from "../frame/words.ts";

const words = frameText.passkeys;
const path = "/console/account/passkeys";

const Row = ({ id, name, createdAt, lastUsedAt }: Passkey) => (
  <li>
    <div>
      <span dir="auto">{name}</span>
      <KeyTimes created={words.created} of={{ createdAt, lastUsedAt }} />
    </div>
    <details class="confirm harmless">
      <summary aria-label={words.renameOf(name)}>{words.rename}</summary>
      <PostForm action={`${path}/rename`} class="inline">
        <input type="hidden" name="passkey" value={id} />
        <Input name="name" scope={id} label={words.name} value={name} required />
        <Submit class="quiet" label={words.rename} />
      </PostForm>
    </details>
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

const Passkeys = ({ passkeys, isPossible }: { passkeys: Passkey[]; isPossible: boolean }) => (
  <ListPage
    title={words.title}
    intro={<p>{words.intro}</p>}
    items={passkeys}
    path={path}
    none={words.none}
    after={
      isPossible ? (
        <Act action={`${path}/new`} label={words.add} class="" />
      ) : (
        <p class="quiet">{words.impossible}</p>
      )
    }
  >
    <ul class="rows">
      {passkeys.map((passkey) => (
        <Row key={passkey.id} {...passkey} />
      ))}
    </ul>
  </ListPage>
);

const newPage = (options: object): ConsolePage => ({
  title: words.add,
  section: "account",
  content: (
    <>
      <h1>{words.add}</h1>
      <p class="quiet">{words.addIntro}</p>
      <PostForm action={path} class="stacked">
        <Input name="name" label={words.name} value="" autofocus required />
        <PasskeyButton name="passkey" label={words.create} options={options} />
        <a href={path}>{frameText.cancel}</a>
      </PostForm>
    </>
  ),
});

const listPage = async ({ deps, session }: View): Promise<ConsolePage> => ({
  title: words.title,
  section: "account",
  content: (
    <Passkeys
      passkeys={await listPasskeys(deps.sql, session.operator)}
      isPossible={arePasskeysPossible(deps.config)}
    />
  ),
});

const rules: PostRules = { retry: listPage, isRisky: true, passkey: "own" };

export const passkeysPages = {
  page: onGet(listPage),
  newPage: onPost(rules, async ({ deps, request, session }) =>
    newPage(await registrationOptions(deps, request, session)),
  ),
  add: onPost(rules, async ({ deps, request, session, values, actor }) => {
    const { name, passkey } = parseValues(values, NewPasskey);
    await registerPasskey(deps, request, actor, { team: session.team, credential: passkey, name });
    return { to: path, text: words.added };
  }),
  rename: onPost({ retry: listPage }, async ({ deps, values, actor }) => {
    const { passkey, name } = parseValues(values, PasskeyName);
    await renamePasskey(deps.sql, actor, passkey, name);
    return path;
  }),
  remove: onPost(rules, async ({ deps, session, values, actor }) => {
    const { passkey } = parseValues(values, PasskeyChoice);
    await removePasskey(deps.sql, actor, passkey, session.hash);
    return path;
  }),
} satisfies Handlers;
