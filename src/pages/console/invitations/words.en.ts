/** Words in English: people who are invited to fill in a form. */

const people = (count: number) => (count === 1 ? "1 person" : `${count.toLocaleString("en")} people`);

export const invitationsEnglish = {
  title: "Invite people",
  intro: "Each person gets a private link to the form, which works for one submission.",
  draft: "Publish the form first: only then do the links lead to it.",
  archived: "This form is archived. Restore it in the menu ⋯ to invite people.",
  offline: "The page of this form is offline, so that the links lead nowhere yet.",
  toShare: "Put it online",
  closed: "The public address is closed: only people with a link of their own can fill in the form.",
  anyone: "Anyone with the public address can fill in the form as well.",
  anonymous: "Answers are anonymous: the list says who has sent, never which answers are whose.",
  toSettings: "Change this",
  noKey:
    "Invitations need a master key (FORMD_SECRET_KEY), which protects the addresses. This server has none. Ask the person who runs it.",
  add: {
    title: "Add people",
    people: "E-mail addresses",
    peopleHint: "One per line, for example Ada <ada@example.org>.",
    file: "Or a CSV file",
    fileHint:
      "Columns: email, name, language, expires (a day). A column named like a question fills in its answer.",
    check: "Check the list",
    nothing: "Enter addresses, or choose a file.",
    tooLarge: (megabytes: string) => `The file may have at most ${megabytes} MB.`,
    unread: {
      noText: "The file is not text in UTF-8. Save it as CSV in UTF-8.",
      noColumns: "The first row needs a column named email or name.",
      rows: (max: string) => `A list may have at most ${max} people. Divide it.`,
      quotes: (row: number) => `A quotation mark in row ${row} is wrong. Nothing was read.`,
    },
  },
  wrong: {
    empty: "An address or a name is missing.",
    address: (text: string) => `“${text}” is not an e-mail address.`,
    label: (max: number) => `The name may have at most ${max} characters.`,
    expires: (days: number) => `The day must be in the future, at most ${days} days from now.`,
    language: (tag: string) => `The form does not have the language “${tag}”.`,
    day: (text: string) => `“${text}” is not a day. Write it as 2026-12-31.`,
    value: (question: string) => `This cannot be an answer to “${question}”.`,
    twice: (row: number) => `The address is in row ${row} already.`,
    inRow: (row: number, sentence: string) => `Row ${row}: ${sentence}`,
    more: (count: string) => `and ${count} more`,
  },
  check: {
    title: "Check before you send",
    ready: (count: number) =>
      count === 1 ? "1 person can be invited." : `${count.toLocaleString("en")} people can be invited.`,
    none: "No one can be invited from this list.",
    left: (count: number) =>
      count === 1 ? "1 row is left out:" : `${count.toLocaleString("en")} rows are left out:`,
    unused: (columns: string) =>
      `Columns that are not used, since no question of that name may be filled in by a link: ${columns}.`,
    known: (count: number) =>
      count === 1
        ? "1 person has an open invitation already, and is left out."
        : `${count.toLocaleString("en")} people have an open invitation already, and are left out.`,
    first: (count: number) => `The first ${count} people:`,
    begins: "Begins with",
    until: "Works until",
    days: (days: number) => `${days} days from now`,
    mail: "The e-mail",
    mailIn: (language: string) => `The e-mail in ${language}`,
    subject: "Subject",
    noAddress: (count: number) =>
      `${people(count)} without an address: nothing can be mailed to them. Make links, and pass them on yourself.`,
    noMail: "This server sends no e-mail. You get the links, and pass them on yourself.",
    send: (count: number) =>
      count === 1 ? "Send 1 invitation" : `Send ${count.toLocaleString("en")} invitations`,
    makeLinks: (count: number) => (count === 1 ? "Make 1 link" : `Make ${count.toLocaleString("en")} links`),
    linksInstead: "Make links instead, without e-mail",
    again: "Change the list",
    sent: (count: number) =>
      count === 1
        ? "1 invitation is on its way."
        : `${count.toLocaleString("en")} invitations are on their way.`,
    unreadable: "The list could not be read. Check it again.",
  },
  links: {
    title: "The links",
    once: "These links are shown this once. Download them now: they are not stored.",
    download: "Download as CSV",
    file: "invitations",
    columns: { label: "Name", email: "E-mail", link: "Link" },
    shown: (count: string) => `The first ${count} of them. The file has all.`,
    done: "To the invitations",
  },
  list: {
    title: "Invited people",
    none: "No one is invited yet.",
    noneFound: "No invitation matches.",
    search: "Name or whole e-mail address",
    state: "State",
    everyState: "All",
    states: { open: "Open", submitted: "Sent in", revoked: "Revoked" },
    counts: (sent: string, open: string, all: string) => `${sent} of ${all} have sent it in · ${open} open`,
    revokedCount: (count: string) => `${count} revoked`,
    person: "Person",
    noName: "No name",
    mail: "Last e-mail",
    due: "goes out",
    neverMailed: "not mailed",
    bounced: "could not be delivered",
    unsubscribed: "wants no more e-mail",
    expires: "until",
    expired: "Ended",
    submission: "Show the submission",
    act: "Action",
    revoke: "Revoke",
    revokeOf: (name: string) => `Revoke the invitation of ${name}…`,
    revokeHint: "The link stops working, and the name, address and answers of the invitation are deleted.",
    revokeConfirm: "Revoke this link",
    revoked: "Invitation revoked.",
  },
  remind: {
    title: "Remind everyone who has not sent it in",
    days: "Days since the last e-mail, at least",
    daysWrong: (max: number) => `Enter a whole number from 1 to ${max}.`,
    check: "Count them",
    ask: (count: number) => `A reminder goes to ${people(count)}.`,
    none: "There is no one to remind now.",
    hint: (max: number) =>
      `Each person gets at most ${max === 1 ? "1 reminder" : `${max} reminders`}, and one a day.`,
    submit: (count: number) =>
      count === 1 ? "Send 1 reminder" : `Send ${count.toLocaleString("en")} reminders`,
    done: (count: number) =>
      count === 1 ? "1 reminder is on its way." : `${count.toLocaleString("en")} reminders are on their way.`,
    noMail: "This server sends no e-mail, so it cannot remind people.",
  },
};
