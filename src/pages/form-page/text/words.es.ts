/** Spanish. Draft. */
import type { PageWords } from "./words.ts";

export const spanish: PageWords = {
  yes: "Sí",
  no: "No",
  choose: "Seleccione…",
  other: "Otro",
  noAnswer: "Sin respuesta",
  scaleEnds: { least: "mínimo", greatest: "máximo" },
  optional: "opcional",
  remove: "Quitar",
  full: "{label} (completo)",
  left: {
    one: "{label} (queda {n:plain} plaza)",
    many: "{label} (quedan {n:plain} de plazas)",
    other: "{label} (quedan {n:plain} plazas)",
  },
  place: "{n:plain}.º lugar",
  addressParts: {
    line1: "Dirección",
    line2: "Complemento de dirección",
    city: "Localidad",
    region: "Provincia o región",
    postalCode: "Código postal",
    country: "País",
  },
  moment: { local: "Fecha y hora", zone: "Zona horaria", inZone: "Zona horaria: {zone}." },
  characters: { left: "Caracteres disponibles: {n}", over: "Caracteres de más: {n}" },
  submit: "Enviar",
  sending: "Enviando…",
  errorTitle: "Error: {title}",
  errorHeading: "Hay un problema",
  unknownName: "Este formulario no tiene el campo «{name}».",
  changed: {
    heading: "Este formulario ha cambiado",
    message:
      "Se ha actualizado mientras usted lo rellenaba y todavía no se ha enviado nada. Sus respuestas siguen aquí. Revise los campos marcados y vuelva a enviarlo.",
    field: "Nuevo o modificado",
  },
  more: {
    heading: "Hay más preguntas",
    message:
      "Dependen de sus respuestas y todavía no se ha enviado nada. Responda a las preguntas marcadas y continúe.",
    field: "Pregunta nueva",
    appeared: { one: "Ha aparecido 1 pregunta más.", several: "Preguntas nuevas: {n}." },
  },
  notCalculated: "Se calcula a partir de sus otras respuestas",
  captcha: {
    noScript: "Este formulario necesita JavaScript para la comprobación de seguridad.",
    working: "Comprobación de seguridad…",
    failed: {
      heading: "El formulario no se ha enviado",
      message: "La comprobación de seguridad no ha funcionado. Vuelva a enviar el formulario.",
    },
  },
  uploads: {
    drop: "Puede arrastrar los archivos hasta aquí.",
    sending: "Subiendo…",
    sent: "Subido: {names}",
    removed: "Quitado: {names}",
    failed: "No se ha podido subir. Elija otra vez el archivo o envíelo con el formulario.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "¿Quiere decir {readings:or}? Escríbalo así.",
  skipped: "Esa hora no existe en ese día: los relojes se adelantan. Escriba una hora anterior o posterior.",
  isRight:
    "¿Es correcta la dirección «{address}»? La parte después de @ no tiene punto. Corríjala o envíela otra vez tal como está.",
  steps: {
    position: "Paso {n} de {count}",
    next: "Continuar",
    back: "Atrás",
    check: {
      heading: "Compruebe sus respuestas",
      message: "Todavía no se ha enviado nada. Puede cambiar las respuestas de cada paso.",
    },
    change: "Cambiar",
    noValue: "Sin responder",
    altered: {
      heading: "Compruebe otra vez sus respuestas",
      message:
        "Sus respuestas anteriores no han llegado sin cambios. No se ha guardado nada. Recorra otra vez los pasos: cada uno muestra lo que se envió.",
    },
  },
  draft: {
    restored: "Sus respuestas anteriores están aquí otra vez. Se guardaron en este navegador.",
    kept: "Lo que escriba se guarda en este navegador durante una semana o hasta que lo envíe.",
    clear: "Borrarlo",
  },
  footer: {
    privacy: "Protección de datos",
    imprint: "Aviso legal",
    contact: "Contacto",
    newTab: "se abre en una pestaña nueva",
  },
  alreadySent: {
    heading: "Ya ha enviado este formulario",
    message:
      "Se envió desde esta página con otras respuestas. Las respuestas de aquí no se han enviado. Para enviarlas también, pulse Enviar otra vez.",
  },
  openForLong: {
    heading: "Esta página lleva abierta más de una semana",
    message:
      "Ya no se puede saber si se envió antes. Las respuestas de aquí no se han enviado ahora. Si todavía no las ha enviado, pulse Enviar otra vez.",
  },
  sent: {
    heading: "Gracias",
    message: "Su formulario se ha enviado.",
    reference: "Su referencia",
    values: "Lo que ha enviado",
    notShown: "Enviado, pero no se muestra aquí",
    copy: "Copiar",
    copied: "Copiado",
    print: "Imprimir",
    again: "Enviar otro",
  },
  retry: "Intentarlo otra vez",
  kept: "Sus respuestas se conservan en esta página.",
  closed: {
    not_open: {
      heading: "Este formulario todavía no está abierto",
      message: "Se abre el {moment}.",
    },
    closed: { heading: "Este formulario está cerrado", message: "Se cerró el {moment}." },
    full: {
      heading: "Este formulario está completo",
      message: "Todas las plazas están ocupadas. No se ha enviado nada.",
    },
  },
  offline: {
    heading: "Este formulario no está disponible en este momento",
    message: "Inténtelo más tarde o pregunte a la persona que le envió el enlace.",
  },
  badRequest: "Esta solicitud no es válida",
  failures: {
    bad_request: "Puede que la página anterior no esté actualizada. Abra otra vez el formulario.",
    not_found: {
      heading: "Aquí no hay ningún formulario",
      message: "Compruebe la dirección. Puede que el formulario se haya movido o desactivado.",
    },
    anonymous_not_allowed: {
      heading: "Este formulario no está abierto al público",
      message: "No admite envíos desde esta página. Pregunte a la persona que le envió el enlace.",
    },
    declared_agent_refused: {
      heading: "Este formulario es para personas",
      message:
        "Los programas no pueden enviarlo desde esta página. Un agente puede usar la API si su responsable lo permite.",
    },
    captcha_unavailable: {
      heading: "Este formulario no se puede enviar en este momento",
      message: "La comprobación de seguridad no está disponible. Inténtelo más tarde.",
    },
    gone: "Se ha archivado y no admite más envíos.",
    method_not_allowed: {
      heading: "Esta dirección es solo de lectura",
      message: "Abra otra vez el formulario.",
    },
    payload_too_large: {
      heading: "Es demasiado para enviarlo",
      message: "Vuelva atrás, acorte lo que ha escrito y envíelo otra vez. No se ha guardado nada.",
    },
    invalid_content_type: "El formulario se debe enviar desde su propia página. Abra otra vez el formulario.",
    rate_limited: {
      heading: "Espere un momento",
      message: "Ha habido demasiadas solicitudes desde su red. No se ha guardado nada.",
    },
    internal_error: {
      heading: "Algo ha fallado",
      message:
        "No sabemos si su formulario se ha guardado. Puede enviarlo otra vez desde esta página sin riesgo.",
    },
    unavailable: {
      heading: "El servicio no está disponible en este momento",
      message:
        "Inténtelo otra vez dentro de un momento. Si envía el mismo formulario desde esta página, se guarda una sola vez.",
    },
  },
  wait: {
    one: "Puede intentarlo otra vez dentro de {n:grouped} segundo.",
    many: "Puede intentarlo otra vez dentro de {n:grouped} de segundos.",
    other: "Puede intentarlo otra vez dentro de {n:grouped} segundos.",
  },
  request: "Solicitud",
  hints: {
    between: "De {least} a {n}.",
    number: { least: "{n} o más.", greatest: "{n} o menos." },
    moment: { least: "{n} o después.", greatest: "{n} o antes." },
    length: {
      between: {
        one: "De {least:plain} a {n:grouped} carácter.",
        many: "De {least:plain} a {n:grouped} de caracteres.",
        other: "De {least:plain} a {n:grouped} caracteres.",
      },
      least: {
        one: "Al menos {n:grouped} carácter.",
        many: "Al menos {n:grouped} de caracteres.",
        other: "Al menos {n:grouped} caracteres.",
      },
      greatest: {
        one: "Como máximo {n:grouped} carácter.",
        many: "Como máximo {n:grouped} de caracteres.",
        other: "Como máximo {n:grouped} caracteres.",
      },
    },
    files: {
      between: {
        one: "De {least:plain} a {n:grouped} archivo.",
        many: "De {least:plain} a {n:grouped} de archivos.",
        other: "De {least:plain} a {n:grouped} archivos.",
      },
      least: {
        one: "Al menos {n:grouped} archivo.",
        many: "Al menos {n:grouped} de archivos.",
        other: "Al menos {n:grouped} archivos.",
      },
      greatest: {
        one: "Como máximo {n:grouped} archivo.",
        many: "Como máximo {n:grouped} de archivos.",
        other: "Como máximo {n:grouped} archivos.",
      },
    },
    items: {
      exactly: "Elija {n}.",
      between: "Elija de {least} a {n}.",
      least: "Elija al menos {n}.",
      greatest: "Elija como máximo {n}.",
      any: "Elija todas las que correspondan.",
    },
    fileSize: { one: "Como máximo {size}.", each: "Como máximo {size} cada uno." },
    domains: "Una dirección de {domains:or}.",
    phone: {
      international: "Con + y el prefijo del país, por ejemplo {international}.",
      national: "Por ejemplo {national} o {international}.",
    },
    url: "Por ejemplo https://example.com.",
    whole: "Un número entero.",
    steps: "En pasos de {n}.",
    allRows: {
      required: "Elija en cada fila.",
      optional: "Si elige en una fila, elija en todas.",
    },
  },
  yesOrNo: "Elija sí o no.",
  oneOption: "Elija una opción.",
  tick: "Marque la casilla para continuar.",
  rankAll: "Dé un lugar a cada opción.",
  sentences: {
    required: {
      any: "Escriba una respuesta.",
      email: "Escriba una dirección de correo electrónico.",
      phone: "Escriba un número de teléfono.",
      url: "Escriba una dirección web.",
      number: "Escriba un número.",
      integer: "Escriba un número entero.",
      date: "Escriba una fecha.",
      time: "Escriba una hora.",
      datetime: "Escriba una fecha y una hora.",
      multi_select: "Elija al menos una opción.",
      ranking: "Ordene las opciones.",
      file: "Elija un archivo.",
      rating: "Elija una valoración.",
      matrix: "Elija una opción en cada fila.",
    },
    not_applicable: "Esto no se pregunta con sus otras respuestas.",
    computed: "Esto se calcula a partir de sus otras respuestas. Compruébelo.",
    unknown_field: "Este formulario no admite ninguna respuesta aquí.",
    type_mismatch: {
      any: "Escriba una respuesta válida.",
      number: "Escriba un número sin unidad, por ejemplo {decimal}.",
      integer: "Escriba un número entero, por ejemplo 12.",
    },
    format: {
      any: "Quite los caracteres que no se pueden guardar.",
      email: "Escriba una dirección de correo electrónico, por ejemplo name@example.com.",
      url: "Escriba una dirección web, por ejemplo https://example.com.",
      date: "Escriba una fecha que exista, por ejemplo {day} o 2026-11-20.",
      time: "Escriba una hora, por ejemplo 09:30.",
      datetime: "Escriba una fecha que exista y una hora.",
      address: "Elija un país de la lista.",
    },
    pattern: "Escríbalo en el formato que se pide.",
    min_length: {
      one: "Escriba al menos {n:grouped} carácter.",
      many: "Escriba al menos {n:grouped} de caracteres.",
      other: "Escriba al menos {n:grouped} caracteres.",
    },
    max_length: {
      one: "Escriba como máximo {n:grouped} carácter.",
      many: "Escriba como máximo {n:grouped} de caracteres.",
      other: "Escriba como máximo {n:grouped} caracteres.",
    },
    domain_not_allowed: "Escriba una dirección de {n:or}.",
    min_value: {
      any: "Escriba {n} o más.",
      date: "Escriba {n} o una fecha posterior.",
      time: "Escriba {n} o una hora posterior.",
      datetime: "Escriba {n} o una hora posterior.",
    },
    max_value: {
      any: "Escriba {n} o menos.",
      date: "Escriba {n} o una fecha anterior.",
      time: "Escriba {n} o una hora anterior.",
      datetime: "Escriba {n} o una hora anterior.",
    },
    step: "Escriba un múltiplo de {n}.",
    option_full: "Una opción que ha elegido está completa. Elija otra.",
    duplicate_item: {
      any: "Elija cada opción una sola vez.",
      ranking: "Dé un solo lugar a cada opción.",
    },
    min_items: {
      any: {
        one: "Elija al menos {n:grouped} opción.",
        many: "Elija al menos {n:grouped} de opciones.",
        other: "Elija al menos {n:grouped} opciones.",
      },
      file: {
        one: "Elija al menos {n:grouped} archivo.",
        many: "Elija al menos {n:grouped} de archivos.",
        other: "Elija al menos {n:grouped} archivos.",
      },
    },
    max_items: {
      any: {
        one: "Elija como máximo {n:grouped} opción.",
        many: "Elija como máximo {n:grouped} de opciones.",
        other: "Elija como máximo {n:grouped} opciones.",
      },
      file: {
        one: "Elija como máximo {n:grouped} archivo.",
        many: "Elija como máximo {n:grouped} de archivos.",
        other: "Elija como máximo {n:grouped} archivos.",
      },
    },
    upload_not_found: "Un archivo ya no está disponible. Elíjalo otra vez.",
    required_part: "Rellene «{part}».",
  },
  cases: {
    ownEmail: "Escriba su dirección de correo electrónico.",
    ownPhone: "Escriba su número de teléfono.",
    tooLong: "Es demasiado largo. Acórtelo.",
    phone: {
      international: "Empiece con + y el prefijo del país, por ejemplo {international}.",
      national: "Escriba un número de teléfono, por ejemplo {national} o {international}.",
    },
    option: "Elija una de las opciones.",
    columns: "Elija una de las columnas.",
    columnsOfRow: "Elija una de las columnas para «{part}».",
    everyRow: "Elija una opción en cada fila.",
    row: "Elija una opción para «{part}».",
    noSpace: "No queda espacio para archivos. Avise al responsable del formulario.",
    filesTooLarge: "Elija archivos más pequeños: en total pueden tener como máximo {size}.",
    fileTooLarge: "Elija un archivo más pequeño: puede tener como máximo {size}.",
    malware: "Un archivo contiene software malicioso y no se ha aceptado. Elija otro.",
    emptyFile: "Un archivo está vacío. Elija otro.",
    otherContent: "El contenido de un archivo no corresponde al final de su nombre. Elija otro.",
    otherContentThan:
      "Este archivo no es de un tipo admitido ({kinds:or}), o el final de su nombre es el de otro tipo. Elija otro.",
    otherType: "Aquí no se admiten archivos de este tipo.",
    otherTypeThan: "Este archivo no es de un tipo admitido: {kinds:or}. Elija otro.",
  },
  ownLabels: {
    email: /^¿?(tu |su )?((dirección de )?(correo( electrónico)?|e-?mail))\??$/iu,
    phone: /^¿?(tu |su )?(número de )?(teléfono|móvil)\??$/iu,
  },
  kinds: {
    image: "imagen",
    audio: "audio",
    video: "vídeo",
    text: "texto",
    pdf: "PDF",
    jpg: "JPEG",
    word: "documento de Word",
    excel: "libro de Excel",
    powerpoint: "presentación de PowerPoint",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
