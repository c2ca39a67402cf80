import { controlName } from "../../../fields/control-values.ts";
import { rankingSize } from "../../../fields/page-size.ts";
import { idOf } from "../controls.tsx";
import { SelectList, Typed } from "./choices.tsx";
import { Group } from "./group.tsx";
import { choicesIn, type ShownProps } from "./props.ts";

/** Places of a ranking, each a list of all options. Many share one: separate lists were n² options. */
export const Ranking = (props: ShownProps) => {
  const { field, words, shown, error, scope } = props;
  const name = controlName(field.id);
  const options = choicesIn(props, "options");
  const ranked = shown.getAll(name).filter((value) => value !== "");
  const choices = [{ value: "", label: words.choose }, ...options];
  const { places, isListed } = rankingSize(field);
  const invalid = error !== undefined;
  const listId = idOf(`${name}=list`, scope);
  return (
    <Group {...props} class="ranking">
      {!isListed && (
        <datalist id={listId}>
          {options.map(({ value, label, mark }) => (
            <option key={value} value={value} {...mark}>
              {label}
            </option>
          ))}
        </datalist>
      )}
      {options.slice(0, Math.max(places, ranked.length, 1)).map((option, index) => {
        const common = { name, label: words.place(index + 1), value: ranked[index], invalid, scope, index };
        return isListed ? (
          <SelectList key={option.value} choices={choices} {...common} />
        ) : (
          <Typed key={option.value} list={listId} {...common} />
        );
      })}
    </Group>
  );
};
