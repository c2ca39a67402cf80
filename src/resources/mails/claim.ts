/** A mail that the worker has leased, and the data to write it with. */
import type { Deps } from "../../platform/deps.ts";
import type { FormRow } from "../forms/shapes.ts";
import type { MailLanguage } from "./text.ts";

/** A mail as formd.mail_claim returns it. */
export interface ClaimedMail {
  id: string;
  kind: string;
  attempt: number;
  formId: string;
  formName: string;
  settings: FormRow["settings"];
  subjectId: string | null;
  recipientHash: Uint8Array | null;
  address: string | null;
  language: MailLanguage | null;
  submissions: number;
  createdAt: Date;
}

export interface Dropped {
  dropped: string;
}

export type MailDeps = Pick<Deps, "sql" | "config" | "masterKey">;
