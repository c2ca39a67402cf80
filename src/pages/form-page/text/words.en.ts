/**
 * English words of the pages of forms. Every other language has the same members, and in each sentence the
 * same placeholders. `sentences.ts` describes them. A label is any text, a question too, so that sentences
 * do not have it.
 */
export const english = {
  yes: "Yes",
  no: "No",
  choose: "Choose…",
  other: "Other",
  noAnswer: "No answer",
  scaleEnds: { least: "lowest", greatest: "highest" },
  optional: "optional",
  remove: "Remove",
  full: "{label} (full)",
  left: { one: "{label} ({n:plain} place left)", other: "{label} ({n:plain} places left)" },
  /** Forms by the plural rules of ordinal numbers. */
  place: {
    one: "{n:plain}st place",
    two: "{n:plain}nd place",
    few: "{n:plain}rd place",
    other: "{n:plain}th place",
  },
  addressParts: {
    line1: "Address line 1",
    line2: "Address line 2",
    city: "Town or city",
    region: "State or region",
    postalCode: "Postal code",
    country: "Country",
  },
  moment: { local: "Date and time", zone: "Time zone", inZone: "Time zone: {zone}." },
  characters: { left: "Characters left: {n}", over: "Characters too many: {n}" },
  submit: "Submit",
  sending: "Sending…",
  errorTitle: "Error: {title}",
  errorHeading: "There is a problem",
  unknownName: "This form has no field “{name}”.",
  changed: {
    heading: "This form has changed",
    message:
      "It was updated while you were filling it in, and nothing has been sent yet. Your answers are still here. Check the marked fields, then submit again.",
    field: "New or changed",
  },
  more: {
    heading: "There are more questions",
    message:
      "They follow from your answers, and nothing has been sent yet. Answer the marked questions, then continue.",
    field: "New question",
    /** Texts for one question, and for any greater number: without a plural if the language has several. */
    appeared: { one: "1 more question has appeared.", several: "{n} more questions have appeared." },
  },
  notCalculated: "Calculated from your other answers",
  captcha: {
    noScript: "This form needs JavaScript for its security check.",
    working: "Security check…",
    failed: {
      heading: "This form was not sent",
      message: "The security check did not succeed. Please send the form again.",
    },
  },
  uploads: {
    drop: "Files can be dropped here.",
    sending: "Uploading…",
    sent: "Uploaded: {names}",
    removed: "Removed: {names}",
    failed: "Uploading did not succeed. Choose the file again, or send it with the form.",
  },
  /** A sentence after the label of its field; `:lower` if it goes on in lower case. */
  inSummary: "{label}: {sentence:lower}",
  /** Signs at the end of a label after which its sentence begins anew. */
  labelEnds: "?!.:",
  meant: "Did you mean {readings:or}? Enter it that way.",
  skipped: "This time does not exist on that day: the clocks go forward. Enter an earlier or a later one.",
  isRight: "Is “{address}” right? The part after @ has no dot. Correct it, or send it again as it is.",
  steps: {
    position: "Step {n:plain} of {count:plain}",
    next: "Continue",
    back: "Back",
    check: {
      heading: "Check your answers",
      message: "Nothing has been sent yet. You can change the answers of each step.",
    },
    change: "Change",
    noValue: "Not answered",
    altered: {
      heading: "Check your answers again",
      message:
        "Your earlier answers did not arrive unchanged. Nothing has been stored. Go through the steps again: each shows what was sent.",
    },
  },
  draft: {
    restored: "Your earlier answers are here again. They were kept in this browser.",
    kept: "What you enter is kept in this browser for a week, or until you send it.",
    clear: "Clear it",
  },
  footer: { privacy: "Privacy", imprint: "Legal notice", contact: "Contact", newTab: "opens in a new tab" },
  alreadySent: {
    heading: "You have already sent this form",
    message:
      "It was sent from this page with other answers. The answers here have not been sent. To send them as well, submit again.",
  },
  openForLong: {
    heading: "This page has been open for more than a week",
    message:
      "If it was sent before, this can no longer be told. The answers here have not been sent now. If you have not sent them yet, submit again.",
  },
  sent: {
    heading: "Thank you",
    message: "Your form has been sent.",
    reference: "Your reference",
    values: "What you sent",
    notShown: "Sent, and not shown here",
    copy: "Copy",
    copied: "Copied",
    print: "Print",
    again: "Send another",
  },
  /** The page is saved, to be continued by a link. */
  resume: {
    save: "Save and continue later",
    heading: "Your answers are saved",
    message: "Nothing has been sent yet. You can continue by this link until {day}, on any device.",
    link: "Link to your answers",
    keep: "Keep this link: nobody can make it again, not even the people who run this form. Whoever has it can read your answers, change them and send them.",
    shared: "On a computer that others use, close this page when you have copied the link.",
    mail: "Send it to me",
    address: "E-mail address",
    addressHint: "It is used once, for this mail, and is not stored.",
    mailed: "The link is on its way to {address}.",
    notMailed: "No mail could be sent to this address now. Copy the link instead.",
    continue: "Continue now",
    conflict: {
      heading: "Your answers were saved somewhere else",
      message:
        "Since you opened this page, other answers were saved by the same link. They are still stored. Save again to replace them by those on this page.",
    },
    tooMuch: {
      heading: "This is too much to save",
      message: "Nothing has been saved. Your answers are still on this page: shorten them, or send them.",
    },
    refused: {
      heading: "This form cannot be saved now",
      message: "Your answers are still on this page, and can be sent. Try to save them later.",
    },
  },
  /** Changes of what was sent, by a link. */
  change: {
    link: "Change what you sent",
    until: "You can change it until {moment}, by this link. Keep it: whoever has it can do the same.",
    open: "You can change it as long as the form is open, by this link. Keep it: whoever has it can do the same.",
    heading: "Change what you sent",
    message: "These are the answers that you sent. They stay as they are until you send changes.",
    notShown: "You have sent an answer, which is not shown. Leave this empty to keep it.",
    submit: "Send changes",
    done: { heading: "Your changes are stored", message: "They replace what you sent before." },
    nothing: { heading: "Nothing has changed", message: "These are the answers that you sent before." },
    conflict: {
      heading: "Your submission was changed meanwhile",
      message:
        "Nothing of this page is stored yet. Where the people who run the form stored another answer, it stands beside yours. Send again to store yours.",
    },
    storedNow: "Stored now: {value}",
    ended: {
      heading: "The time for changes is over",
      message: "What you sent stays as it is. Ask the people who run the form if something is wrong.",
    },
    off: {
      heading: "Changes are not possible any more",
      message: "What you sent stays as it is. Ask the people who run the form if something is wrong.",
    },
    reviewed: {
      heading: "Your submission has been reviewed",
      message: "It cannot be changed any more. Ask the people who run the form if something is wrong.",
    },
    held: {
      heading: "Your submission is kept as it is",
      message: "It cannot be changed at the moment. Ask the people who run the form for the reason.",
    },
    withdraw: {
      button: "Take back my submission",
      heading: "Take back your submission?",
      message: "All that you sent is deleted. This cannot be undone.",
      keep: "Keep it",
      done: { heading: "Your submission is taken back", message: "What you sent has been deleted." },
    },
  },
  /** A page that opens by a link alone. */
  links: {
    unknown: {
      heading: "This link leads nowhere",
      message: "It may have ended, or what it led to was sent. Check that you have copied all of it.",
    },
    used: {
      heading: "This invitation has been used",
      message: "The form was sent by it, which is possible once.",
    },
    needed: {
      heading: "This form is for invited people",
      message: "Open it by the link in your invitation.",
    },
  },
  retry: "Try again",
  kept: "Your answers are kept on this page.",
  closed: {
    not_open: { heading: "This form is not open yet", message: "It opens on {moment}." },
    closed: { heading: "This form is closed", message: "It closed on {moment}." },
    full: { heading: "This form is full", message: "All places are taken. Nothing has been sent." },
  },
  offline: {
    heading: "This form is not online at the moment",
    message: "Try again later, or ask the person who sent you the link.",
  },
  /** Heading, also of a request that has the wrong content type. */
  badRequest: "This request is not valid",
  failures: {
    bad_request: "The page that you came from may be out of date. Open the form again.",
    not_found: {
      heading: "There is no form here",
      message: "Check the address. The form may have been moved or switched off.",
    },
    anonymous_not_allowed: {
      heading: "This form is not open to the public",
      message: "It takes no submissions from this page. Ask the person who sent you the link.",
    },
    declared_agent_refused: {
      heading: "This form is for people",
      message: "Programs cannot submit it on this page. An agent can use the API, if its owner allows it.",
    },
    captcha_unavailable: {
      heading: "This form cannot be sent right now",
      message: "The security check is not available. Please try again later.",
    },
    gone: "It has been archived and takes no more submissions.",
    method_not_allowed: { heading: "This address is for reading only", message: "Open the form again." },
    payload_too_large: {
      heading: "This is too much to send",
      message: "Go back, shorten what you entered, and submit again. Nothing has been stored.",
    },
    invalid_content_type: "The form must be sent by its own page. Open the form again.",
    rate_limited: {
      heading: "Please wait a moment",
      message: "There have been too many requests from your network. Nothing has been stored.",
    },
    internal_error: {
      heading: "Something went wrong",
      message: "We do not know whether your form has been stored. Sending it again from this page is safe.",
    },
    unavailable: {
      heading: "The service is not available right now",
      message: "Please try again in a moment. Sending the same form again from this page stores it once.",
    },
  },
  wait: {
    one: "You can try again in {n:grouped} second.",
    other: "You can try again in {n:grouped} seconds.",
  },
  request: "Request",
  hints: {
    between: "From {least} to {n}.",
    number: { least: "{n} or more.", greatest: "{n} or less." },
    /** Bounds of days, times, and both. */
    moment: { least: "{n} or later.", greatest: "{n} or earlier." },
    length: {
      between: {
        one: "{least:plain} to {n:grouped} character.",
        other: "{least:plain} to {n:grouped} characters.",
      },
      least: { one: "At least {n:grouped} character.", other: "At least {n:grouped} characters." },
      greatest: {
        one: "At most {n:grouped} character.",
        other: "At most {n:grouped} characters.",
      },
    },
    files: {
      between: {
        one: "{least:plain} to {n:grouped} file.",
        other: "{least:plain} to {n:grouped} files.",
      },
      least: { one: "At least {n:grouped} file.", other: "At least {n:grouped} files." },
      greatest: { one: "At most {n:grouped} file.", other: "At most {n:grouped} files." },
    },
    /** The number of chosen options. */
    items: {
      exactly: "Choose {n:plain}.",
      between: "Choose {least:plain} to {n:plain}.",
      least: "Choose at least {n:plain}.",
      greatest: "Choose at most {n:plain}.",
      any: "Choose all that apply.",
    },
    fileSize: { one: "At most {size}.", each: "At most {size} each." },
    domains: "An address at {domains:or}.",
    phone: {
      international: "With + and the country code, for example {international}.",
      national: "For example {national} or {international}.",
    },
    url: "For example https://example.com.",
    whole: "A whole number.",
    steps: "In steps of {n}.",
    allRows: { required: "Choose in every row.", optional: "If you choose, then in every row." },
  },
  /** Sentences that several errors or hints have. */
  yesOrNo: "Choose yes or no.",
  oneOption: "Choose an option.",
  tick: "Tick the box to continue.",
  rankAll: "Give every option a place.",
  /** Messages of errors, by code, and by type of the field where they differ. */
  sentences: {
    required: {
      any: "Enter an answer.",
      email: "Enter an e-mail address.",
      phone: "Enter a phone number.",
      url: "Enter a web address.",
      number: "Enter a number.",
      integer: "Enter a whole number.",
      date: "Enter a date.",
      time: "Enter a time.",
      datetime: "Enter a date and a time.",
      multi_select: "Choose at least one option.",
      ranking: "Rank the options.",
      file: "Choose a file.",
      rating: "Choose a rating.",
      matrix: "Choose an option in each row.",
    },
    not_applicable: "This is not asked with your other answers.",
    computed: "This is calculated from your other answers. Check it.",
    unknown_field: "This form takes no answer here.",
    type_mismatch: {
      any: "Enter a valid answer.",
      number: "Enter a number without a unit, such as {decimal}.",
      integer: "Enter a whole number, such as 12.",
    },
    format: {
      any: "Remove the characters that cannot be stored.",
      email: "Enter an e-mail address, such as name@example.com.",
      url: "Enter a web address, such as https://example.com.",
      date: "Enter a real date, such as {day} or 2026-11-20.",
      time: "Enter a time, such as 09:30.",
      datetime: "Enter a real date and a time.",
      address: "Choose a country from the list.",
    },
    pattern: "Enter it in the expected format.",
    min_length: {
      one: "Enter at least {n:grouped} character.",
      other: "Enter at least {n:grouped} characters.",
    },
    max_length: {
      one: "Enter at most {n:grouped} character.",
      other: "Enter at most {n:grouped} characters.",
    },
    domain_not_allowed: "Enter an address at {n:or}.",
    min_value: {
      any: "Enter {n} or more.",
      date: "Enter {n} or a later date.",
      time: "Enter {n} or a later time.",
      datetime: "Enter {n} or a later time.",
    },
    max_value: {
      any: "Enter {n} or less.",
      date: "Enter {n} or an earlier date.",
      time: "Enter {n} or an earlier time.",
      datetime: "Enter {n} or an earlier time.",
    },
    step: "Enter a multiple of {n}.",
    option_full: "An option that you chose is full. Choose another one.",
    duplicate_item: {
      any: "Choose each option once.",
      ranking: "Give each option one place only.",
    },
    min_items: {
      any: {
        one: "Choose at least {n:grouped} option.",
        other: "Choose at least {n:grouped} options.",
      },
      file: {
        one: "Choose at least {n:grouped} file.",
        other: "Choose at least {n:grouped} files.",
      },
    },
    max_items: {
      any: {
        one: "Choose at most {n:grouped} option.",
        other: "Choose at most {n:grouped} options.",
      },
      file: {
        one: "Choose at most {n:grouped} file.",
        other: "Choose at most {n:grouped} files.",
      },
    },
    upload_not_found: "A file is no longer there. Choose it again.",
    required_part: "Fill in “{part}”.",
  },
  /** Messages of errors whose field error says more than its code. */
  cases: {
    /** Labels that ask for the respondent's own address or number, and the sentences for them. */
    ownEmail: "Enter your e-mail address.",
    ownPhone: "Enter your phone number.",
    tooLong: "This is too long. Shorten it.",
    phone: {
      international: "Begin with + and the country code, such as {international}.",
      national: "Enter a phone number, such as {national} or {international}.",
    },
    option: "Choose one of the options.",
    columns: "Choose one of the columns.",
    columnsOfRow: "Choose one of the columns for “{part}”.",
    everyRow: "Choose an option in every row.",
    row: "Choose an option for “{part}”.",
    noSpace: "There is no space left for files. Please tell the owner of the form.",
    filesTooLarge: "Choose smaller files: together they may have at most {size}.",
    fileTooLarge: "Choose a smaller file: it may have at most {size}.",
    malware: "A file contains malware and was not accepted. Choose another one.",
    emptyFile: "A file is empty. Choose another one.",
    otherContent: "The content of a file does not match the end of its name. Choose another one.",
    otherContentThan:
      "This file is not {kinds:or}, or the end of its name is that of another kind. Choose another one.",
    otherType: "Files of this type are not accepted here.",
    otherTypeThan: "This file is not {kinds:or}. Choose another one.",
  },
  /** Labels that ask for the respondent's own address and number. */
  ownLabels: {
    email: /^(your )?e-?mail( address)?\??$/i,
    phone: /^(your )?(tele)?(phone|mobile)( number)?\??$/i,
  },
  /** Kinds of files as `kinds` names them in a sentence. */
  kinds: {
    image: "a picture",
    audio: "an audio file",
    video: "a video",
    text: "a text file",
    pdf: "a PDF",
    jpg: "a JPEG",
    word: "a Word document",
    excel: "an Excel workbook",
    powerpoint: "a PowerPoint presentation",
    /** Any other one, by the end of its name. */
    any: "a {extension}",
    /** The same for ends that begin with one of these letters. */
    letters: "AEFHILMNORSX",
    anyOfLetters: "an {extension}",
  },
};
