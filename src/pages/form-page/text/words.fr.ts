/**
 * French. Terms compared with the Système de design de l’État (GouvernementFR/dsfr), Démarches simplifiées
 * (demarches-simplifiees/demarches-simplifiees.fr) and the European Commission (EUSurvey/EUSURVEY,
 * openeuropa/oe_theme). A label's gender is unknown, so that sentences do not have it.
 */
import type { PageWords } from "./words.ts";

export const french: PageWords = {
  yes: "Oui",
  no: "Non",
  choose: "Choisissez…",
  other: "Autre",
  noAnswer: "Sans réponse",
  scaleEnds: { least: "le plus bas", greatest: "le plus élevé" },
  optional: "facultatif",
  remove: "Supprimer",
  full: "{label} (plus aucune place)",
  left: {
    one: "{label} (encore {n} place)",
    many: "{label} (encore {n} de places)",
    other: "{label} (encore {n} places)",
  },
  place: { one: "{n}re place", other: "{n}e place" },
  addressParts: {
    line1: "Numéro et nom de voie",
    line2: "Complément d’adresse",
    city: "Ville ou commune",
    region: "Région ou État",
    postalCode: "Code postal",
    country: "Pays",
  },
  moment: { local: "Date et heure", zone: "Fuseau horaire", inZone: "Fuseau horaire : {zone}." },
  characters: { left: "Caractères restants : {n}", over: "Caractères en trop : {n}" },
  submit: "Envoyer",
  sending: "Envoi en cours…",
  errorTitle: "Erreur : {title}",
  errorHeading: "Il y a un problème",
  unknownName: "Ce formulaire n’a pas de champ « {name} ».",
  changed: {
    heading: "Ce formulaire a été modifié",
    message:
      "Il a été mis à jour pendant que vous le remplissiez, et rien n’a encore été envoyé. Vos réponses sont toujours là. Vérifiez les champs signalés, puis envoyez de nouveau le formulaire.",
    field: "Nouveau ou modifié",
  },
  more: {
    heading: "Il y a d’autres questions",
    message:
      "Elles découlent de vos réponses, et rien n’a encore été envoyé. Répondez aux questions signalées, puis continuez.",
    field: "Nouvelle question",
    appeared: {
      one: "Une nouvelle question est apparue.",
      several: "{n} nouvelles questions sont apparues.",
    },
  },
  notCalculated: "Calculé à partir de vos autres réponses",
  captcha: {
    noScript: "Ce formulaire a besoin de JavaScript pour la vérification de sécurité.",
    working: "Vérification de sécurité…",
    failed: {
      heading: "Ce formulaire n’a pas été envoyé",
      message: "La vérification de sécurité a échoué. Veuillez envoyer le formulaire de nouveau.",
    },
  },
  uploads: {
    drop: "Vous pouvez déposer des fichiers ici.",
    sending: "Ajout en cours…",
    sent: "Ajout terminé : {names}",
    removed: "Suppression terminée : {names}",
    failed: "Le fichier n’a pas pu être ajouté. Choisissez-le de nouveau, ou envoyez-le avec le formulaire.",
  },
  inSummary: "{label} : {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Vouliez-vous dire {readings:or} ? Saisissez la bonne valeur sous cette forme.",
  skipped:
    "Cette heure n’existe pas ce jour-là, à cause du passage à l’heure d’été. Saisissez une heure antérieure ou ultérieure.",
  isRight:
    "L’adresse « {address} » est-elle correcte ? Il n’y a pas de point après le @. Corrigez-la, ou envoyez-la de nouveau telle quelle.",
  steps: {
    position: "Étape {n} sur {count}",
    next: "Continuer",
    back: "Retour",
    check: {
      heading: "Vérifiez vos réponses",
      message: "Rien n’a encore été envoyé. Vous pouvez modifier les réponses de chaque étape.",
    },
    change: "Modifier",
    noValue: "Sans réponse",
    altered: {
      heading: "Vérifiez de nouveau vos réponses",
      message:
        "Vos réponses précédentes ne sont pas arrivées intactes. Rien n’a été enregistré. Reprenez les étapes : chacune montre ce qui a été envoyé.",
    },
  },
  draft: {
    restored: "Vos réponses précédentes sont de nouveau là. Elles ont été conservées dans ce navigateur.",
    kept: "Ce que vous saisissez est conservé dans ce navigateur pendant une semaine, ou jusqu’à l’envoi.",
    clear: "Effacer",
  },
  footer: {
    privacy: "Données personnelles",
    imprint: "Mentions légales",
    contact: "Contact",
    newTab: "s’ouvre dans un nouvel onglet",
  },
  alreadySent: {
    heading: "Vous avez déjà envoyé ce formulaire",
    message:
      "Il a été envoyé depuis cette page avec d’autres réponses. Les réponses affichées ici n’ont pas été envoyées. Pour les envoyer aussi, envoyez de nouveau le formulaire.",
  },
  openForLong: {
    heading: "Cette page est ouverte depuis plus d’une semaine",
    message:
      "Il n’est plus possible de savoir si le formulaire a déjà été envoyé. Les réponses affichées ici n’ont pas été envoyées cette fois. Si vous ne les avez pas encore envoyées, envoyez de nouveau le formulaire.",
  },
  sent: {
    heading: "Merci",
    message: "Votre formulaire a été envoyé.",
    reference: "Votre référence",
    values: "Ce que vous avez envoyé",
    notShown: "Envoyé, mais non affiché ici",
    copy: "Copier",
    copied: "Copié",
    print: "Imprimer",
    again: "Envoyer une autre réponse",
  },
  resume: {
    save: "Enregistrer et continuer plus tard",
    heading: "Vos réponses sont enregistrées",
    message:
      "Rien n’a encore été envoyé. Avec ce lien, vous pouvez continuer jusqu’au {day}, sur n’importe quel appareil.",
    link: "Lien vers vos réponses",
    keep: "Conservez ce lien : personne ne peut le recréer, pas même la personne responsable du formulaire. Quiconque le possède peut lire vos réponses, les modifier et les envoyer.",
    shared: "Sur un ordinateur que d’autres utilisent, fermez cette page une fois le lien copié.",
    mail: "M’envoyer le lien",
    address: "Adresse électronique",
    addressHint: "Elle sert une seule fois, pour ce message, et n’est pas conservée.",
    mailed: "Le lien est en cours d’envoi à {address}.",
    notMailed: "Aucun message ne peut être envoyé à cette adresse pour le moment. Copiez plutôt le lien.",
    continue: "Continuer maintenant",
    conflict: {
      heading: "Vos réponses ont été enregistrées ailleurs",
      message:
        "Depuis que vous avez ouvert cette page, d’autres réponses ont été enregistrées avec le même lien. Elles sont toujours là. Enregistrez de nouveau pour les remplacer par celles de cette page.",
    },
    tooMuch: {
      heading: "Il y a trop de données à enregistrer",
      message:
        "Rien n’a été enregistré. Vos réponses sont toujours sur cette page : raccourcissez-les ou envoyez-les.",
    },
    refused: {
      heading: "Ce formulaire ne peut pas être enregistré pour le moment",
      message:
        "Vos réponses sont toujours sur cette page et peuvent être envoyées. Essayez de les enregistrer plus tard.",
    },
  },
  change: {
    link: "Modifier ce que vous avez envoyé",
    until:
      "Avec ce lien, vous pouvez modifier vos réponses jusqu’au {moment}. Conservez-le : quiconque le possède peut faire de même.",
    open: "Avec ce lien, vous pouvez modifier vos réponses tant que le formulaire est ouvert. Conservez-le : quiconque le possède peut faire de même.",
    heading: "Modifier ce que vous avez envoyé",
    message:
      "Voici les réponses que vous avez envoyées. Elles restent telles quelles jusqu’à ce que vous envoyiez des modifications.",
    notShown:
      "Vous avez envoyé une réponse, qui n’est pas affichée. Laissez ce champ vide pour la conserver.",
    submit: "Envoyer les modifications",
    done: {
      heading: "Vos modifications sont enregistrées",
      message: "Elles remplacent ce que vous aviez envoyé.",
    },
    nothing: { heading: "Rien n’a été modifié", message: "Voici les réponses que vous aviez déjà envoyées." },
    conflict: {
      heading: "Votre envoi a été modifié entre-temps",
      message:
        "Rien de cette page n’a encore été enregistré. Là où la personne responsable du formulaire a enregistré une autre réponse, elle figure à côté de la vôtre. Envoyez de nouveau pour enregistrer la vôtre.",
    },
    storedNow: "Actuellement enregistré : {value}",
    ended: {
      heading: "Le délai de modification est terminé",
      message:
        "Ce que vous avez envoyé reste tel quel. En cas d’erreur, adressez-vous à la personne responsable du formulaire.",
    },
    off: {
      heading: "Les modifications ne sont plus possibles",
      message:
        "Ce que vous avez envoyé reste tel quel. En cas d’erreur, adressez-vous à la personne responsable du formulaire.",
    },
    reviewed: {
      heading: "Votre envoi a été examiné",
      message:
        "Il ne peut plus être modifié. En cas d’erreur, adressez-vous à la personne responsable du formulaire.",
    },
    held: {
      heading: "Votre envoi est conservé tel quel",
      message:
        "Il ne peut pas être modifié pour le moment. Demandez-en la raison à la personne responsable du formulaire.",
    },
    withdraw: {
      button: "Retirer mon envoi",
      heading: "Retirer votre envoi ?",
      message: "Tout ce que vous avez envoyé sera supprimé. Il n’est pas possible de revenir en arrière.",
      keep: "Le conserver",
      done: { heading: "Votre envoi a été retiré", message: "Ce que vous aviez envoyé a été supprimé." },
    },
  },
  links: {
    unknown: {
      heading: "Ce lien ne mène nulle part",
      message:
        "Il a peut-être expiré, ou ce à quoi il menait a déjà été envoyé. Vérifiez que vous l’avez copié en entier.",
    },
    used: {
      heading: "Cette invitation a déjà été utilisée",
      message: "Elle a servi à envoyer le formulaire, ce qui n’est possible qu’une seule fois.",
    },
    needed: {
      heading: "Ce formulaire est réservé aux personnes invitées",
      message: "Ouvrez-le avec le lien de votre invitation.",
    },
  },
  retry: "Réessayer",
  kept: "Vos réponses sont conservées sur cette page.",
  closed: {
    not_open: { heading: "Ce formulaire n’est pas encore ouvert", message: "Il ouvrira le {moment}." },
    closed: { heading: "Ce formulaire est fermé", message: "Il a été fermé le {moment}." },
    full: {
      heading: "Ce formulaire est complet",
      message: "Toutes les places sont prises. Rien n’a été envoyé.",
    },
  },
  offline: {
    heading: "Ce formulaire n’est pas en ligne pour le moment",
    message: "Réessayez plus tard, ou adressez-vous à la personne qui vous a envoyé le lien.",
  },
  badRequest: "Cette requête n’est pas valide",
  failures: {
    bad_request: "La page d’où vous venez n’est peut-être plus à jour. Ouvrez de nouveau le formulaire.",
    not_found: {
      heading: "Il n’y a pas de formulaire ici",
      message: "Vérifiez l’adresse. Le formulaire a peut-être été déplacé ou désactivé.",
    },
    anonymous_not_allowed: {
      heading: "Ce formulaire n’est pas ouvert au public",
      message:
        "Il ne peut pas être envoyé depuis cette page. Adressez-vous à la personne qui vous a envoyé le lien.",
    },
    declared_agent_refused: {
      heading: "Ce formulaire est destiné à des personnes",
      message:
        "Les programmes ne peuvent pas l’envoyer sur cette page. Un agent logiciel peut utiliser l’API, si la personne responsable du formulaire le permet.",
    },
    captcha_unavailable: {
      heading: "Ce formulaire ne peut pas être envoyé pour le moment",
      message: "La vérification de sécurité n’est pas disponible. Veuillez réessayer plus tard.",
    },
    gone: "Il a été archivé et n’accepte plus de réponses.",
    method_not_allowed: {
      heading: "Cette adresse est en lecture seule",
      message: "Ouvrez de nouveau le formulaire.",
    },
    payload_too_large: {
      heading: "Il y a trop de données à envoyer",
      message:
        "Revenez en arrière, raccourcissez vos réponses et envoyez de nouveau le formulaire. Rien n’a été enregistré.",
    },
    invalid_content_type:
      "Le formulaire doit être envoyé depuis sa propre page. Ouvrez de nouveau le formulaire.",
    rate_limited: {
      heading: "Veuillez patienter un instant",
      message: "Trop de requêtes sont venues de votre réseau. Rien n’a été enregistré.",
    },
    internal_error: {
      heading: "Une erreur s’est produite",
      message:
        "Nous ne savons pas si votre formulaire a été enregistré. Vous pouvez l’envoyer de nouveau sans risque depuis cette page.",
    },
    unavailable: {
      heading: "Le service n’est pas disponible pour le moment",
      message:
        "Veuillez réessayer dans un instant. Même envoyé plusieurs fois depuis cette page, le formulaire n’est enregistré qu’une fois.",
    },
  },
  wait: {
    one: "Vous pourrez réessayer dans {n} seconde.",
    many: "Vous pourrez réessayer dans {n} de secondes.",
    other: "Vous pourrez réessayer dans {n} secondes.",
  },
  request: "Requête",
  hints: {
    between: "Minimum : {least}. Maximum : {n}.",
    number: { least: "{n} ou plus.", greatest: "{n} ou moins." },
    moment: { least: "Au plus tôt : {n}.", greatest: "Au plus tard : {n}." },
    length: {
      between: {
        one: "De {least} à {n} caractère.",
        many: "De {least} à {n} de caractères.",
        other: "De {least} à {n} caractères.",
      },
      least: {
        one: "Au moins {n} caractère.",
        many: "Au moins {n} de caractères.",
        other: "Au moins {n} caractères.",
      },
      greatest: {
        one: "{n} caractère au maximum.",
        many: "{n} de caractères au maximum.",
        other: "{n} caractères au maximum.",
      },
    },
    files: {
      between: {
        one: "De {least} à {n} fichier.",
        many: "De {least} à {n} de fichiers.",
        other: "De {least} à {n} fichiers.",
      },
      least: {
        one: "Au moins {n} fichier.",
        many: "Au moins {n} de fichiers.",
        other: "Au moins {n} fichiers.",
      },
      greatest: {
        one: "{n} fichier au maximum.",
        many: "{n} de fichiers au maximum.",
        other: "{n} fichiers au maximum.",
      },
    },
    items: {
      exactly: "Choix à faire : {n}.",
      between: "Choix à faire : de {least} à {n}.",
      least: "Choix à faire : au moins {n}.",
      greatest: "Choix à faire : {n} au maximum.",
      any: "Plusieurs réponses sont possibles.",
    },
    fileSize: { one: "{size} au maximum.", each: "{size} au maximum par fichier." },
    domains: "Une adresse chez {domains:or}.",
    phone: {
      international: "Avec + et l’indicatif du pays, par exemple {international}.",
      national: "Par exemple {national} ou {international}.",
    },
    url: "Par exemple https://example.com.",
    whole: "Un nombre entier.",
    steps: "Par pas de {n}.",
    allRows: {
      required: "Choisissez dans chaque ligne.",
      optional: "Si vous choisissez, faites-le dans chaque ligne.",
    },
  },
  yesOrNo: "Choisissez oui ou non.",
  oneOption: "Choisissez une option.",
  tick: "Cochez la case pour continuer.",
  rankAll: "Donnez une place à chaque option.",
  sentences: {
    required: {
      any: "Saisissez une réponse.",
      email: "Saisissez une adresse électronique.",
      phone: "Saisissez un numéro de téléphone.",
      url: "Saisissez une adresse web.",
      number: "Saisissez un nombre.",
      integer: "Saisissez un nombre entier.",
      date: "Saisissez une date.",
      time: "Saisissez une heure.",
      datetime: "Saisissez une date et une heure.",
      multi_select: "Choisissez au moins une option.",
      ranking: "Classez les options.",
      file: "Choisissez un fichier.",
      rating: "Choisissez une note.",
      matrix: "Choisissez une option dans chaque ligne.",
    },
    not_applicable: "Avec vos autres réponses, cette question n’est pas posée.",
    computed: "Cette valeur est calculée à partir de vos autres réponses. Vérifiez-la.",
    unknown_field: "Ce formulaire n’accepte pas de réponse ici.",
    type_mismatch: {
      any: "Saisissez une réponse valide.",
      number: "Saisissez un nombre sans unité, par exemple {decimal}.",
      integer: "Saisissez un nombre entier, par exemple 12.",
    },
    format: {
      any: "Supprimez les caractères qui ne peuvent pas être enregistrés.",
      email: "Saisissez une adresse électronique, par exemple nom@example.com.",
      url: "Saisissez une adresse web, par exemple https://example.com.",
      date: "Saisissez une date qui existe, par exemple {day:short}.",
      time: "Saisissez une heure, par exemple 09:30.",
      datetime: "Saisissez une date qui existe et une heure.",
      address: "Choisissez un pays dans la liste.",
    },
    pattern: "Respectez le format attendu.",
    min_length: {
      one: "Saisissez au moins {n} caractère.",
      many: "Saisissez au moins {n} de caractères.",
      other: "Saisissez au moins {n} caractères.",
    },
    max_length: {
      one: "Saisissez {n} caractère au maximum.",
      many: "Saisissez {n} de caractères au maximum.",
      other: "Saisissez {n} caractères au maximum.",
    },
    domain_not_allowed: "Saisissez une adresse chez {n:or}.",
    min_value: {
      any: "Saisissez {n} ou plus.",
      date: "Saisissez le {n} ou une date ultérieure.",
      time: "Saisissez {n} ou une heure ultérieure.",
      datetime: "Saisissez le {n} ou une date et une heure ultérieures.",
    },
    max_value: {
      any: "Saisissez {n} ou moins.",
      date: "Saisissez le {n} ou une date antérieure.",
      time: "Saisissez {n} ou une heure antérieure.",
      datetime: "Saisissez le {n} ou une date et une heure antérieures.",
    },
    step: "Saisissez un multiple de {n}.",
    option_full: "Il n’y a plus de place pour une option choisie. Choisissez-en une autre.",
    duplicate_item: {
      any: "Choisissez chaque option une seule fois.",
      ranking: "Donnez une seule place à chaque option.",
    },
    min_items: {
      any: {
        one: "Choisissez au moins {n} option.",
        many: "Choisissez au moins {n} d’options.",
        other: "Choisissez au moins {n} options.",
      },
      file: {
        one: "Choisissez au moins {n} fichier.",
        many: "Choisissez au moins {n} de fichiers.",
        other: "Choisissez au moins {n} fichiers.",
      },
    },
    max_items: {
      any: {
        one: "Choisissez {n} option au maximum.",
        many: "Choisissez {n} d’options au maximum.",
        other: "Choisissez {n} options au maximum.",
      },
      file: {
        one: "Choisissez {n} fichier au maximum.",
        many: "Choisissez {n} de fichiers au maximum.",
        other: "Choisissez {n} fichiers au maximum.",
      },
    },
    upload_not_found: "Un fichier n’est plus disponible. Choisissez-le de nouveau.",
    required_part: "Remplissez « {part} ».",
  },
  cases: {
    ownEmail: "Saisissez votre adresse électronique.",
    ownPhone: "Saisissez votre numéro de téléphone.",
    tooLong: "Ce texte est trop long. Raccourcissez-le.",
    phone: {
      international: "Commencez par + et l’indicatif du pays, par exemple {international}.",
      national: "Saisissez un numéro de téléphone, par exemple {national} ou {international}.",
    },
    option: "Choisissez l’une des options.",
    columns: "Choisissez l’une des colonnes.",
    columnsOfRow: "Choisissez l’une des colonnes pour « {part} ».",
    everyRow: "Choisissez une option dans chaque ligne.",
    row: "Choisissez une option pour « {part} ».",
    noSpace:
      "Il n’y a plus de place pour les fichiers. Veuillez prévenir la personne responsable du formulaire.",
    filesTooLarge: "Choisissez des fichiers plus petits : {size} au maximum en tout.",
    fileTooLarge: "Choisissez un fichier plus petit : {size} au maximum.",
    malware: "Un fichier contient un logiciel malveillant et n’a pas été accepté. Choisissez-en un autre.",
    emptyFile: "Un fichier est vide. Choisissez-en un autre.",
    otherContent: "Le contenu d’un fichier ne correspond pas à la fin de son nom. Choisissez-en un autre.",
    otherContentThan:
      "Ce fichier n’est pas d’un type accepté ({kinds:or}), ou la fin de son nom est celle d’un autre type. Choisissez-en un autre.",
    otherType: "Les fichiers de ce type ne sont pas acceptés ici.",
    otherTypeThan: "Ce fichier n’est pas d’un type accepté ({kinds:or}). Choisissez-en un autre.",
  },
  ownLabels: {
    email: /^((votre|ton) )?(adresse (de )?)?((e-?)?mail|courriel|électronique)\s?\??$/i,
    phone: /^((votre|ton) )?(numéro (de )?)?(téléphone( portable| mobile)?|portable|mobile)\s?\??$/i,
  },
  kinds: {
    image: "image",
    audio: "fichier audio",
    video: "vidéo",
    text: "fichier texte",
    pdf: "PDF",
    jpg: "JPEG",
    word: "document Word",
    excel: "classeur Excel",
    powerpoint: "présentation PowerPoint",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
