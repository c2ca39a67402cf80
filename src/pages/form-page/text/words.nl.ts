/**
 * Dutch. Terms compared with the guidelines of NL Design System (nl-design-system/documentatie), Open
 * Formulieren (open-formulieren/open-forms-sdk) and the European Commission (openeuropa/oe_theme).
 */
import type { PageWords } from "./words.ts";

export const dutch: PageWords = {
  yes: "Ja",
  no: "Nee",
  choose: "Maak een keuze…",
  other: "Anders",
  noAnswer: "Geen antwoord",
  scaleEnds: { least: "laagst", greatest: "hoogst" },
  optional: "niet verplicht",
  remove: "Verwijderen",
  full: "{label} (vol)",
  left: {
    one: "{label} (nog {n:plain} plaats)",
    other: "{label} (nog {n:plain} plaatsen)",
  },
  place: "{n:plain}e plaats",
  addressParts: {
    line1: "Straat en huisnummer",
    line2: "Aanvulling op het adres",
    city: "Plaats",
    region: "Provincie of regio",
    postalCode: "Postcode",
    country: "Land",
  },
  moment: { local: "Datum en tijd", zone: "Tijdzone", inZone: "Tijdzone: {zone}." },
  characters: { left: "Nog beschikbare tekens: {n}", over: "Tekens te veel: {n}" },
  submit: "Verzenden",
  sending: "Bezig met verzenden…",
  errorTitle: "Fout: {title}",
  errorHeading: "Er is een probleem",
  unknownName: "Dit formulier heeft geen veld ‘{name}’.",
  changed: {
    heading: "Dit formulier is gewijzigd",
    message:
      "Het is bijgewerkt terwijl u het invulde en er is nog niets verzonden. Uw antwoorden staan er nog. Controleer de gemarkeerde velden en verzend het formulier opnieuw.",
    field: "Nieuw of gewijzigd",
  },
  more: {
    heading: "Er zijn meer vragen",
    message:
      "Ze volgen uit uw antwoorden en er is nog niets verzonden. Beantwoord de gemarkeerde vragen en ga dan verder.",
    field: "Nieuwe vraag",
    appeared: { one: "Er is 1 vraag bijgekomen.", several: "Er zijn {n} vragen bijgekomen." },
  },
  notCalculated: "Wordt berekend uit uw andere antwoorden",
  captcha: {
    noScript: "Dit formulier heeft JavaScript nodig voor de beveiligingscontrole.",
    working: "Beveiligingscontrole…",
    failed: {
      heading: "Dit formulier is niet verzonden",
      message: "De beveiligingscontrole is niet gelukt. Verzend het formulier opnieuw.",
    },
  },
  uploads: {
    drop: "U kunt bestanden hierheen slepen.",
    sending: "Bezig met uploaden…",
    sent: "Geüpload: {names}",
    removed: "Verwijderd: {names}",
    failed: "Het uploaden is niet gelukt. Kies het bestand opnieuw of verzend het met het formulier.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Bedoelt u {readings:or}? Vul het zo in.",
  skipped: "Deze tijd bestaat niet op die dag: de klok gaat vooruit. Vul een eerdere of latere tijd in.",
  isRight:
    "Klopt ‘{address}’? Het deel na @ heeft geen punt. Verbeter het of verzend het opnieuw zoals het is.",
  steps: {
    position: "Stap {n} van {count}",
    next: "Doorgaan",
    back: "Vorige stap",
    check: {
      heading: "Controleer uw antwoorden",
      message: "Er is nog niets verzonden. U kunt de antwoorden van elke stap wijzigen.",
    },
    change: "Wijzigen",
    noValue: "Niet ingevuld",
    altered: {
      heading: "Controleer uw antwoorden opnieuw",
      message:
        "Uw eerdere antwoorden zijn niet precies zo aangekomen als u ze hebt ingevuld. Er is niets opgeslagen. Doorloop de stappen opnieuw: elke stap toont wat er is verzonden.",
    },
  },
  draft: {
    restored: "Uw eerdere antwoorden staan er weer. Ze waren in deze browser bewaard.",
    kept: "Wat u invult, wordt een week in deze browser bewaard, of tot u het verzendt.",
    clear: "Wissen",
  },
  footer: {
    privacy: "Privacy",
    imprint: "Colofon",
    contact: "Contact",
    newTab: "opent in een nieuw tabblad",
  },
  alreadySent: {
    heading: "U hebt dit formulier al verzonden",
    message:
      "Het is vanaf deze pagina verzonden met andere antwoorden. De antwoorden hier zijn niet verzonden. Verzend het formulier opnieuw om ook deze te verzenden.",
  },
  openForLong: {
    heading: "Deze pagina is langer dan een week open",
    message:
      "Of het eerder is verzonden, is niet meer na te gaan. De antwoorden hier zijn nu niet verzonden. Verzend het formulier opnieuw als u ze nog niet hebt verzonden.",
  },
  sent: {
    heading: "Bedankt",
    message: "Uw formulier is verzonden.",
    reference: "Uw referentienummer",
    values: "Wat u hebt verzonden",
    notShown: "Verzonden, maar hier niet getoond",
    copy: "Kopiëren",
    copied: "Gekopieerd",
    print: "Afdrukken",
    again: "Nog een formulier verzenden",
  },
  resume: {
    save: "Opslaan en later verdergaan",
    heading: "Uw antwoorden zijn opgeslagen",
    message: "Er is nog niets verzonden. Met deze link kunt u tot en met {day} verdergaan, op elk apparaat.",
    link: "Link naar uw antwoorden",
    keep: "Bewaar deze link: niemand kan hem opnieuw maken, ook de beheerder van het formulier niet. Wie de link heeft, kan uw antwoorden lezen, wijzigen en verzenden.",
    shared: "Sluit deze pagina op een computer die anderen ook gebruiken, zodra u de link hebt gekopieerd.",
    mail: "Stuur mij de link",
    address: "E-mailadres",
    addressHint: "Het wordt één keer gebruikt, voor deze e-mail, en niet opgeslagen.",
    mailed: "De link is onderweg naar {address}.",
    notMailed: "Er kan nu geen e-mail naar dit adres worden gestuurd. Kopieer in plaats daarvan de link.",
    continue: "Nu verdergaan",
    conflict: {
      heading: "Uw antwoorden zijn ergens anders opgeslagen",
      message:
        "Sinds u deze pagina hebt geopend, zijn via dezelfde link andere antwoorden opgeslagen. Die staan er nog. Sla opnieuw op om ze te vervangen door de antwoorden op deze pagina.",
    },
    tooMuch: {
      heading: "Dit is te veel om op te slaan",
      message: "Er is niets opgeslagen. Uw antwoorden staan nog op deze pagina: kort ze in of verzend ze.",
    },
    refused: {
      heading: "Dit formulier kan nu niet worden opgeslagen",
      message:
        "Uw antwoorden staan nog op deze pagina en kunnen worden verzonden. Probeer ze later op te slaan.",
    },
  },
  change: {
    link: "Wijzigen wat u hebt verzonden",
    until:
      "Met deze link kunt u uw antwoorden wijzigen tot {moment}. Bewaar de link: wie hem heeft, kan dat ook.",
    open: "Met deze link kunt u uw antwoorden wijzigen zolang het formulier open is. Bewaar de link: wie hem heeft, kan dat ook.",
    heading: "Wijzigen wat u hebt verzonden",
    message:
      "Dit zijn de antwoorden die u hebt verzonden. Ze blijven zoals ze zijn tot u wijzigingen verzendt.",
    notShown:
      "U hebt een antwoord verzonden dat hier niet wordt getoond. Laat dit veld leeg om het te behouden.",
    submit: "Wijzigingen verzenden",
    done: { heading: "Uw wijzigingen zijn opgeslagen", message: "Ze vervangen wat u eerder hebt verzonden." },
    nothing: { heading: "Er is niets gewijzigd", message: "Dit zijn de antwoorden die u al had verzonden." },
    conflict: {
      heading: "Uw inzending is intussen gewijzigd",
      message:
        "Van deze pagina is nog niets opgeslagen. Waar de beheerder van het formulier een ander antwoord heeft opgeslagen, staat dat naast het uwe. Verzend opnieuw om het uwe op te slaan.",
    },
    storedNow: "Nu opgeslagen: {value}",
    ended: {
      heading: "De termijn voor wijzigingen is voorbij",
      message:
        "Wat u hebt verzonden, blijft zoals het is. Neem contact op met de beheerder van het formulier als er iets niet klopt.",
    },
    off: {
      heading: "Wijzigen is niet meer mogelijk",
      message:
        "Wat u hebt verzonden, blijft zoals het is. Neem contact op met de beheerder van het formulier als er iets niet klopt.",
    },
    reviewed: {
      heading: "Uw inzending is beoordeeld",
      message:
        "U kunt deze niet meer wijzigen. Neem contact op met de beheerder van het formulier als er iets niet klopt.",
    },
    held: {
      heading: "Uw inzending blijft zoals die is",
      message: "U kunt deze op dit moment niet wijzigen. Vraag de beheerder van het formulier naar de reden.",
    },
    withdraw: {
      button: "Mijn inzending intrekken",
      heading: "Uw inzending intrekken?",
      message: "Alles wat u hebt verzonden, wordt verwijderd. Dit kan niet ongedaan worden gemaakt.",
      keep: "Behouden",
      done: { heading: "Uw inzending is ingetrokken", message: "Wat u hebt verzonden, is verwijderd." },
    },
  },
  links: {
    unknown: {
      heading: "Deze link leidt nergens heen",
      message:
        "Misschien is de link verlopen, of is waar hij naartoe leidde al verzonden. Controleer of u de hele link hebt gekopieerd.",
    },
    used: {
      heading: "Deze uitnodiging is al gebruikt",
      message: "Het formulier is ermee verzonden, en dat kan maar één keer.",
    },
    needed: {
      heading: "Dit formulier is voor genodigden",
      message: "Open het met de link in uw uitnodiging.",
    },
  },
  retry: "Opnieuw proberen",
  kept: "Uw antwoorden blijven op deze pagina bewaard.",
  closed: {
    not_open: { heading: "Dit formulier is nog niet open", message: "Het opent op {moment}." },
    closed: { heading: "Dit formulier is gesloten", message: "Het is gesloten op {moment}." },
    full: {
      heading: "Dit formulier is vol",
      message: "Alle plaatsen zijn bezet. Er is niets verzonden.",
    },
  },
  offline: {
    heading: "Dit formulier is op dit moment niet beschikbaar",
    message: "Probeer het later opnieuw of vraag het aan de persoon die u de link heeft gestuurd.",
  },
  badRequest: "Dit verzoek is niet geldig",
  failures: {
    bad_request: "De vorige pagina is misschien verouderd. Open het formulier opnieuw.",
    not_found: {
      heading: "Hier is geen formulier",
      message: "Controleer het adres. Het formulier is misschien verplaatst of uitgeschakeld.",
    },
    anonymous_not_allowed: {
      heading: "Dit formulier is niet openbaar",
      message:
        "Het kan niet vanaf deze pagina worden verzonden. Vraag het aan de persoon die u de link heeft gestuurd.",
    },
    declared_agent_refused: {
      heading: "Dit formulier is voor mensen",
      message:
        "Programma’s kunnen het niet vanaf deze pagina verzenden. Een agent kan de API gebruiken als de beheerder dat toestaat.",
    },
    captcha_unavailable: {
      heading: "Dit formulier kan nu niet worden verzonden",
      message: "De beveiligingscontrole is niet beschikbaar. Probeer het later opnieuw.",
    },
    gone: "Het is gearchiveerd en kan niet meer worden verzonden.",
    method_not_allowed: {
      heading: "Dit adres is alleen om te lezen",
      message: "Open het formulier opnieuw.",
    },
    payload_too_large: {
      heading: "Dit is te veel om te verzenden",
      message: "Ga terug, kort in wat u hebt ingevuld en verzend het opnieuw. Er is niets opgeslagen.",
    },
    invalid_content_type:
      "Het formulier moet vanaf de eigen pagina worden verzonden. Open het formulier opnieuw.",
    rate_limited: {
      heading: "Wacht even",
      message: "Er waren te veel verzoeken van uw netwerk. Er is niets opgeslagen.",
    },
    internal_error: {
      heading: "Er is iets misgegaan",
      message:
        "We weten niet of uw formulier is opgeslagen. U kunt het vanaf deze pagina veilig opnieuw verzenden.",
    },
    unavailable: {
      heading: "De dienst is op dit moment niet beschikbaar",
      message:
        "Probeer het straks opnieuw. Als u hetzelfde formulier vanaf deze pagina opnieuw verzendt, wordt het één keer opgeslagen.",
    },
  },
  wait: {
    one: "U kunt het over {n:grouped} seconde opnieuw proberen.",
    other: "U kunt het over {n:grouped} seconden opnieuw proberen.",
  },
  request: "Verzoek",
  hints: {
    between: "Van {least} tot en met {n}.",
    number: { least: "{n} of meer.", greatest: "{n} of minder." },
    moment: { least: "{n} of later.", greatest: "{n} of eerder." },
    length: {
      between: {
        one: "{least:plain} tot en met {n:grouped} teken.",
        other: "{least:plain} tot en met {n:grouped} tekens.",
      },
      least: { one: "Minimaal {n:grouped} teken.", other: "Minimaal {n:grouped} tekens." },
      greatest: { one: "Maximaal {n:grouped} teken.", other: "Maximaal {n:grouped} tekens." },
    },
    files: {
      between: {
        one: "{least:plain} tot en met {n:grouped} bestand.",
        other: "{least:plain} tot en met {n:grouped} bestanden.",
      },
      least: { one: "Minimaal {n:grouped} bestand.", other: "Minimaal {n:grouped} bestanden." },
      greatest: { one: "Maximaal {n:grouped} bestand.", other: "Maximaal {n:grouped} bestanden." },
    },
    items: {
      exactly: "Kies er {n}.",
      between: "Kies er {least} tot en met {n}.",
      least: "Kies er minimaal {n}.",
      greatest: "Kies er maximaal {n}.",
      any: "Kies alles wat van toepassing is.",
    },
    fileSize: { one: "Maximaal {size}.", each: "Elk maximaal {size}." },
    domains: "Een adres bij {domains:or}.",
    phone: {
      international: "Met + en het landnummer, bijvoorbeeld {international}.",
      national: "Bijvoorbeeld {national} of {international}.",
    },
    url: "Bijvoorbeeld https://example.com.",
    whole: "Een geheel getal.",
    steps: "In stappen van {n}.",
    allRows: { required: "Kies in elke rij.", optional: "Als u kiest, kies dan in elke rij." },
  },
  yesOrNo: "Kies ja of nee.",
  oneOption: "Kies een optie.",
  tick: "Vink het vakje aan om verder te gaan.",
  rankAll: "Geef elke optie een plaats.",
  sentences: {
    required: {
      any: "Vul een antwoord in.",
      email: "Vul een e-mailadres in.",
      phone: "Vul een telefoonnummer in.",
      url: "Vul een webadres in.",
      number: "Vul een getal in.",
      integer: "Vul een geheel getal in.",
      date: "Vul een datum in.",
      time: "Vul een tijd in.",
      datetime: "Vul een datum en een tijd in.",
      multi_select: "Kies minimaal één optie.",
      ranking: "Zet de opties op volgorde.",
      file: "Kies een bestand.",
      rating: "Kies een beoordeling.",
      matrix: "Kies een optie in elke rij.",
    },
    not_applicable: "Dit wordt met uw andere antwoorden niet gevraagd.",
    computed: "Dit wordt berekend uit uw andere antwoorden. Controleer het.",
    unknown_field: "Hier kan in dit formulier geen antwoord staan.",
    type_mismatch: {
      any: "Vul een geldig antwoord in.",
      number: "Vul een getal zonder eenheid in, bijvoorbeeld {decimal}.",
      integer: "Vul een geheel getal in, bijvoorbeeld 12.",
    },
    format: {
      any: "Verwijder de tekens die niet kunnen worden opgeslagen.",
      email: "Vul een e-mailadres in, bijvoorbeeld name@example.com.",
      url: "Vul een webadres in, bijvoorbeeld https://example.com.",
      date: "Vul een geldige datum in, bijvoorbeeld {day} of 2026-11-20.",
      time: "Vul een tijd in, bijvoorbeeld 09:30.",
      datetime: "Vul een geldige datum en een tijd in.",
      address: "Kies een land uit de lijst.",
    },
    pattern: "Vul het in zoals gevraagd.",
    min_length: {
      one: "Vul minimaal {n:grouped} teken in.",
      other: "Vul minimaal {n:grouped} tekens in.",
    },
    max_length: {
      one: "Vul maximaal {n:grouped} teken in.",
      other: "Vul maximaal {n:grouped} tekens in.",
    },
    domain_not_allowed: "Vul een adres bij {n:or} in.",
    min_value: {
      any: "Vul {n} of meer in.",
      date: "Vul {n} of een latere datum in.",
      time: "Vul {n} of een latere tijd in.",
      datetime: "Vul {n} of een latere tijd in.",
    },
    max_value: {
      any: "Vul {n} of minder in.",
      date: "Vul {n} of een eerdere datum in.",
      time: "Vul {n} of een eerdere tijd in.",
      datetime: "Vul {n} of een eerdere tijd in.",
    },
    step: "Vul een veelvoud van {n} in.",
    option_full: "Een optie die u hebt gekozen is vol. Kies een andere.",
    duplicate_item: {
      any: "Kies elke optie één keer.",
      ranking: "Geef elke optie maar één plaats.",
    },
    min_items: {
      any: {
        one: "Kies minimaal {n:grouped} optie.",
        other: "Kies minimaal {n:grouped} opties.",
      },
      file: {
        one: "Kies minimaal {n:grouped} bestand.",
        other: "Kies minimaal {n:grouped} bestanden.",
      },
    },
    max_items: {
      any: {
        one: "Kies maximaal {n:grouped} optie.",
        other: "Kies maximaal {n:grouped} opties.",
      },
      file: {
        one: "Kies maximaal {n:grouped} bestand.",
        other: "Kies maximaal {n:grouped} bestanden.",
      },
    },
    upload_not_found: "Een bestand is er niet meer. Kies het opnieuw.",
    required_part: "Vul ‘{part}’ in.",
  },
  cases: {
    ownEmail: "Vul uw e-mailadres in.",
    ownPhone: "Vul uw telefoonnummer in.",
    tooLong: "Dit is te lang. Kort het in.",
    phone: {
      international: "Begin met + en het landnummer, bijvoorbeeld {international}.",
      national: "Vul een telefoonnummer in, bijvoorbeeld {national} of {international}.",
    },
    option: "Kies een van de opties.",
    columns: "Kies een van de kolommen.",
    columnsOfRow: "Kies een van de kolommen voor ‘{part}’.",
    everyRow: "Kies een optie in elke rij.",
    row: "Kies een optie voor ‘{part}’.",
    noSpace: "Er is geen ruimte meer voor bestanden. Meld dit aan de beheerder van het formulier.",
    filesTooLarge: "Kies kleinere bestanden: samen mogen ze maximaal {size} zijn.",
    fileTooLarge: "Kies een kleiner bestand: het mag maximaal {size} zijn.",
    malware: "Een bestand bevat schadelijke software en is niet aangenomen. Kies een ander bestand.",
    emptyFile: "Een bestand is leeg. Kies een ander bestand.",
    otherContent: "De inhoud van een bestand past niet bij de extensie. Kies een ander bestand.",
    otherContentThan:
      "Dit bestand is niet van een toegestaan type ({kinds:or}), of de extensie hoort bij een ander type. Kies een ander bestand.",
    otherType: "Bestanden van dit type zijn hier niet toegestaan.",
    otherTypeThan: "Dit bestand is niet van een toegestaan type: {kinds:or}. Kies een ander bestand.",
  },
  ownLabels: {
    email: /^((uw|je|jouw) )?e-?mail(adres)?\??$/i,
    phone: /^((uw|je|jouw) )?((telefoon|mobiel)(nummer)?|mobiel nummer)\??$/i,
  },
  kinds: {
    image: "afbeelding",
    audio: "audiobestand",
    video: "video",
    text: "tekstbestand",
    pdf: "PDF",
    jpg: "JPEG",
    word: "Word-document",
    excel: "Excel-werkmap",
    powerpoint: "PowerPoint-presentatie",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
