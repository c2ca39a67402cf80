/** Words for the properties of a submission that formd itself knows: in the console and in workbooks. */

export const factsEnglish = {
  states: { waiting: "Waiting", accepted: "Accepted", rejected: "Rejected", incomplete: "Incomplete" },
  submitters: { agent: "Agent", anonymous: "Anonymous", api_key: "API key" },
  provenances: {
    person: "A person (anonymous)",
    declared_agent: "A program that declares itself",
    agent: "An agent (secret)",
    agent_signed: "An agent (signed)",
    agent_for_person: "An agent for a person",
    owner: "The owner (API key)",
  },
};

export const factsGerman: typeof factsEnglish = {
  states: {
    waiting: "Wartet",
    accepted: "Angenommen",
    rejected: "Abgelehnt",
    incomplete: "Unvollständig",
  },
  submitters: { agent: "Agent", anonymous: "Anonym", api_key: "API-Schlüssel" },
  provenances: {
    person: "Person (anonym)",
    declared_agent: "Programm, das sich zu erkennen gibt",
    agent: "Agent (Geheimnis)",
    agent_signed: "Agent (signiert)",
    agent_for_person: "Agent für eine Person",
    owner: "Inhaber (API-Schlüssel)",
  },
};

/** State of a submission for people: the decision on it, if there is one, else its status. */
export const stateOfSubmission = {
  approved: "accepted",
  rejected: "rejected",
  pending: "waiting",
  completed: "accepted",
  partial: "incomplete",
} as const;
