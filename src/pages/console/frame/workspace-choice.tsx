/** Choice of the workspace of a list, if the operator has several. */
import { choicesOfNames, Select, Submit } from "../../ui/controls.tsx";
import type { Session } from "./session.ts";
import { frameText } from "./words.ts";

export const WorkspaceChoice = ({
  action,
  workspaces,
  chosen,
}: {
  action: string;
  workspaces: Session["workspaces"];
  chosen: string;
}) =>
  workspaces.length > 1 && (
    <form method="get" action={action} class="inline">
      <Select
        name="workspace"
        label={frameText.workspace}
        value={chosen}
        choices={choicesOfNames(workspaces)}
      />
      <Submit class="quiet" label={frameText.show} />
    </form>
  );
