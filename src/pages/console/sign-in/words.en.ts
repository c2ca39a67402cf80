/** Words: signing in, invitations and the first start. */

export const signInEnglish = {
  forgotPassword: {
    message: "Enter the e-mail address of your account. You get a link to choose a new password.",
    submit: "Send the link",
    sent: (email: string, minutes: number) =>
      `If there is an account for ${email}, an e-mail with a link is on its way. The link works once and expires in ${minutes} minutes.`,
    help: "Ask an admin of your team for a link: People → New password. If you work in several teams or are the only admin, ask the person who runs this server for it (formd operator reset-link).",
  },
  door: {
    title: "Welcome",
    message: "Looking for a form? Use the link you were sent.",
    developers: "For developers",
    newTitle: "formd is running",
    newMessage: "Set it up with the link in its log. Each start prints a new one.",
    documentation: "Read the documentation",
  },
  setup: {
    title: "Set up formd",
    message: "Create your account. You will be the admin.",
    team: "Name of your organization",
    teamHint: "Shown on the front page of this server.",
    workspaceName: "Main",
    submit: "Create the account",
    exists: "This server is already set up",
    existsHint: "Sign in with the account that was created.",
  },
  invitation: {
    title: "You are invited",
    message: (role: string, workspace: string, team: string) =>
      `You are invited to the workspace ${workspace} of the team ${team}, as ${role}.`,
    expires: "Valid until",
    accept: "Accept the invitation",
    entries: "Ways into this account",
    byPassword: "Password",
    passwordSet: "chosen",
    byPasskey: (name: string) => `Passkey: ${name}`,
    bySession: (device: string) => `Session: ${device}`,
    sessionEnds: "ends when you accept",
    entriesHint:
      "Accept only if you know all of them: anyone with access to your account gets this role too. If in doubt, choose a new password first. That removes the other ways. Then open this link again.",
    signIn: "I have an account: sign in to accept",
    newAccount: "No account yet? Choose a password",
    submit: "Accept and sign in",
    other: (signedIn: string, invited: string) =>
      `You are signed in as ${signedIn}, but the invitation is for ${invited}. Sign out first, then open the link again.`,
    needsPassword:
      "You are signed in by an identity provider, but the invitation is for an account with a password. Sign out first, then open the link again and choose a password.",
    byGroups: (connection: string) =>
      `You do not need to accept this invitation: your role comes from your groups at ${connection}. If the sign-in fails, ask the person who invited you to have you added to a group there.`,
    inAlready: (connection: string) =>
      `You are signed in with ${connection}, and your role comes from your groups there. You do not need to accept this invitation. If your role is not this one, ask the person who invited you.`,
  },
  connection: {
    title: "Sign in",
    message: (connection: string, email: string, team: string) =>
      `${connection} has identified you as ${email}. This signs you in to the team ${team}. If that is not you, close this page.`,
    other: (email: string, team: string) =>
      `This browser is signed in as ${email}, in the team ${team}. Choose the account that you want to work with.`,
    replace: (email: string) => `Sign in as ${email}`,
    stay: (email: string) => `Stay signed in as ${email}`,
  },
  unsubscribe: {
    title: "Unsubscribe",
    message: "Stop the e-mails about submissions to this form?",
    done: (form: string) => `Unsubscribed. You get no more e-mails about submissions to ${form}.`,
  },
};
