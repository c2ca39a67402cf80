/** Words: a person's own account. */

export const accountEnglish = {
  sessions: {
    teamHeading: "Team",
    current: "current",
    switch: (team: string) => `Switch to ${team}`,
    rolesHeading: "Your roles",
    languageHeading: "Language",
    language: "Language of the console",
    languageOfBrowser: "As the browser has it",
    mailsHint:
      "You always get a mail of a sign-in from a new device, of a new passkey, and of a new API key: who has taken over your account could switch them off.",
    mailsLegend: "Also send me a mail when",
    optionalMails: {
      webhook_disabled: "a webhook is disabled, since it fails",
      key_expiry: "a key of an agent expires in two weeks",
    },
    endHeading: "Sessions",
    unknownDevice: "Unknown device",
    since: "signed in",
    thisOne: "this one",
    end: "End",
    ended: "The session has ended.",
    endOf: (device: string) => `End the session of ${device}`,
    endMessage: "Ends every session of yours, in every browser and every team. Use it when a device is lost.",
    signOutEverywhere: "Sign out everywhere",
  },
};
