/** Account → Passkeys: a person's own. */
import { type } from "arktype";
import { limits } from "../../../limits.ts";
import { Name, Uuid } from "../../../platform/http/shapes.ts";
import * as resource from "../../../resources/operators/passkeys.ts";
import type { InputProps } from "../../ui/controls.tsx";
import type { Handlers } from "../frame/context.ts";
import { PasskeyButton } from "../frame/credential-inputs.tsx";
import { formOf, sent, textInput } from "../frame/form.tsx";
import { type FormPost, onGet, onPost, type PageContext } from "../frame/handler.ts";
import { KeyTimes } from "../frame/key-end.tsx";
import { ActionButton, type ConsolePage, PostForm } from "../frame/layout.tsx";
import { ListPage } from "../frame/list-page.tsx";
import { Confirm, FoldedForm } from "../frame/parts.tsx";
import { frameText } from "../frame/words.ts";

const words = frameText.passkeys;
const path = "/console/account/passkeys";

const PasskeyResponse = type.string.atMostLength(4 * limits.passkey.maxResponseLength);

/** @param value the current name */
const nameControl = (value: string, more: Partial<InputProps> = {}) =>
  textInput({ label: frameText.name, value, ...more, shape: Name, required: true });
const renameForm = (name = "") =>
  formOf({ name: nameControl(name), passkey: sent(Uuid) }, { scopedBy: "passkey" });
const newForm = () => formOf({ name: nameControl("", { autofocus: true }), passkey: sent(PasskeyResponse) });
const passkeyForm = formOf({ passkey: sent(Uuid) });

const Row = ({ id, name, createdAt, lastUsedAt }: resource.Passkey) => (
  <li>
    <div>
      <span dir="auto">{name}</span>
      <KeyTimes created={frameText.added} times={{ createdAt, lastUsedAt }} />
    </div>
    <FoldedForm
      label={frameText.rename}
      accessibleLabel={words.renameOf(name)}
      action={`${path}/rename`}
      form={renameForm(name)}
      fields={{ passkey: id }}
      submit={frameText.rename}
    />
    <Confirm
      label={frameText.remove}
      accessibleLabel={frameText.removeOf(name)}
      action={`${path}/remove`}
      hint={words.removeHint}
      confirm={words.removeConfirm}
      name="passkey"
      value={id}
    />
  </li>
);

const Passkeys = ({ passkeys, isPossible }: { passkeys: resource.Passkey[]; isPossible: boolean }) => (
  <ListPage
    title={words.title}
    intro={<p>{words.intro}</p>}
    items={passkeys}
    path={path}
    none={words.none}
    after={
      isPossible ? (
        <ActionButton action={`${path}/new`} label={words.add} class="" />
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
      <PostForm action={path} form={newForm()} class="stacked">
        <PasskeyButton name="passkey" label={words.create} options={options} />
        <a href={path}>{frameText.cancel}</a>
      </PostForm>
    </>
  ),
});

const listPage = async ({ deps, session }: PageContext): Promise<ConsolePage> => ({
  title: words.title,
  section: "account",
  content: (
    <Passkeys
      passkeys={await resource.listPasskeys(deps.sql, session.operator)}
      isPossible={resource.arePasskeysPossible(deps.config)}
    />
  ),
});

const askAgain = async ({ deps, request, session }: PageContext): Promise<ConsolePage> =>
  newPage(await resource.registrationOptions(deps, request, session));

const rules = { act: "passkey.added", retry: listPage } as const;

const passkeyName = async ({ deps, session, values }: FormPost) => {
  const passkeys = await resource.listPasskeys(deps.sql, session.operator);
  return passkeys.find(({ id }) => id === values.get("passkey"))?.name ?? "";
};

export const passkeysPages = {
  page: onGet(listPage),
  newPage: onPost(rules, askAgain),
  add: onPost(
    { ...rules, form: newForm, retry: askAgain },
    async ({ deps, request, session, data: { name, passkey: credential }, actor }) => {
      await resource.registerPasskey(deps, request, actor, { team: session.team, credential, name });
      return { to: path, text: words.added };
    },
  ),
  rename: onPost(
    { act: "passkey.renamed", form: () => renameForm(), retry: listPage },
    async ({ deps, data: { passkey, name }, actor }) => {
      await resource.renamePasskey(deps.sql, actor, passkey, name);
      return path;
    },
  ),
  remove: onPost(
    { ...rules, act: "passkey.removed", nameOf: passkeyName, form: passkeyForm },
    async ({ deps, session, data: { passkey }, actor }) => {
      await resource.removePasskey(deps.sql, actor, passkey, session.hash);
      return path;
    },
  ),
} satisfies Handlers;
