/** Words: signing in, invitations and the first start. */

export const signInEnglish = {
  forgotPassword: {
    message: "Enter the e-mail of your account. You get a link to choose a new password.",
    submit: "Send the link",
    sent: (email: string, minutes: number) =>
      `If there is an account for ${email}, a mail with a link is on its way. It works once, for ${minutes} minutes.`,
    help: "Ask an admin of your team for a link to choose a new one: People → New password. If you work in several teams, or are the only admin, a person who runs this server makes the link: formd operator reset-link.",
  },
  setup: {
    title: "Set up formd",
    message: "This makes the first account, with the role of admin, and an example form to try.",
    team: "Team",
    teamHint: "The organization that the forms belong to.",
    workspaceHint: "A part of the team with its own forms, agents and roles.",
    workspaceDefault: "Main",
    submit: "Set up",
    doneTitle: "formd is set up",
    done: "You are signed in as its first admin. An example form is online, with one submission, to look at.",
    seeExample: "See it as a respondent",
    agents:
      "An agent is a program that fills in forms. As this server is set, everybody who has an API key that may change forms can also make a new secret for an agent, and so send submissions in its name.",
    agentsFix:
      "Is this server more than a trial? Then let only people who sign in here do that. An administrator of the server sets:",
    doneSubmit: "Go to the forms",
  },
  invitation: {
    title: "You are invited",
    message: (role: string, workspace: string, team: string) =>
      `You are invited to the workspace ${workspace} of the team ${team}, as ${role}.`,
    expires: "The invitation is good until",
    accept: "Accept the invitation",
    signIn: "I have an account: sign in to accept",
    newAccount: "No account yet? Choose a password",
    submit: "Accept and sign in",
    other: (signedIn: string, invited: string) =>
      `You are signed in as ${signedIn}, but the invitation is for ${invited}. Sign out first, then open the link again.`,
    needsPassword:
      "You are signed in by an identity provider, and an invitation is for an account with a password. Sign out first, then open the link again and choose one.",
    byGroups: (connection: string) =>
      `You need not accept this invitation: your role comes from your groups at ${connection}. If the sign-in fails, ask the person who invited you to have you added to a group there.`,
    inAlready: (connection: string) =>
      `You are signed in with ${connection}, and your role comes from your groups there. You need not accept this invitation. If your role is another one than this, ask the person who invited you.`,
  },
  unsubscribe: {
    title: "Unsubscribe",
    message: "You get no more notices of submissions to this form.",
    done: (form: string) => `You get no more notices about the form ${form}.`,
  },
};
