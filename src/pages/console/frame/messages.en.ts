/** Messages of the server's problems, in English: mostly in the words of the API. */
import { type Messages, messages } from "../../../messages.ts";
import { Uuid } from "../../../platform/http/shapes.ts";
import { noAddress } from "../../ui/error-page.tsx";
import type { Words } from "../../ui/words.ts";

export const enteredEnglish = {
  /** Noun for an entered value, by the value's name in the request. */
  entered: {
    name: "The name",
    url: "The address",
    q: "The search",
  },
  other: "What you entered",
  tooLong: (entered: string, max: number) => `${entered} may have at most ${max} characters.`,
  noId: "An id is letters and digits such as 01a204aa-9c1e-7b61-8b2f-5d7a2a1c9f10.",
  /** Sentence with the expected value, by the value's name in the request. */
  asked: {
    after: "Enter a day such as 2026-11-20.",
    before: "Enter a day such as 2026-11-20.",
    timeZone: "Enter a time zone such as Europe/Berlin.",
  },
};

/**
 * Sentence about an entered value that does not have the expected shape.
 * @returns undefined for values that a person cannot have entered
 */
export function enteredText(
  { path, limit, expected }: Parameters<Messages["wrong_shape"]>[0],
  { entered, other, tooLong, asked, noId }: Words<typeof enteredEnglish>,
): string | undefined {
  const find = (words: Readonly<Record<string, string>>) =>
    Object.hasOwn(words, path) ? words[path] : undefined;
  if (!/^\w+$/.test(path)) return undefined;
  if (limit !== undefined) return tooLong(find(entered) ?? other, limit);
  return find(asked) ?? (expected.startsWith(Uuid.description) ? noId : undefined);
}

const tooMuch = () => "This form has become too large. Remove something, or divide it into two forms.";

const noQuestion = ({ id }: { id: string }) => `There is no question that programs know as “${id}”.`;

/** Messages that differ from the API's, which name things that a person has not seen. */
export const messagesEnglish: Messages = {
  ...messages,
  address_https_only: ({ address }) => `The address ${address} may be reached by https only.`,
  address_not_public: ({ address }) => `The address ${address} is not public.`,
  address_taken: ({ address }) => `"${address}" is the address of another form. Choose another one.`,
  agent_unnamed: "An agent needs a name that is not blank.",
  availability_invalid: () => "Enter when the form opens and closes, each as a day and a time.",
  draft_changed:
    "The draft has been changed since you opened this page. Look at the changes again, then publish.",
  field_id_fixed: () => "The id of a question cannot change. Remove the question and add another one.",
  field_id_taken: ({ id }) => `There is a question that programs know as “${id}” already.`,
  field_ids_equal: ({ id }) => `Two questions have the id “${id}”.`,
  field_missing: noQuestion,
  form_changed: "The form was changed since you opened this page.",
  form_unnamed: () => "A form needs a name that is not blank.",
  issuer_not_plain: "The address of the provider must have no name, password, ? or # in it.",
  no_operation: "At least one is needed.",
  opens_after_closing: () => "The form must open before it closes.",
  previous_field_missing: noQuestion,
  provider_not_found: ({ reason }) => `The identity provider was not found: ${reason}`,
  public_key_invalid: () =>
    "This is no public key of Ed25519 or P-256. It begins with -----BEGIN PUBLIC KEY-----.",
  route_missing: noAddress,
  schema_too_large: tooMuch,
  sent_settings_too_large: ({ maxKiB }) => `At most ${maxKiB} KiB in one request.`,
  settings_too_large: tooMuch,
  submission_changed: "The submission was changed since you opened this page.",
  too_many_addresses: ({ max }) => `At most ${max} forms of a team have an address of their own.`,
  too_many_operations: ({ max }) => `At most ${max} in one request.`,
  too_many_settings: ({ max }) => `At most ${max} values in one request.`,
  url_not_https: () => "The address must begin with https://.",
  url_too_long: ({ max }) => enteredEnglish.tooLong(enteredEnglish.entered.url, max),
  url_with_fragment: "The address must have no # in it.",
  url_with_user: "The address must have no name or password in it.",
  wrong_shape: (values) => enteredText(values, enteredEnglish) ?? messages.wrong_shape(values),
};
