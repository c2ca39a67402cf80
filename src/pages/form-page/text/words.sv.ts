/**
 * Swedish. Terms compared with those of Försäkringskassan (Forsakringskassan/designsystem), the City of
 * Helsinki (City-of-Helsinki/haitaton-ui) and the European Commission (openeuropa/oe_theme).
 */
import type { PageWords } from "./words.ts";

export const swedish: PageWords = {
  yes: "Ja",
  no: "Nej",
  choose: "Välj…",
  other: "Annat",
  noAnswer: "Inget svar",
  scaleEnds: { least: "lägst", greatest: "högst" },
  optional: "frivillig",
  remove: "Ta bort",
  full: "{label} (fullt)",
  left: {
    one: "{label} ({n:plain} plats kvar)",
    other: "{label} ({n:plain} platser kvar)",
  },
  place: { one: "{n:plain}:a plats", other: "{n:plain}:e plats" },
  addressParts: {
    line1: "Gatuadress",
    line2: "Kompletterande adress",
    city: "Postort",
    region: "Län eller region",
    postalCode: "Postnummer",
    country: "Land",
  },
  moment: { local: "Datum och tid", zone: "Tidszon", inZone: "Tidszon: {zone}." },
  characters: { left: "Tecken kvar: {n}", over: "Tecken för mycket: {n}" },
  submit: "Skicka",
  sending: "Skickar…",
  errorTitle: "Fel: {title}",
  errorHeading: "Något behöver rättas",
  unknownName: "Formuläret har inget fält ”{name}”.",
  changed: {
    heading: "Formuläret har ändrats",
    message:
      "Det uppdaterades medan du fyllde i det, och inget har skickats än. Dina svar finns kvar. Kontrollera de markerade fälten och skicka sedan igen.",
    field: "Nytt eller ändrat",
  },
  more: {
    heading: "Det finns fler frågor",
    message:
      "De följer av dina svar, och inget har skickats än. Svara på de markerade frågorna och fortsätt sedan.",
    field: "Ny fråga",
    appeared: { one: "1 fråga till har kommit fram.", several: "{n} frågor till har kommit fram." },
  },
  notCalculated: "Räknas ut från dina andra svar",
  captcha: {
    noScript: "Formuläret behöver JavaScript för säkerhetskontrollen.",
    working: "Säkerhetskontroll…",
    failed: {
      heading: "Formuläret skickades inte",
      message: "Säkerhetskontrollen lyckades inte. Skicka formuläret igen.",
    },
  },
  uploads: {
    drop: "Du kan dra filer hit.",
    sending: "Laddar upp…",
    sent: "Uppladdat: {names}",
    removed: "Borttaget: {names}",
    failed: "Uppladdningen lyckades inte. Välj filen igen, eller skicka den med formuläret.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Menar du {readings:or}? Skriv det på det sättet.",
  skipped: "Den tiden finns inte den dagen: klockan ställs fram. Ange en tidigare eller senare tid.",
  isRight:
    "Stämmer adressen ”{address}”? Delen efter @ har ingen punkt. Rätta den, eller skicka den igen som den är.",
  steps: {
    position: "Steg {n} av {count}",
    next: "Fortsätt",
    back: "Tillbaka",
    check: {
      heading: "Kontrollera dina svar",
      message: "Inget har skickats än. Du kan ändra svaren i varje steg.",
    },
    change: "Ändra",
    noValue: "Inte besvarad",
    altered: {
      heading: "Kontrollera dina svar igen",
      message:
        "Dina tidigare svar kom inte fram som du skrev dem. Inget har sparats. Gå igenom stegen igen: varje steg visar vad som skickades.",
    },
  },
  draft: {
    restored: "Dina tidigare svar finns här igen. De var sparade i den här webbläsaren.",
    kept: "Det du fyller i sparas i den här webbläsaren i en vecka, eller tills du skickar det.",
    clear: "Rensa",
  },
  footer: {
    privacy: "Skydd av personuppgifter",
    imprint: "Juridisk information",
    contact: "Kontakt",
    newTab: "öppnas i en ny flik",
  },
  alreadySent: {
    heading: "Du har redan skickat formuläret",
    message:
      "Det skickades från den här sidan med andra svar. Svaren här har inte skickats. Skicka formuläret igen om du vill skicka dem också.",
  },
  openForLong: {
    heading: "Den här sidan har varit öppen i mer än en vecka",
    message:
      "Det går inte längre att se om formuläret har skickats tidigare. Svaren här har inte skickats nu. Skicka formuläret igen om du inte redan har skickat dem.",
  },
  sent: {
    heading: "Tack",
    message: "Formuläret har skickats.",
    reference: "Ditt referensnummer",
    values: "Det du skickade",
    notShown: "Skickat, men visas inte här",
    copy: "Kopiera",
    copied: "Kopierat",
    print: "Skriv ut",
    again: "Skicka ett till",
  },
  resume: {
    save: "Spara och fortsätt senare",
    heading: "Dina svar är sparade",
    message:
      "Inget har skickats än. Med den här länken kan du fortsätta till och med {day}, på vilken enhet som helst.",
    link: "Länk till dina svar",
    keep: "Spara länken: ingen kan skapa den igen, inte ens den som ansvarar för formuläret. Den som har länken kan läsa dina svar, ändra dem och skicka dem.",
    shared: "Stäng den här sidan när du har kopierat länken, om andra använder samma dator.",
    mail: "Skicka länken till mig",
    address: "E-postadress",
    addressHint: "Den används en gång, för det här mejlet, och sparas inte.",
    mailed: "Länken är på väg till {address}.",
    notMailed: "Det går inte att skicka mejl till adressen just nu. Kopiera länken i stället.",
    continue: "Fortsätt nu",
    conflict: {
      heading: "Dina svar har sparats någon annanstans",
      message:
        "Sedan du öppnade den här sidan har andra svar sparats med samma länk. De finns kvar. Spara igen om du vill ersätta dem med svaren på den här sidan.",
    },
    tooMuch: {
      heading: "Det är för mycket att spara",
      message: "Inget har sparats. Dina svar finns kvar på den här sidan: korta dem, eller skicka dem.",
    },
    refused: {
      heading: "Formuläret kan inte sparas just nu",
      message: "Dina svar finns kvar på den här sidan och kan skickas. Försök att spara dem senare.",
    },
  },
  change: {
    link: "Ändra det du skickade",
    until:
      "Med den här länken kan du ändra dina svar fram till {moment}. Spara länken: den som har den kan göra detsamma.",
    open: "Med den här länken kan du ändra dina svar så länge formuläret är öppet. Spara länken: den som har den kan göra detsamma.",
    heading: "Ändra det du skickade",
    message: "Det här är svaren som du skickade. De förblir som de är tills du skickar ändringar.",
    notShown: "Du har skickat ett svar, som inte visas. Lämna fältet tomt om du vill behålla det.",
    submit: "Skicka ändringarna",
    done: { heading: "Dina ändringar har sparats", message: "De ersätter det du skickade tidigare." },
    nothing: { heading: "Inget har ändrats", message: "Det här är svaren som du redan har skickat." },
    conflict: {
      heading: "Dina svar har ändrats under tiden",
      message:
        "Inget från den här sidan har sparats än. Där den som ansvarar för formuläret har sparat ett annat svar visas det bredvid ditt. Skicka igen om du vill spara ditt.",
    },
    storedNow: "Sparat nu: {value}",
    ended: {
      heading: "Tiden för ändringar är slut",
      message:
        "Det du skickade förblir som det är. Kontakta den som ansvarar för formuläret om något är fel.",
    },
    off: {
      heading: "Det går inte längre att göra ändringar",
      message:
        "Det du skickade förblir som det är. Kontakta den som ansvarar för formuläret om något är fel.",
    },
    reviewed: {
      heading: "Dina svar har granskats",
      message: "De kan inte längre ändras. Kontakta den som ansvarar för formuläret om något är fel.",
    },
    held: {
      heading: "Dina svar förblir som de är",
      message: "De kan inte ändras just nu. Fråga den som ansvarar för formuläret om orsaken.",
    },
    withdraw: {
      button: "Ta tillbaka mina svar",
      heading: "Vill du ta tillbaka dina svar?",
      message: "Allt du skickade raderas. Det går inte att ångra.",
      keep: "Behåll dem",
      done: { heading: "Dina svar har tagits tillbaka", message: "Det du skickade har raderats." },
    },
  },
  links: {
    unknown: {
      heading: "Länken leder ingenstans",
      message:
        "Den kan ha slutat gälla, eller så har det den ledde till redan skickats. Kontrollera att du har kopierat hela länken.",
    },
    used: {
      heading: "Inbjudan har redan använts",
      message: "Formuläret har skickats med den, och det går bara en gång.",
    },
    needed: {
      heading: "Formuläret är för inbjudna",
      message: "Öppna det med länken i din inbjudan.",
    },
  },
  retry: "Försök igen",
  kept: "Dina svar finns kvar på den här sidan.",
  closed: {
    not_open: { heading: "Formuläret är inte öppet än", message: "Det öppnar {moment}." },
    closed: { heading: "Formuläret är stängt", message: "Det stängdes {moment}." },
    full: {
      heading: "Formuläret är fullt",
      message: "Alla platser är tagna. Inget har skickats.",
    },
  },
  offline: {
    heading: "Formuläret är inte tillgängligt just nu",
    message: "Försök igen senare, eller fråga den som skickade länken till dig.",
  },
  badRequest: "Begäran är inte giltig",
  failures: {
    bad_request: "Sidan du kom från kan vara gammal. Öppna formuläret igen.",
    not_found: {
      heading: "Här finns inget formulär",
      message: "Kontrollera adressen. Formuläret kan ha flyttats eller stängts av.",
    },
    anonymous_not_allowed: {
      heading: "Formuläret är inte öppet för allmänheten",
      message: "Det tar inte emot svar från den här sidan. Fråga den som skickade länken till dig.",
    },
    declared_agent_refused: {
      heading: "Formuläret är till för människor",
      message:
        "Program kan inte skicka det från den här sidan. En agent kan använda API:et om den som ansvarar för formuläret tillåter det.",
    },
    captcha_unavailable: {
      heading: "Formuläret kan inte skickas just nu",
      message: "Säkerhetskontrollen är inte tillgänglig. Försök igen senare.",
    },
    gone: "Det har arkiverats och tar inte emot fler svar.",
    method_not_allowed: {
      heading: "Den här adressen är bara för läsning",
      message: "Öppna formuläret igen.",
    },
    payload_too_large: {
      heading: "Det är för mycket att skicka",
      message: "Gå tillbaka, korta det du har fyllt i och skicka igen. Inget har sparats.",
    },
    invalid_content_type: "Formuläret måste skickas från sin egen sida. Öppna formuläret igen.",
    rate_limited: {
      heading: "Vänta en stund",
      message: "Det har kommit för många begäranden från ditt nätverk. Inget har sparats.",
    },
    internal_error: {
      heading: "Något gick fel",
      message: "Vi vet inte om formuläret har sparats. Du kan utan risk skicka det igen från den här sidan.",
    },
    unavailable: {
      heading: "Tjänsten är inte tillgänglig just nu",
      message:
        "Försök igen om en stund. Om du skickar samma formulär igen från den här sidan sparas det bara en gång.",
    },
  },
  wait: {
    one: "Du kan försöka igen om {n:grouped} sekund.",
    other: "Du kan försöka igen om {n:grouped} sekunder.",
  },
  request: "Begäran",
  hints: {
    between: "Från {least} till {n}.",
    number: { least: "{n} eller mer.", greatest: "{n} eller mindre." },
    moment: { least: "{n} eller senare.", greatest: "{n} eller tidigare." },
    length: {
      between: "{least:plain} till {n:grouped} tecken.",
      least: "Minst {n:grouped} tecken.",
      greatest: "Högst {n:grouped} tecken.",
    },
    files: {
      between: {
        one: "{least:plain} till {n:grouped} fil.",
        other: "{least:plain} till {n:grouped} filer.",
      },
      least: { one: "Minst {n:grouped} fil.", other: "Minst {n:grouped} filer." },
      greatest: { one: "Högst {n:grouped} fil.", other: "Högst {n:grouped} filer." },
    },
    items: {
      exactly: "Välj {n}.",
      between: "Välj {least} till {n}.",
      least: "Välj minst {n}.",
      greatest: "Välj högst {n}.",
      any: "Välj alla som stämmer.",
    },
    fileSize: { one: "Högst {size}.", each: "Högst {size} per fil." },
    domains: "En adress hos {domains:or}.",
    phone: {
      international: "Med + och landsnummer, till exempel {international}.",
      national: "Till exempel {national} eller {international}.",
    },
    url: "Till exempel https://example.com.",
    whole: "Ett heltal.",
    steps: "I steg om {n}.",
    allRows: { required: "Välj på varje rad.", optional: "Om du väljer, välj på varje rad." },
  },
  yesOrNo: "Välj ja eller nej.",
  oneOption: "Välj ett alternativ.",
  tick: "Kryssa i rutan för att fortsätta.",
  rankAll: "Ge varje alternativ en plats.",
  sentences: {
    required: {
      any: "Fyll i ett svar.",
      email: "Fyll i en e-postadress.",
      phone: "Fyll i ett telefonnummer.",
      url: "Fyll i en webbadress.",
      number: "Fyll i ett tal.",
      integer: "Fyll i ett heltal.",
      date: "Fyll i ett datum.",
      time: "Fyll i en tid.",
      datetime: "Fyll i ett datum och en tid.",
      multi_select: "Välj minst ett alternativ.",
      ranking: "Rangordna alternativen.",
      file: "Välj en fil.",
      rating: "Välj ett betyg.",
      matrix: "Välj ett alternativ på varje rad.",
    },
    not_applicable: "Det här efterfrågas inte med dina andra svar.",
    computed: "Det här räknas ut från dina andra svar. Kontrollera det.",
    unknown_field: "Formuläret tar inte emot något svar här.",
    type_mismatch: {
      any: "Fyll i ett giltigt svar.",
      number: "Fyll i ett tal utan enhet, till exempel {decimal}.",
      integer: "Fyll i ett heltal, till exempel 12.",
    },
    format: {
      any: "Ta bort de tecken som inte kan sparas.",
      email: "Fyll i en e-postadress, till exempel name@example.com.",
      url: "Fyll i en webbadress, till exempel https://example.com.",
      date: "Fyll i ett giltigt datum, till exempel {day} eller 2026-11-20.",
      time: "Fyll i en tid, till exempel 09:30.",
      datetime: "Fyll i ett giltigt datum och en tid.",
      address: "Välj ett land i listan.",
    },
    pattern: "Fyll i det på det sätt som efterfrågas.",
    min_length: "Fyll i minst {n:grouped} tecken.",
    max_length: "Fyll i högst {n:grouped} tecken.",
    domain_not_allowed: "Fyll i en adress hos {n:or}.",
    min_value: {
      any: "Fyll i {n} eller mer.",
      date: "Fyll i {n} eller ett senare datum.",
      time: "Fyll i {n} eller en senare tid.",
      datetime: "Fyll i {n} eller en senare tid.",
    },
    max_value: {
      any: "Fyll i {n} eller mindre.",
      date: "Fyll i {n} eller ett tidigare datum.",
      time: "Fyll i {n} eller en tidigare tid.",
      datetime: "Fyll i {n} eller en tidigare tid.",
    },
    step: "Fyll i ett tal i steg om {n}.",
    option_full: "Ett alternativ som du valde är fullt. Välj ett annat.",
    duplicate_item: {
      any: "Välj varje alternativ en gång.",
      ranking: "Ge varje alternativ bara en plats.",
    },
    min_items: {
      any: "Välj minst {n:grouped} alternativ.",
      file: { one: "Välj minst {n:grouped} fil.", other: "Välj minst {n:grouped} filer." },
    },
    max_items: {
      any: "Välj högst {n:grouped} alternativ.",
      file: { one: "Välj högst {n:grouped} fil.", other: "Välj högst {n:grouped} filer." },
    },
    upload_not_found: "En fil finns inte kvar. Välj den igen.",
    required_part: "Fyll i ”{part}”.",
  },
  cases: {
    ownEmail: "Fyll i din e-postadress.",
    ownPhone: "Fyll i ditt telefonnummer.",
    tooLong: "Det här är för långt. Korta det.",
    phone: {
      international: "Börja med + och landsnumret, till exempel {international}.",
      national: "Fyll i ett telefonnummer, till exempel {national} eller {international}.",
    },
    option: "Välj ett av alternativen.",
    columns: "Välj en av kolumnerna.",
    columnsOfRow: "Välj en av kolumnerna för ”{part}”.",
    everyRow: "Välj ett alternativ på varje rad.",
    row: "Välj ett alternativ för ”{part}”.",
    noSpace: "Det finns ingen plats kvar för filer. Meddela den som ansvarar för formuläret.",
    filesTooLarge: "Välj mindre filer: tillsammans får de vara högst {size}.",
    fileTooLarge: "Välj en mindre fil: den får vara högst {size}.",
    malware: "En fil innehåller skadlig kod och togs inte emot. Välj en annan.",
    emptyFile: "En fil är tom. Välj en annan.",
    otherContent: "Innehållet i en fil stämmer inte med filändelsen. Välj en annan.",
    otherContentThan:
      "Filen är inte av en tillåten typ ({kinds:or}), eller så hör filändelsen till en annan typ. Välj en annan.",
    otherType: "Filer av den typen tas inte emot här.",
    otherTypeThan: "Filen är inte av en tillåten typ: {kinds:or}. Välj en annan.",
  },
  ownLabels: {
    email: /^(din )?(e-?post|mejl|e-?mail)(adress)?\??$/i,
    phone: /^(ditt )?(telefon|mobil|mobiltelefon)(nummer)?\??$/i,
  },
  kinds: {
    image: "bild",
    audio: "ljudfil",
    video: "video",
    text: "textfil",
    pdf: "PDF",
    jpg: "JPEG",
    word: "Word-dokument",
    excel: "Excel-arbetsbok",
    powerpoint: "PowerPoint-presentation",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
