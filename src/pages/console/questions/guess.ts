/** Guesses the type of a new question from its words, where the person has not chosen one. */
import type { TypeName } from "../form/issues.ts";

type Guess = readonly [TypeName, RegExp];

/** The first one that matches counts. A question without a clear type matches none. */
const english: readonly Guess[] = [
  ["consent", /^i (?:hereby )?(?:agree|accept|consent|confirm|allow|have read|understand)\b/],
  ["textarea", /\b(?:any|other|further) (?:comments?|questions?|remarks?|feedback|notes|wishes)\b/],
  [
    "boolean",
    /^(?:do|does|did|are|is|was|were|will|would|can|could|have|has|may|should) (?:you|we|your)\b(?!.* or )(?!.*[:/])/,
  ],
  [
    "url",
    /^(?:(?:what is|what's) )?(?:your |the )?(?:(?:link|url)\b|(?:web ?site|home ?page)\W*$)|\b(?:web|internet) address\W*$/,
  ],
  ["email", /^(?:(?:your|the|a|an|contact|work|private) )?e-?mail\b(?! me\b)|\be-?mail(?: address)?\W*$/],
  ["phone", /^(?:(?:your|the|a|mobile|cell) )*(?:tele)?phone\b|\bphone number\b|^mobile(?: number)?\W*$/],
  [
    "integer",
    /^how many\b|^(?:the )?number of (?!your\b)|^(?:(?:what is|what's) )?(?:your )?age\W*$|^how old\b/,
  ],
  [
    "datetime",
    /\bdate and time\b|^when (?:do|will|would) you (?:like to |want to )?(?:arrive|leave|depart|come|go)\b/,
  ],
  [
    "date",
    /\b(?:date|day) of \w+|\bbirth(?:day|date)\b|^(?:[\w-]+ )?date\W*$|^when (?:were|was) \w+ (?:\w+ )?born\b|^(?:on )?(?:which|what) (?:day|date)\b/,
  ],
  ["time", /^(?:(?:at )?what time|time of)\b|\b(?:arrival|departure) time\b/],
  [
    "rating",
    /^how (?:(?:did|do) you (?:like|rate)|(?:satisfied|likely|happy) (?:are|were) you)\b|^(?:please )?rate\b/,
  ],
  [
    "file",
    /\bupload\b|^(?:please )?(?:attach|add (?:your|a|the) (?:file|photo|picture|document))\b|\b(?:cv|résumé|curriculum vitae)\W*$|^(?:your )?(?:attachment|photo of)\b/,
  ],
  [
    "address",
    /^(?:(?:what is|what's) )?(?:(?:your|the|postal|home|billing|shipping|delivery) )*address\W*$|^where (?:do )?you live\W*$/,
  ],
  [
    "textarea",
    /^(?:your )?(?:comments?|remarks?|message|feedback|notes)\W*$|^(?:please )?(?:describe|explain|tell us)\b|^(?:why|names of)\b|\banything else\b/,
  ],
];

const german: readonly Guess[] = [
  [
    "consent",
    /^(?:hiermit )?(?:ich )?(?:stimme|willige|akzeptiere|bestätige|erlaube|erkläre)\b|^ich (?:bin (?:damit )?einverstanden|habe .*gelesen)|^einwilligung/,
  ],
  ["textarea", /(?:weitere|noch|sonstige) (?:fragen|anmerkungen|bemerkungen|wünsche|hinweise)/],
  [
    "boolean",
    /^(?:haben|sind|möchten|wollen|können|dürfen|brauchen|benötigen|kommen|nehmen|bringen|werden|hast|bist|willst|möchtest|kannst|darfst|kommst|nimmst|bringst|wirst|brauchst|benötigst|habt|seid|wollt|möchtet|könnt|dürft|kommt|nehmt|bringt|werdet|braucht|benötigt) (?:sie|du|ihr|wir)(?!\p{L})(?!.* oder )(?!.*[:/])/u,
  ],
  [
    "url",
    /^(?:wie (?:lautet|ist) )?(?:ihre |deine |eure |die )?(?:webseite|website|homepage|internetseite)\W*$|internetadresse|^link zu(?!\p{L})/u,
  ],
  ["email", /^(?:(?:ihre|deine|eure|die) )?e-?mail(?:-?adresse)?(?!\p{L})|e-?mail-?adresse\W*$/u],
  [
    "phone",
    /^(?:(?:ihre|deine|eure|die) )?(?:telefon|handy|mobil)(?:nummer)?(?!\p{L})|(?:telefon|handy|mobil|rückruf)nummer/u,
  ],
  [
    "integer",
    /^wie ?viele(?!\p{L})|^(?:die )?anzahl(?!\p{L})|^(?:wie ist )?(?:ihr |dein |euer )?alter\W*$|^wie alt(?!\p{L})/u,
  ],
  [
    "datetime",
    /datum und uhrzeit|^wann (?:kommen sie|kommst du|kommt ihr|reisen sie|reist du|reist ihr|fahren sie|fährst du|fahrt ihr) (?:an|ab)(?!\p{L})|^wann (?:möchten|wollen|werden|möchtest|willst|wirst|möchtet|wollt|werdet) (?:sie|du|ihr) (?:ankommen|anreisen|abreisen|abfahren)/u,
  ],
  [
    "date",
    /geburts(?:datum|tag)|^(?:\p{L}+)?datum(?!\p{L})|^tag (?:der|des)(?!\p{L})|^wann .*geboren\W*$|^an welche[mn] (?:tag|datum)(?!\p{L})/u,
  ],
  ["time", /uhrzeit|^um wie ?viel uhr/],
  [
    "rating",
    /^wie (?:gut )?(?:hat|haben|fanden|fandest|gefällt|gefiel|gefielen|bewerten|bewertest|zufrieden|wahrscheinlich)(?!\p{L})|^bewerten sie/u,
  ],
  [
    "file",
    /hochladen|^(?:bitte )?(?:lade|laden|ladet)(?!\p{L}).* hoch\W*$|^(?:bitte )?(?:füge|fügen|fügt)(?!\p{L}).* (?:bei|an|hinzu)\W*$|^(?:bitte )?(?:hänge|hängen|hängt)(?!\p{L}).* an\W*$|^(?:ihr |dein |euer )?lebenslauf\W*$|^(?:ihre |deine |eure |die )?(?:datei|anlage|bewerbungsunterlagen)\W*$/u,
  ],
  [
    "address",
    /^(?:wie (?:lautet|ist) )?(?:(?:ihre|deine|eure|die) )?(?:post|wohn|rechnungs|liefer|heimat)?(?:adresse|anschrift)\W*$|^wo (?:wohnen sie|wohnst du|wohnt ihr)/,
  ],
  [
    "textarea",
    /^(?:ihre |deine )?(?:bemerkung|anmerkung|kommentar|nachricht|mitteilung|rückmeldung)(?:en|e)?\W*$|^(?:bitte )?(?:beschreib|erzähl|begründ|erläuter)|^(?:warum|namen (?:ihrer|der))(?!\p{L})|^sonstiges/u,
  ],
];

/** Returns the type that the words of a question stand for: `text` where they are not clear. */
export function guessType(label: string): TypeName {
  const words = label.trim().toLowerCase().replace(/\s+/g, " ").slice(0, 300);
  const [type = "text"] = [...english, ...german].find(([, pattern]) => pattern.test(words)) ?? [];
  return type;
}

/** Gives entered values of a new question a type, if none was chosen. A guessed consent is required. */
export function withGuess(values: URLSearchParams): URLSearchParams {
  if (values.get("type")) return values;
  const type = guessType(values.get("label") ?? "");
  values.set("type", type);
  if (type === "consent") values.set("required", "true");
  return values;
}
