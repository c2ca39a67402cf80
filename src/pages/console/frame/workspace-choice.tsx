/** Which workspace a list is of, where the operator has several. */
import { choicesOfNames, Select, Submit } from "../../ui/controls.tsx";
import type { Session } from "./session.ts";
import { text } from "./text.ts";

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
      <Select name="workspace" label={text.workspace} value={chosen} choices={choicesOfNames(workspaces)} />
      <Submit class="quiet" label={text.show} />
    </form>
  );
