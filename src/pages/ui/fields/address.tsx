import { addressPartsIn } from "../../../fields/address-order.ts";
import { controlName } from "../../../fields/control-values.ts";
import { perLocale } from "../../../fields/spelling.ts";
import { countries } from "../../../fields/types/address.ts";
import { type Choice, Input, Select } from "../controls.tsx";
import { Group } from "./group.tsx";
import type { ShownProps } from "./props.ts";

/** Tokens of `autocomplete` (HTML, "Autofill"). */
const addressTokens = {
  line1: "address-line1",
  line2: "address-line2",
  city: "address-level2",
  region: "address-level1",
  postalCode: "postal-code",
  country: "country",
} as const;

/** Returns the countries in the language of the page, in its order. */
export const countriesIn = perLocale((language): Choice[] => {
  const names = new Intl.DisplayNames([language], { type: "region" });
  const { compare } = new Intl.Collator(language);
  return countries
    .map((code) => ({ value: code, label: names.of(code) ?? code }))
    .sort((a, b) => compare(a.label, b.label));
});

export const Address = (props: ShownProps) => {
  const { field, words, shown, error, invalidPart, autofill, scope, intlMark } = props;
  const { requiredParts } = field.constraints;
  /** True if a message about the whole address is about this part too. */
  const isExpected = (part: string) => invalidPart === part || !requiredParts || requiredParts.includes(part);
  return (
    <Group {...props} class="address">
      {addressPartsIn(words.lang).map((part) => {
        const common = {
          name: controlName(field.id, part),
          label: words.addressParts[part],
          scope,
          value: shown.get(controlName(field.id, part)) ?? "",
          required: requiredParts && (requiredParts.includes(part) ? field.required || undefined : false),
          optional: words.optional,
          invalid: error !== undefined && (invalidPart ?? part) === part && isExpected(part),
          autocomplete: autofill ? addressTokens[part] : "off",
        };
        if (part !== "country") return <Input key={part} {...common} />;
        const names = countriesIn(words.lang);
        const marked = intlMark ? names.map((each) => ({ ...each, mark: intlMark })) : names;
        const choices = [{ value: "", label: words.choose }, ...marked];
        return <Select key={part} {...common} choices={choices} />;
      })}
    </Group>
  );
};
