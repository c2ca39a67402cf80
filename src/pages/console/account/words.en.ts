/** Words: a person's own account. */

export const accountEnglish = {
  sessions: {
    teamHeading: "Team",
    current: "current",
    rolesHeading: "Your roles",
    languageHeading: "Language",
    language: "Language of the console",
    languageOfBrowser: "Same as the browser",
    mailsHint:
      "For your security, you always get an e-mail about a sign-in from a new device, a new password, a new passkey and a new API key.",
    mailsLegend: "Also send me an e-mail when",
    optionalMails: {
      webhook_disabled: "a webhook is disabled because it fails",
      key_expiry: "a key of an agent expires in two weeks",
    },
    feedsHeading: "News feeds",
    feedSince: "address created",
    endFeedOf: (form: string) => `End the news feed of ${form}`,
    endHeading: "Sessions",
    unknownDevice: "Unknown device",
    since: "signed in",
    thisOne: "this device",
    end: "End",
    ended: "Session ended.",
    endOf: (device: string) => `End the session of ${device}`,
    endMessage:
      "Signing out everywhere ends all your sessions, in every browser and team. If you lose a device, also remove its passkey.",
    signOutEverywhere: "Sign out everywhere",
  },
};
