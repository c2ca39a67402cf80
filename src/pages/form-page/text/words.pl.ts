/**
 * Polish. Terms compared with those of the European Commission (openeuropa/oe_theme) and GOV.UK
 * (alphagov/govuk_publishing_components).
 */
import type { PageWords } from "./words.ts";

export const polish: PageWords = {
  yes: "Tak",
  no: "Nie",
  choose: "Wybierz…",
  other: "Inne",
  noAnswer: "Bez odpowiedzi",
  scaleEnds: { least: "najniższa", greatest: "najwyższa" },
  optional: "nieobowiązkowe",
  remove: "Usuń",
  full: "{label} (brak miejsc)",
  left: {
    one: "{label} (zostało {n:plain} miejsce)",
    few: "{label} (zostały {n:plain} miejsca)",
    many: "{label} (zostało {n:plain} miejsc)",
    other: "{label} (zostało {n:plain} miejsca)",
  },
  place: "{n:plain}. miejsce",
  addressParts: {
    line1: "Ulica i numer",
    line2: "Dodatkowe dane adresowe",
    city: "Miejscowość",
    region: "Województwo lub region",
    postalCode: "Kod pocztowy",
    country: "Kraj",
  },
  moment: { local: "Data i godzina", zone: "Strefa czasowa", inZone: "Strefa czasowa: {zone}." },
  characters: { left: "Pozostało znaków: {n}", over: "Za dużo znaków: {n}" },
  submit: "Wyślij",
  sending: "Wysyłanie…",
  errorTitle: "Błąd: {title}",
  errorHeading: "Popraw błędy",
  unknownName: "W tym formularzu nie ma pola „{name}”.",
  changed: {
    heading: "Ten formularz się zmienił",
    message:
      "Został zaktualizowany podczas wypełniania. Nic jeszcze nie zostało wysłane. Odpowiedzi nadal tu są. Sprawdź oznaczone pola i wyślij ponownie.",
    field: "Nowe lub zmienione",
  },
  more: {
    heading: "Jest więcej pytań",
    message:
      "Wynikają z podanych odpowiedzi. Nic jeszcze nie zostało wysłane. Odpowiedz na oznaczone pytania i przejdź dalej.",
    field: "Nowe pytanie",
    appeared: { one: "Pojawiło się 1 nowe pytanie.", several: "Nowe pytania: {n}." },
  },
  notCalculated: "Obliczane na podstawie innych odpowiedzi",
  captcha: {
    noScript: "Ten formularz wymaga JavaScript do weryfikacji bezpieczeństwa.",
    working: "Weryfikacja bezpieczeństwa…",
    failed: {
      heading: "Formularz nie został wysłany",
      message: "Weryfikacja bezpieczeństwa nie powiodła się. Wyślij formularz ponownie.",
    },
  },
  uploads: {
    drop: "Pliki można tu przeciągnąć.",
    sending: "Przesyłanie…",
    sent: "Przesłano: {names}",
    removed: "Usunięto: {names}",
    failed: "Przesyłanie nie powiodło się. Wybierz plik ponownie albo wyślij go z formularzem.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Czy chodzi o {readings:or}? Wpisz w ten sposób.",
  skipped:
    "Ta godzina nie istnieje w tym dniu: zegary są przestawiane do przodu. Podaj wcześniejszą lub późniejszą.",
  isRight:
    "Czy adres „{address}” jest poprawny? Część po @ nie zawiera kropki. Popraw go albo wyślij ponownie bez zmian.",
  steps: {
    position: "Krok {n} z {count}",
    next: "Dalej",
    back: "Wstecz",
    check: {
      heading: "Sprawdź odpowiedzi",
      message: "Nic jeszcze nie zostało wysłane. Odpowiedzi w każdym kroku można zmienić.",
    },
    change: "Zmień",
    noValue: "Bez odpowiedzi",
    altered: {
      heading: "Sprawdź odpowiedzi jeszcze raz",
      message:
        "Wcześniejsze odpowiedzi nie dotarły w niezmienionej postaci. Nic nie zostało zapisane. Przejdź przez kroki jeszcze raz: każdy pokazuje, co zostało wysłane.",
    },
  },
  draft: {
    restored: "Wcześniejsze odpowiedzi znów tu są. Były przechowywane w tej przeglądarce.",
    kept: "Wpisane dane są przechowywane w tej przeglądarce przez tydzień lub do chwili wysłania.",
    clear: "Wyczyść",
  },
  footer: {
    privacy: "Prywatność",
    imprint: "Informacje prawne",
    contact: "Kontakt",
    newTab: "otwiera się w nowej karcie",
  },
  alreadySent: {
    heading: "Ten formularz został już wysłany",
    message:
      "Został wysłany z tej strony z innymi odpowiedziami. Odpowiedzi podane tutaj nie zostały wysłane. Aby wysłać także je, wyślij formularz ponownie.",
  },
  openForLong: {
    heading: "Ta strona jest otwarta ponad tydzień",
    message:
      "Nie można już sprawdzić, czy formularz został wysłany wcześniej. Odpowiedzi podane tutaj nie zostały teraz wysłane. Jeśli nie zostały jeszcze wysłane, wyślij formularz ponownie.",
  },
  sent: {
    heading: "Dziękujemy",
    message: "Formularz został wysłany.",
    reference: "Numer referencyjny",
    values: "Wysłane odpowiedzi",
    notShown: "Wysłane, tutaj niepokazane",
    copy: "Kopiuj",
    copied: "Skopiowano",
    print: "Drukuj",
    again: "Wyślij kolejny",
  },
  resume: {
    save: "Zapisz i dokończ później",
    heading: "Odpowiedzi zostały zapisane",
    message:
      "Nic jeszcze nie zostało wysłane. Ten link pozwala kontynuować do {day}, na dowolnym urządzeniu.",
    link: "Link do odpowiedzi",
    keep: "Zachowaj ten link: nikt nie może utworzyć go ponownie, nawet osoba odpowiedzialna za formularz. Kto ma ten link, może przeczytać odpowiedzi, zmienić je i wysłać.",
    shared: "Na komputerze, z którego korzystają inne osoby, zamknij tę stronę po skopiowaniu linku.",
    mail: "Wyślij link na mój adres",
    address: "Adres e-mail",
    addressHint: "Zostanie użyty tylko raz, do tej wiadomości, i nie będzie przechowywany.",
    mailed: "Link jest w drodze na adres {address}.",
    notMailed: "Nie można teraz wysłać wiadomości na ten adres. Skopiuj link.",
    continue: "Kontynuuj teraz",
    conflict: {
      heading: "Odpowiedzi zostały zapisane w innym miejscu",
      message:
        "Od otwarcia tej strony zapisano inne odpowiedzi za pomocą tego samego linku. Nadal są przechowywane. Zapisz ponownie, aby zastąpić je odpowiedziami z tej strony.",
    },
    tooMuch: {
      heading: "Danych do zapisania jest za dużo",
      message: "Nic nie zostało zapisane. Odpowiedzi są nadal na tej stronie: skróć je albo wyślij.",
    },
    refused: {
      heading: "Tego formularza nie można teraz zapisać",
      message: "Odpowiedzi są nadal na tej stronie i można je wysłać. Spróbuj zapisać je później.",
    },
  },
  change: {
    link: "Zmień wysłane odpowiedzi",
    until:
      "Ten link pozwala zmienić wysłane odpowiedzi. Termin: {moment}. Zachowaj ten link: kto go ma, może zrobić to samo.",
    open: "Ten link pozwala zmienić wysłane odpowiedzi, dopóki formularz jest otwarty. Zachowaj ten link: kto go ma, może zrobić to samo.",
    heading: "Zmiana wysłanych odpowiedzi",
    message: "To są wysłane odpowiedzi. Pozostaną bez zmian do chwili wysłania nowych.",
    notShown: "Odpowiedź została wysłana, ale nie jest tu pokazana. Zostaw to pole puste, aby ją zachować.",
    submit: "Wyślij zmiany",
    done: { heading: "Zmiany zostały zapisane", message: "Zastępują wcześniej wysłane odpowiedzi." },
    nothing: { heading: "Nic się nie zmieniło", message: "To są wcześniej wysłane odpowiedzi." },
    conflict: {
      heading: "Zgłoszenie zostało w międzyczasie zmienione",
      message:
        "Nic z tej strony nie zostało jeszcze zapisane. Jeśli osoba odpowiedzialna za formularz zapisała inną odpowiedź, widać ją obok wpisanej. Wyślij ponownie, aby zapisać wpisaną.",
    },
    storedNow: "Teraz zapisane: {value}",
    ended: {
      heading: "Czas na zmiany minął",
      message:
        "Wysłane odpowiedzi pozostają bez zmian. Jeśli coś się nie zgadza, zwróć się do osoby odpowiedzialnej za formularz.",
    },
    off: {
      heading: "Zmiany nie są już możliwe",
      message:
        "Wysłane odpowiedzi pozostają bez zmian. Jeśli coś się nie zgadza, zwróć się do osoby odpowiedzialnej za formularz.",
    },
    reviewed: {
      heading: "Zgłoszenie zostało rozpatrzone",
      message:
        "Nie można go już zmienić. Jeśli coś się nie zgadza, zwróć się do osoby odpowiedzialnej za formularz.",
    },
    held: {
      heading: "Zgłoszenie pozostaje bez zmian",
      message: "W tej chwili nie można go zmienić. O przyczynę zapytaj osobę odpowiedzialną za formularz.",
    },
    withdraw: {
      button: "Wycofaj zgłoszenie",
      heading: "Wycofać zgłoszenie?",
      message: "Wszystkie wysłane dane zostaną usunięte. Tego nie można cofnąć.",
      keep: "Nie wycofuj",
      done: { heading: "Zgłoszenie zostało wycofane", message: "Wysłane dane zostały usunięte." },
    },
  },
  links: {
    unknown: {
      heading: "Ten link donikąd nie prowadzi",
      message:
        "Mógł wygasnąć albo formularz, do którego prowadził, został wysłany. Sprawdź, czy link został skopiowany w całości.",
    },
    used: {
      heading: "To zaproszenie zostało już wykorzystane",
      message: "Za jego pomocą wysłano formularz, co jest możliwe tylko raz.",
    },
    needed: {
      heading: "Ten formularz jest dla zaproszonych osób",
      message: "Otwórz go za pomocą linku z zaproszenia.",
    },
  },
  retry: "Spróbuj ponownie",
  kept: "Odpowiedzi są zachowane na tej stronie.",
  closed: {
    not_open: { heading: "Ten formularz nie jest jeszcze otwarty", message: "Otwarcie: {moment}." },
    closed: { heading: "Ten formularz jest zamknięty", message: "Zamknięcie: {moment}." },
    full: {
      heading: "Brak wolnych miejsc",
      message: "Wszystkie miejsca są zajęte. Nic nie zostało wysłane.",
    },
  },
  offline: {
    heading: "Ten formularz jest w tej chwili niedostępny",
    message: "Spróbuj później albo zapytaj osobę, od której pochodzi link.",
  },
  badRequest: "To żądanie jest nieprawidłowe",
  failures: {
    bad_request: "Poprzednia strona może być nieaktualna. Otwórz formularz ponownie.",
    not_found: {
      heading: "Nie ma tu formularza",
      message: "Sprawdź adres. Formularz mógł zostać przeniesiony lub wyłączony.",
    },
    anonymous_not_allowed: {
      heading: "Ten formularz nie jest publiczny",
      message: "Nie można go wysłać z tej strony. Zapytaj osobę, od której pochodzi link.",
    },
    declared_agent_refused: {
      heading: "Ten formularz jest dla ludzi",
      message:
        "Programy nie mogą go wysłać z tej strony. Agent może użyć API, jeśli osoba odpowiedzialna na to pozwala.",
    },
    captcha_unavailable: {
      heading: "Tego formularza nie można teraz wysłać",
      message: "Weryfikacja bezpieczeństwa jest niedostępna. Spróbuj później.",
    },
    gone: "Został zarchiwizowany i nie przyjmuje już zgłoszeń.",
    method_not_allowed: {
      heading: "Ten adres służy tylko do odczytu",
      message: "Otwórz formularz ponownie.",
    },
    payload_too_large: {
      heading: "Danych jest za dużo",
      message: "Wróć, skróć wpisany tekst i wyślij ponownie. Nic nie zostało zapisane.",
    },
    invalid_content_type:
      "Formularz musi zostać wysłany ze swojej własnej strony. Otwórz formularz ponownie.",
    rate_limited: {
      heading: "Poczekaj chwilę",
      message: "Z tej sieci przyszło za dużo żądań. Nic nie zostało zapisane.",
    },
    internal_error: {
      heading: "Coś poszło nie tak",
      message: "Nie wiemy, czy formularz został zapisany. Można go bezpiecznie wysłać ponownie z tej strony.",
    },
    unavailable: {
      heading: "Usługa jest w tej chwili niedostępna",
      message:
        "Spróbuj ponownie za chwilę. Ten sam formularz wysłany ponownie z tej strony zostanie zapisany tylko raz.",
    },
  },
  wait: {
    one: "Można spróbować ponownie za {n:grouped} sekundę.",
    few: "Można spróbować ponownie za {n:grouped} sekundy.",
    many: "Można spróbować ponownie za {n:grouped} sekund.",
    other: "Można spróbować ponownie za {n:grouped} sekundy.",
  },
  request: "Żądanie",
  hints: {
    between: "Od {least} do {n}.",
    number: { least: "{n} lub więcej.", greatest: "{n} lub mniej." },
    moment: { least: "{n} lub później.", greatest: "{n} lub wcześniej." },
    length: {
      between: {
        one: "Od {least:plain} do {n:grouped} znaku.",
        few: "Od {least:plain} do {n:grouped} znaków.",
        many: "Od {least:plain} do {n:grouped} znaków.",
        other: "Od {least:plain} do {n:grouped} znaku.",
      },
      least: {
        one: "Co najmniej {n:grouped} znak.",
        few: "Co najmniej {n:grouped} znaki.",
        many: "Co najmniej {n:grouped} znaków.",
        other: "Co najmniej {n:grouped} znaku.",
      },
      greatest: {
        one: "Maksymalnie {n:grouped} znak.",
        few: "Maksymalnie {n:grouped} znaki.",
        many: "Maksymalnie {n:grouped} znaków.",
        other: "Maksymalnie {n:grouped} znaku.",
      },
    },
    files: {
      between: {
        one: "Od {least:plain} do {n:grouped} pliku.",
        few: "Od {least:plain} do {n:grouped} plików.",
        many: "Od {least:plain} do {n:grouped} plików.",
        other: "Od {least:plain} do {n:grouped} pliku.",
      },
      least: {
        one: "Co najmniej {n:grouped} plik.",
        few: "Co najmniej {n:grouped} pliki.",
        many: "Co najmniej {n:grouped} plików.",
        other: "Co najmniej {n:grouped} pliku.",
      },
      greatest: {
        one: "Maksymalnie {n:grouped} plik.",
        few: "Maksymalnie {n:grouped} pliki.",
        many: "Maksymalnie {n:grouped} plików.",
        other: "Maksymalnie {n:grouped} pliku.",
      },
    },
    items: {
      exactly: "Liczba opcji do wybrania: {n}.",
      between: "Liczba opcji do wybrania: od {least} do {n}.",
      least: "Wybierz co najmniej {n}.",
      greatest: "Wybierz maksymalnie {n}.",
      any: "Wybierz wszystkie pasujące odpowiedzi.",
    },
    fileSize: { one: "Maksymalnie {size}.", each: "Każdy plik maksymalnie {size}." },
    domains: "Adres w domenie {domains:or}.",
    phone: {
      international: "Z + i numerem kierunkowym kraju, na przykład {international}.",
      national: "Na przykład {national} lub {international}.",
    },
    url: "Na przykład https://example.com.",
    whole: "Liczba całkowita.",
    steps: "W krokach co {n}.",
    allRows: {
      required: "Wybierz w każdym wierszu.",
      optional: "Jeśli wybierasz opcje, wybierz w każdym wierszu.",
    },
  },
  yesOrNo: "Wybierz „tak” lub „nie”.",
  oneOption: "Wybierz opcję.",
  tick: "Zaznacz pole, aby przejść dalej.",
  rankAll: "Nadaj miejsce każdej opcji.",
  sentences: {
    required: {
      any: "Wpisz odpowiedź.",
      email: "Wpisz adres e-mail.",
      phone: "Wpisz numer telefonu.",
      url: "Wpisz adres strony internetowej.",
      number: "Wpisz liczbę.",
      integer: "Wpisz liczbę całkowitą.",
      date: "Wpisz datę.",
      time: "Wpisz godzinę.",
      datetime: "Wpisz datę i godzinę.",
      multi_select: "Wybierz co najmniej jedną opcję.",
      ranking: "Uszereguj opcje.",
      file: "Wybierz plik.",
      rating: "Wybierz ocenę.",
      matrix: "Wybierz opcję w każdym wierszu.",
    },
    not_applicable: "Przy pozostałych odpowiedziach to pytanie nie jest zadawane.",
    computed: "Ta wartość jest obliczana na podstawie innych odpowiedzi. Sprawdź ją.",
    unknown_field: "Ten formularz nie przyjmuje tu odpowiedzi.",
    type_mismatch: {
      any: "Wpisz prawidłową odpowiedź.",
      number: "Wpisz liczbę bez jednostki, na przykład {decimal}.",
      integer: "Wpisz liczbę całkowitą, na przykład 12.",
    },
    format: {
      any: "Usuń znaki, których nie można zapisać.",
      email: "Wpisz adres e-mail, na przykład name@example.com.",
      url: "Wpisz adres strony internetowej, na przykład https://example.com.",
      date: "Wpisz prawidłową datę, na przykład {day} lub 2026-11-20.",
      time: "Wpisz godzinę, na przykład 09:30.",
      datetime: "Wpisz prawidłową datę i godzinę.",
      address: "Wybierz kraj z listy.",
    },
    pattern: "Wpisz w wymaganym formacie.",
    min_length: {
      one: "Wpisz co najmniej {n:grouped} znak.",
      few: "Wpisz co najmniej {n:grouped} znaki.",
      many: "Wpisz co najmniej {n:grouped} znaków.",
      other: "Wpisz co najmniej {n:grouped} znaku.",
    },
    max_length: {
      one: "Wpisz maksymalnie {n:grouped} znak.",
      few: "Wpisz maksymalnie {n:grouped} znaki.",
      many: "Wpisz maksymalnie {n:grouped} znaków.",
      other: "Wpisz maksymalnie {n:grouped} znaku.",
    },
    domain_not_allowed: "Wpisz adres w domenie {n:or}.",
    min_value: {
      any: "Wpisz {n} lub więcej.",
      date: "Wpisz datę {n} lub późniejszą.",
      time: "Wpisz godzinę {n} lub późniejszą.",
      datetime: "Wpisz termin {n} lub późniejszy.",
    },
    max_value: {
      any: "Wpisz {n} lub mniej.",
      date: "Wpisz datę {n} lub wcześniejszą.",
      time: "Wpisz godzinę {n} lub wcześniejszą.",
      datetime: "Wpisz termin {n} lub wcześniejszy.",
    },
    step: "Wpisz wielokrotność liczby {n}.",
    option_full: "W wybranej opcji nie ma już miejsc. Wybierz inną.",
    duplicate_item: {
      any: "Wybierz każdą opcję tylko raz.",
      ranking: "Nadaj każdej opcji tylko jedno miejsce.",
    },
    min_items: {
      any: {
        one: "Wybierz co najmniej {n:grouped} opcję.",
        few: "Wybierz co najmniej {n:grouped} opcje.",
        many: "Wybierz co najmniej {n:grouped} opcji.",
        other: "Wybierz co najmniej {n:grouped} opcji.",
      },
      file: {
        one: "Wybierz co najmniej {n:grouped} plik.",
        few: "Wybierz co najmniej {n:grouped} pliki.",
        many: "Wybierz co najmniej {n:grouped} plików.",
        other: "Wybierz co najmniej {n:grouped} pliku.",
      },
    },
    max_items: {
      any: {
        one: "Wybierz maksymalnie {n:grouped} opcję.",
        few: "Wybierz maksymalnie {n:grouped} opcje.",
        many: "Wybierz maksymalnie {n:grouped} opcji.",
        other: "Wybierz maksymalnie {n:grouped} opcji.",
      },
      file: {
        one: "Wybierz maksymalnie {n:grouped} plik.",
        few: "Wybierz maksymalnie {n:grouped} pliki.",
        many: "Wybierz maksymalnie {n:grouped} plików.",
        other: "Wybierz maksymalnie {n:grouped} pliku.",
      },
    },
    upload_not_found: "Pliku już tu nie ma. Wybierz go ponownie.",
    required_part: "Wypełnij „{part}”.",
  },
  cases: {
    ownEmail: "Wpisz swój adres e-mail.",
    ownPhone: "Wpisz swój numer telefonu.",
    tooLong: "Tekst jest za długi. Skróć go.",
    phone: {
      international: "Zacznij od + i numeru kierunkowego kraju, na przykład {international}.",
      national: "Wpisz numer telefonu, na przykład {national} lub {international}.",
    },
    option: "Wybierz jedną z opcji.",
    columns: "Wybierz jedną z kolumn.",
    columnsOfRow: "Wybierz jedną z kolumn w wierszu „{part}”.",
    everyRow: "Wybierz opcję w każdym wierszu.",
    row: "Wybierz opcję w wierszu „{part}”.",
    noSpace: "Brak miejsca na pliki. Powiadom osobę odpowiedzialną za formularz.",
    filesTooLarge: "Wybierz mniejsze pliki: razem mogą mieć maksymalnie {size}.",
    fileTooLarge: "Wybierz mniejszy plik: może mieć maksymalnie {size}.",
    malware: "Plik zawiera złośliwe oprogramowanie i nie został przyjęty. Wybierz inny.",
    emptyFile: "Plik jest pusty. Wybierz inny.",
    otherContent: "Zawartość pliku nie odpowiada jego rozszerzeniu. Wybierz inny.",
    otherContentThan:
      "Ten plik nie jest dozwolonego typu ({kinds:or}) albo jego rozszerzenie należy do innego typu. Wybierz inny.",
    otherType: "Pliki tego typu nie są tu przyjmowane.",
    otherTypeThan: "Ten plik nie jest dozwolonego typu: {kinds:or}. Wybierz inny.",
  },
  ownLabels: {
    email: /^((twój|pana|pani) )?(adres )?e-?mail\??$/iu,
    phone: /^((twój|pana|pani) )?(numer )?telefonu?( komórkow(y|ego))?\??$/iu,
  },
  kinds: {
    image: "obraz",
    audio: "plik dźwiękowy",
    video: "film",
    text: "plik tekstowy",
    pdf: "PDF",
    jpg: "JPEG",
    word: "dokument Word",
    excel: "skoroszyt Excel",
    powerpoint: "prezentacja PowerPoint",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
