import { expect, test } from "bun:test";
import { guessType } from "../../src/pages/console/questions/guess.ts";

const guessed = {
  email: ["E-mail", "Your e-mail address", "What is your email?", "E-Mail-Adresse", "Ihre E-Mail"],
  phone: ["Phone", "Your mobile phone number", "Telefon", "Ihre Handynummer", "Rückrufnummer"],
  date: [
    "Date of birth",
    "Day of birth",
    "Your birthday",
    "Geburtsdatum",
    "Tag der Anreise",
    "Datum",
    ...[
      "When were you born?",
      "When was your child born?",
      "On which day do you arrive?",
      "What date suits you?",
    ],
    ...["Wann bist du geboren?", "Wann sind Sie geboren?", "Wann wurde Ihr Kind geboren?"],
    ...["Wann ist dein Geburtstag?", "An welchem Tag kommst du?"],
  ],
  time: ["What time do you arrive?", "Arrival time", "Uhrzeit der Anreise", "Um wie viel Uhr?"],
  datetime: [
    "Date and time of your arrival",
    "When do you arrive?",
    "Datum und Uhrzeit",
    "Wann kommen Sie an?",
    ...[
      "When would you like to leave?",
      "Wann reist du ab?",
      "Wann kommt ihr an?",
      "Wann möchten Sie anreisen?",
    ],
  ],
  consent: ["I agree to the terms", "I have read the privacy notice.", "Ich stimme zu", "Ich willige ein"],
  integer: [
    "How many guests do you bring?",
    "Number of guests",
    "Your age",
    "Anzahl Personen",
    "Wie viele Kinder?",
    ...["What is your age?", "Wie ist dein Alter?"],
  ],
  address: [
    "Address",
    "Your postal address",
    "Where you live",
    "Anschrift",
    "Ihre Adresse",
    "Wo wohnen Sie?",
    ...["What is your address?", "Wie lautet deine Adresse?", "Wo wohnt ihr?"],
  ],
  url: [
    "Website",
    "Your home page",
    "Link to your work",
    "Webseite",
    "Link zu Ihrer Arbeit",
    "What's your website?",
    "Wie lautet eure Webseite?",
  ],
  file: [
    ...["Upload your CV", "Your CV", "Please attach your certificates", "Add a photo"],
    ...[
      "Lebenslauf",
      "Zeugnis hochladen",
      "Bitte lade deinen Lebenslauf hoch",
      "Laden Sie hier Ihr Zeugnis hoch.",
    ],
    ...["Lade bitte ein Foto hoch", "Bitte fügen Sie Ihre Unterlagen bei", "Hänge dein Zeugnis an"],
  ],
  textarea: [
    "Comments",
    "Anything else?",
    "Do you have any questions?",
    "Bemerkungen",
    "Haben Sie noch Fragen?",
  ],
  boolean: [
    "Do you have dietary needs?",
    "Will you come?",
    "Haben Sie Allergien?",
    "Kommst du?",
    ...["Were you here before?", "Bringst du Gäste mit?", "Habt ihr Haustiere?", "Seid ihr versichert?"],
  ],
  rating: [
    "How did you like the camp?",
    "How satisfied are you?",
    "Wie hat es Ihnen gefallen?",
    "Wie zufrieden waren Sie?",
  ],
};

test("the words of a question tell its type, in each language", () => {
  const wrong = Object.entries(guessed).flatMap(([type, labels]) =>
    labels.filter((label) => guessType(label) !== type).map((label) => `${label}: ${guessType(label)}`),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ...["", "Your name", "Ihr Name", "Update", "IP address", "Member number", "Kundennummer", "Phoneme"],
  ...["Which e-mail program do you use?", "How did you hear about us?", "How should we address you?"],
  ...["Would you like tea or coffee?", "Möchten Sie Tee oder Kaffee?", "Do you prefer: fish, meat?"],
  ...["When were the tickets sold?", "Wann passt es dir?", "Wie fügen wir das an", "Where do you attach it?"],
  ...["Bist du vegetarisch oder vegan?", "Was laden Sie hoch", "Ladestation", "Wofür steht die Adresse?"],
  ...["Telefonanbieter", "Alterung", "Datumsformat", "Company", "Wie heißt Ihr Verein?", "Uploaded by"],
])("%s is a short text", (label) => {
  expect(guessType(label)).toBe("text");
});
