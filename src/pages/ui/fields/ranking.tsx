/** Options in an order. */
import { choicesOf, controlName } from "../../../fields/control-values.ts";
import { List } from "./choices.tsx";
import { Group } from "./group.tsx";
import type { ShownProps } from "./props.ts";

/**
 * The options in the order of the places: each place has a list of all options. It works by keyboard, and
 * what is sent is the value.
 */
export const Ranking = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const name = controlName(field.id);
  const options = choicesOf(field.constraints.options);
  const ranked = shown.getAll(name).filter((value) => value !== "");
  const choices = [{ value: "", label: words.choose }, ...options];
  const places = Math.min(options.length, field.constraints.maxItems ?? options.length);
  return (
    <Group {...props} class="ranking">
      {options.slice(0, Math.max(places, ranked.length, 1)).map((option, index) => (
        <List
          key={option.value}
          name={name}
          label={words.place(index + 1)}
          choices={choices}
          value={ranked[index]}
          invalid={error !== undefined}
          scope={scope}
          index={index}
        />
      ))}
    </Group>
  );
};
