/** What is proven of who sent a submission: submissions.provenance, with whose check a test compares it. */
export const provenances = [
  "person",
  "declared_agent",
  "agent",
  "agent_signed",
  "agent_for_person",
  "owner",
] as const;

export type Provenance = (typeof provenances)[number];
