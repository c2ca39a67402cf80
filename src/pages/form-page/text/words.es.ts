/** Spanish. Terms compared with the European Commission (EUSurvey/EUSURVEY, openeuropa/oe_theme). */
import type { PageWords } from "./words.ts";

export const spanish: PageWords = {
  yes: "Sí",
  no: "No",
  choose: "Seleccione…",
  other: "Otro",
  noAnswer: "Sin respuesta",
  scaleEnds: { least: "mínimo", greatest: "máximo" },
  optional: "opcional",
  remove: "Eliminar",
  full: "{label} (sin plazas)",
  left: {
    one: "{label} (queda {n} plaza)",
    many: "{label} (quedan {n} de plazas)",
    other: "{label} (quedan {n} plazas)",
  },
  place: "Puesto {n}",
  addressParts: {
    line1: "Dirección",
    line2: "Datos adicionales de la dirección",
    city: "Localidad",
    region: "Provincia, estado o región",
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
    sending: "Cargando archivos…",
    sent: "Se ha cargado: {names}",
    removed: "Se ha eliminado: {names}",
    failed: "No se ha podido cargar el archivo. Elíjalo de nuevo o envíelo con el formulario.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "¿Quiere decir {readings:or}? Escríbalo así.",
  skipped: "Esa hora no existe en ese día: los relojes se adelantan. Escriba una hora anterior o posterior.",
  isRight:
    "¿Es correcta la dirección «{address}»? La parte después de @ no tiene punto. Corríjala o envíela de nuevo tal como está.",
  steps: {
    position: "Paso {n} de {count}",
    next: "Continuar",
    back: "Atrás",
    check: {
      heading: "Compruebe sus respuestas",
      message: "Todavía no se ha enviado nada. Puede modificar las respuestas de cada paso.",
    },
    change: "Modificar",
    noValue: "Sin respuesta",
    altered: {
      heading: "Compruebe de nuevo sus respuestas",
      message:
        "Sus respuestas anteriores no han llegado intactas. No se ha guardado nada. Recorra de nuevo los pasos: cada uno muestra lo que se envió.",
    },
  },
  draft: {
    restored: "Sus respuestas anteriores están aquí de nuevo. Se guardaron en este navegador.",
    kept: "Lo que escriba se guarda en este navegador durante una semana o hasta que lo envíe.",
    clear: "Borrarlo",
  },
  footer: {
    privacy: "Privacidad",
    imprint: "Aviso legal",
    contact: "Contacto",
    newTab: "se abre en una pestaña nueva",
  },
  alreadySent: {
    heading: "Ya ha enviado este formulario",
    message:
      "Se envió desde esta página con otras respuestas. Las respuestas de aquí no se han enviado. Para enviarlas también, vuelva a enviar el formulario.",
  },
  openForLong: {
    heading: "Esta página lleva abierta más de una semana",
    message:
      "Ya no se puede saber si el formulario se envió antes. Las respuestas de aquí no se han enviado ahora. Si todavía no las ha enviado, vuelva a enviar el formulario.",
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
    again: "Enviar otra respuesta",
  },
  resume: {
    save: "Guardar y continuar más tarde",
    heading: "Sus respuestas se han guardado",
    message:
      "Todavía no se ha enviado nada. Con este enlace puede continuar hasta el {day}, en cualquier dispositivo.",
    link: "Enlace a sus respuestas",
    keep: "Conserve este enlace: nadie puede volver a crearlo, ni siquiera la persona responsable del formulario. Quien lo tenga puede leer sus respuestas, modificarlas y enviarlas.",
    shared: "En un ordenador que usan otras personas, cierre esta página cuando haya copiado el enlace.",
    mail: "Enviarme el enlace",
    address: "Dirección de correo electrónico",
    addressHint: "Se usa una sola vez, para este mensaje, y no se guarda.",
    mailed: "El enlace está en camino a {address}.",
    notMailed: "En este momento no se puede enviar ningún mensaje a esta dirección. Copie el enlace.",
    continue: "Continuar ahora",
    conflict: {
      heading: "Sus respuestas se han guardado en otro lugar",
      message:
        "Desde que abrió esta página, se han guardado otras respuestas con el mismo enlace. Siguen guardadas. Guarde de nuevo para sustituirlas por las de esta página.",
    },
    tooMuch: {
      heading: "Hay demasiados datos para guardar",
      message: "No se ha guardado nada. Sus respuestas siguen en esta página: acórtelas o envíelas.",
    },
    refused: {
      heading: "Este formulario no se puede guardar en este momento",
      message: "Sus respuestas siguen en esta página y se pueden enviar. Intente guardarlas más tarde.",
    },
  },
  change: {
    link: "Modificar lo que ha enviado",
    until:
      "Con este enlace puede modificar sus respuestas hasta el {moment}. Consérvelo: quien lo tenga puede hacer lo mismo.",
    open: "Con este enlace puede modificar sus respuestas mientras el formulario esté abierto. Consérvelo: quien lo tenga puede hacer lo mismo.",
    heading: "Modificar lo que ha enviado",
    message: "Estas son las respuestas que ha enviado. No cambian hasta que envíe las modificaciones.",
    notShown: "Ha enviado una respuesta que no se muestra. Deje este campo vacío para conservarla.",
    submit: "Enviar las modificaciones",
    done: {
      heading: "Sus modificaciones se han guardado",
      message: "Sustituyen lo que había enviado antes.",
    },
    nothing: {
      heading: "No se ha modificado nada",
      message: "Estas son las respuestas que había enviado antes.",
    },
    conflict: {
      heading: "Su envío se ha modificado mientras tanto",
      message:
        "Todavía no se ha guardado nada de esta página. Donde la persona responsable del formulario ha guardado otra respuesta, aparece junto a la suya. Envíe de nuevo para guardar la suya.",
    },
    storedNow: "Guardado ahora: {value}",
    ended: {
      heading: "El plazo para hacer modificaciones ha terminado",
      message:
        "Lo que ha enviado queda como está. Si hay algún error, diríjase a la persona responsable del formulario.",
    },
    off: {
      heading: "Ya no se pueden hacer modificaciones",
      message:
        "Lo que ha enviado queda como está. Si hay algún error, diríjase a la persona responsable del formulario.",
    },
    reviewed: {
      heading: "Su envío se ha revisado",
      message:
        "Ya no se puede modificar. Si hay algún error, diríjase a la persona responsable del formulario.",
    },
    held: {
      heading: "Su envío se conserva como está",
      message:
        "No se puede modificar en este momento. Pregunte el motivo a la persona responsable del formulario.",
    },
    withdraw: {
      button: "Retirar mi envío",
      heading: "¿Retirar su envío?",
      message: "Se elimina todo lo que ha enviado. Esta acción no se puede deshacer.",
      keep: "Conservarlo",
      done: { heading: "Su envío se ha retirado", message: "Lo que había enviado se ha eliminado." },
    },
  },
  links: {
    unknown: {
      heading: "Este enlace no lleva a ninguna parte",
      message:
        "Puede que haya caducado o que el formulario al que llevaba ya se haya enviado. Compruebe que lo ha copiado entero.",
    },
    used: {
      heading: "Esta invitación ya se ha usado",
      message: "Con ella se ha enviado el formulario, lo que solo es posible una vez.",
    },
    needed: {
      heading: "Este formulario es para personas invitadas",
      message: "Ábralo con el enlace de su invitación.",
    },
  },
  retry: "Volver a intentarlo",
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
    message: "Inténtelo de nuevo más tarde o pregunte a la persona que le envió el enlace.",
  },
  badRequest: "Esta petición no es válida",
  failures: {
    bad_request: "Puede que la página anterior no esté actualizada. Vuelva a abrir el formulario.",
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
        "Los programas no pueden enviarlo desde esta página. Un agente de software puede usar la API si la persona responsable del formulario lo permite.",
    },
    captcha_unavailable: {
      heading: "Este formulario no se puede enviar en este momento",
      message: "La comprobación de seguridad no está disponible. Inténtelo de nuevo más tarde.",
    },
    gone: "Se ha archivado y no admite más envíos.",
    method_not_allowed: {
      heading: "Esta dirección es solo de lectura",
      message: "Vuelva a abrir el formulario.",
    },
    payload_too_large: {
      heading: "Hay demasiados datos para enviar",
      message:
        "Vuelva atrás, acorte lo que ha escrito y vuelva a enviar el formulario. No se ha guardado nada.",
    },
    invalid_content_type:
      "El formulario se debe enviar desde su propia página. Vuelva a abrir el formulario.",
    rate_limited: {
      heading: "Espere un momento",
      message: "Ha habido demasiadas peticiones desde su red. No se ha guardado nada.",
    },
    internal_error: {
      heading: "Se ha producido un error",
      message:
        "No sabemos si su formulario se ha guardado. Puede enviarlo de nuevo desde esta página sin riesgo.",
    },
    unavailable: {
      heading: "El servicio no está disponible en este momento",
      message:
        "Inténtelo de nuevo dentro de un momento. Aunque envíe el mismo formulario varias veces desde esta página, se guarda una sola vez.",
    },
  },
  wait: {
    one: "Puede intentarlo de nuevo dentro de {n} segundo.",
    many: "Puede intentarlo de nuevo dentro de {n} de segundos.",
    other: "Puede intentarlo de nuevo dentro de {n} segundos.",
  },
  request: "Petición",
  hints: {
    between: "Mínimo: {least}. Máximo: {n}.",
    number: { least: "{n} o más.", greatest: "{n} o menos." },
    moment: { least: "{n} o más tarde.", greatest: "{n} o antes." },
    length: {
      between: {
        one: "De {least} a {n} carácter.",
        many: "De {least} a {n} de caracteres.",
        other: "De {least} a {n} caracteres.",
      },
      least: {
        one: "Al menos {n} carácter.",
        many: "Al menos {n} de caracteres.",
        other: "Al menos {n} caracteres.",
      },
      greatest: {
        one: "Como máximo {n} carácter.",
        many: "Como máximo {n} de caracteres.",
        other: "Como máximo {n} caracteres.",
      },
    },
    files: {
      between: {
        one: "De {least} a {n} archivo.",
        many: "De {least} a {n} de archivos.",
        other: "De {least} a {n} archivos.",
      },
      least: {
        one: "Al menos {n} archivo.",
        many: "Al menos {n} de archivos.",
        other: "Al menos {n} archivos.",
      },
      greatest: {
        one: "Como máximo {n} archivo.",
        many: "Como máximo {n} de archivos.",
        other: "Como máximo {n} archivos.",
      },
    },
    items: {
      exactly: "Elija {n}.",
      between: "Elija de {least} a {n}.",
      least: "Elija al menos {n}.",
      greatest: "Elija como máximo {n}.",
      any: "Elija todas las opciones que correspondan.",
    },
    fileSize: { one: "Como máximo {size}.", each: "Como máximo {size} por archivo." },
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
  rankAll: "Asigne un puesto a cada opción.",
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
      rating: "Elija una puntuación.",
      matrix: "Elija una opción en cada fila.",
    },
    not_applicable: "Con sus otras respuestas, esta pregunta no se hace.",
    computed: "Este valor se calcula a partir de sus otras respuestas. Compruébelo.",
    unknown_field: "Este formulario no admite ninguna respuesta aquí.",
    type_mismatch: {
      any: "Escriba una respuesta válida.",
      number: "Escriba un número sin unidad, por ejemplo {decimal}.",
      integer: "Escriba un número entero, por ejemplo 12.",
    },
    format: {
      any: "Elimine los caracteres que no se pueden guardar.",
      email: "Escriba una dirección de correo electrónico, por ejemplo nombre@example.com.",
      url: "Escriba una dirección web, por ejemplo https://example.com.",
      date: "Escriba una fecha que exista, por ejemplo {day} o 2026-11-20.",
      time: "Escriba una hora, por ejemplo 09:30.",
      datetime: "Escriba una fecha que exista y una hora.",
      address: "Elija un país de la lista.",
    },
    pattern: "Escríbalo en el formato que se pide.",
    min_length: {
      one: "Escriba al menos {n} carácter.",
      many: "Escriba al menos {n} de caracteres.",
      other: "Escriba al menos {n} caracteres.",
    },
    max_length: {
      one: "Escriba como máximo {n} carácter.",
      many: "Escriba como máximo {n} de caracteres.",
      other: "Escriba como máximo {n} caracteres.",
    },
    domain_not_allowed: "Escriba una dirección de {n:or}.",
    min_value: {
      any: "Escriba {n} o más.",
      date: "Escriba el {n} o una fecha posterior.",
      time: "Escriba {n} o una hora posterior.",
      datetime: "Escriba el {n} o una fecha y hora posteriores.",
    },
    max_value: {
      any: "Escriba {n} o menos.",
      date: "Escriba el {n} o una fecha anterior.",
      time: "Escriba {n} o una hora anterior.",
      datetime: "Escriba el {n} o una fecha y hora anteriores.",
    },
    step: "Escriba un múltiplo de {n}.",
    option_full: "Una opción elegida ya no tiene plazas. Elija otra.",
    duplicate_item: {
      any: "Elija cada opción una sola vez.",
      ranking: "Asigne un solo puesto a cada opción.",
    },
    min_items: {
      any: {
        one: "Elija al menos {n} opción.",
        many: "Elija al menos {n} de opciones.",
        other: "Elija al menos {n} opciones.",
      },
      file: {
        one: "Elija al menos {n} archivo.",
        many: "Elija al menos {n} de archivos.",
        other: "Elija al menos {n} archivos.",
      },
    },
    max_items: {
      any: {
        one: "Elija como máximo {n} opción.",
        many: "Elija como máximo {n} de opciones.",
        other: "Elija como máximo {n} opciones.",
      },
      file: {
        one: "Elija como máximo {n} archivo.",
        many: "Elija como máximo {n} de archivos.",
        other: "Elija como máximo {n} archivos.",
      },
    },
    upload_not_found: "Un archivo ya no está disponible. Elíjalo de nuevo.",
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
    noSpace: "No queda espacio para archivos. Avise a la persona responsable del formulario.",
    filesTooLarge: "Elija archivos más pequeños: como máximo {size} en total.",
    fileTooLarge: "Elija un archivo más pequeño: como máximo {size}.",
    malware: "Un archivo contiene software malicioso y no se ha aceptado. Elija otro.",
    emptyFile: "Un archivo está vacío. Elija otro.",
    otherContent: "El contenido de un archivo no corresponde al final de su nombre. Elija otro.",
    otherContentThan:
      "Este archivo no es de un tipo admitido ({kinds:or}), o el final de su nombre es el de otro tipo. Elija otro.",
    otherType: "Aquí no se admiten archivos de este tipo.",
    otherTypeThan: "Este archivo no es de un tipo admitido ({kinds:or}). Elija otro.",
  },
  ownLabels: {
    email: /^¿?(tu |su )?((dirección de )?(correo( electrónico)?|e-?mail))\??$/iu,
    phone: /^¿?(tu |su )?(número de )?(teléfono( móvil| celular)?|móvil|celular)\??$/iu,
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
