/**
 * European Portuguese, with words that are understood in Brazil. Terms compared with the European Commission
 * (EUSurvey/EUSURVEY, openeuropa/oe_theme).
 */
import type { PageWords } from "./words.ts";

export const portuguese: PageWords = {
  yes: "Sim",
  no: "Não",
  choose: "Selecione…",
  other: "Outro",
  noAnswer: "Sem resposta",
  scaleEnds: { least: "mínimo", greatest: "máximo" },
  optional: "facultativo",
  remove: "Remover",
  full: "{label} (sem lugares)",
  left: {
    one: "{label} (resta {n} lugar)",
    many: "{label} (restam {n} de lugares)",
    other: "{label} (restam {n} lugares)",
  },
  place: "{n}.º lugar",
  addressParts: {
    line1: "Endereço",
    line2: "Complemento do endereço",
    city: "Localidade",
    region: "Distrito, estado ou região",
    postalCode: "Código postal",
    country: "País",
  },
  moment: { local: "Data e hora", zone: "Fuso horário", inZone: "Fuso horário: {zone}." },
  characters: { left: "Carateres disponíveis: {n}", over: "Carateres a mais: {n}" },
  submit: "Enviar",
  sending: "A enviar…",
  errorTitle: "Erro: {title}",
  errorHeading: "Há um problema",
  unknownName: "Este formulário não tem o campo «{name}».",
  changed: {
    heading: "Este formulário mudou",
    message:
      "Foi atualizado durante o preenchimento e ainda não foi enviado nada. As suas respostas continuam aqui. Verifique os campos assinalados e envie novamente o formulário.",
    field: "Novo ou alterado",
  },
  more: {
    heading: "Há mais perguntas",
    message:
      "Dependem das suas respostas e ainda não foi enviado nada. Responda às perguntas assinaladas e continue.",
    field: "Nova pergunta",
    appeared: { one: "Apareceu mais 1 pergunta.", several: "Novas perguntas: {n}." },
  },
  notCalculated: "Calculado a partir das suas outras respostas",
  captcha: {
    noScript: "Este formulário precisa de JavaScript para a verificação de segurança.",
    working: "Verificação de segurança…",
    failed: {
      heading: "O formulário não foi enviado",
      message: "A verificação de segurança não funcionou. Envie novamente o formulário.",
    },
  },
  uploads: {
    drop: "Pode arrastar ficheiros para aqui.",
    sending: "A carregar ficheiros…",
    sent: "Carregamento concluído: {names}",
    removed: "Remoção concluída: {names}",
    failed: "Não foi possível carregar o ficheiro. Escolha-o novamente ou envie-o com o formulário.",
  },
  inSummary: "{label}: {sentence:lower}",
  labelEnds: "?!.:",
  meant: "Quer dizer {readings:or}? Escreva dessa forma.",
  skipped: "Esta hora não existe nesse dia: os relógios avançam. Escreva uma hora anterior ou posterior.",
  isRight:
    "O endereço «{address}» está correto? A parte depois de @ não tem ponto. Corrija-o ou envie-o novamente tal como está.",
  steps: {
    position: "Etapa {n} de {count}",
    next: "Continuar",
    back: "Voltar",
    check: {
      heading: "Verifique as suas respostas",
      message: "Ainda não foi enviado nada. Pode alterar as respostas de cada etapa.",
    },
    change: "Alterar",
    noValue: "Sem resposta",
    altered: {
      heading: "Verifique novamente as suas respostas",
      message:
        "As suas respostas anteriores não chegaram intactas. Nada foi guardado. Percorra novamente as etapas: cada uma mostra o que foi enviado.",
    },
  },
  draft: {
    restored: "As suas respostas anteriores estão aqui novamente. Foram guardadas neste navegador.",
    kept: "O que escreve fica guardado neste navegador durante uma semana ou até ser enviado.",
    clear: "Apagar",
  },
  footer: {
    privacy: "Privacidade",
    imprint: "Aviso legal",
    contact: "Contacto",
    newTab: "abre num novo separador",
  },
  alreadySent: {
    heading: "Já enviou este formulário",
    message:
      "Foi enviado a partir desta página com outras respostas. As respostas aqui apresentadas não foram enviadas. Para as enviar também, envie novamente o formulário.",
  },
  openForLong: {
    heading: "Esta página está aberta há mais de uma semana",
    message:
      "Já não é possível saber se o formulário foi enviado antes. As respostas aqui apresentadas não foram enviadas agora. Se ainda não as enviou, envie novamente o formulário.",
  },
  sent: {
    heading: "Agradecemos o seu envio",
    message: "O seu formulário foi enviado.",
    reference: "A sua referência",
    values: "O que enviou",
    notShown: "Enviado, mas não apresentado aqui",
    copy: "Copiar",
    copied: "Copiado",
    print: "Imprimir",
    again: "Enviar outra resposta",
  },
  resume: {
    save: "Guardar e continuar mais tarde",
    heading: "As suas respostas foram guardadas",
    message:
      "Ainda não foi enviado nada. Com esta ligação pode continuar até {day}, em qualquer dispositivo.",
    link: "Ligação para as suas respostas",
    keep: "Conserve esta ligação: ninguém a pode voltar a criar, nem mesmo a pessoa responsável pelo formulário. Quem a tiver pode ler as suas respostas, alterá-las e enviá-las.",
    shared: "Num computador usado por outras pessoas, feche esta página depois de copiar a ligação.",
    mail: "Enviar-me a ligação",
    address: "Endereço de correio eletrónico",
    addressHint: "É usado uma só vez, para esta mensagem, e não fica guardado.",
    mailed: "A ligação está a ser enviada para {address}.",
    notMailed: "Neste momento não é possível enviar uma mensagem para este endereço. Copie a ligação.",
    continue: "Continuar agora",
    conflict: {
      heading: "As suas respostas foram guardadas noutro lugar",
      message:
        "Desde que abriu esta página, foram guardadas outras respostas com a mesma ligação. Continuam guardadas. Guarde novamente para as substituir pelas desta página.",
    },
    tooMuch: {
      heading: "Há demasiados dados para guardar",
      message: "Nada foi guardado. As suas respostas continuam nesta página: encurte-as ou envie-as.",
    },
    refused: {
      heading: "Este formulário não pode ser guardado neste momento",
      message: "As suas respostas continuam nesta página e podem ser enviadas. Tente guardá-las mais tarde.",
    },
  },
  change: {
    link: "Alterar o que enviou",
    until:
      "Com esta ligação pode alterar as suas respostas até {moment}. Conserve-a: quem a tiver pode fazer o mesmo.",
    open: "Com esta ligação pode alterar as suas respostas enquanto o formulário estiver aberto. Conserve-a: quem a tiver pode fazer o mesmo.",
    heading: "Alterar o que enviou",
    message: "Estas são as respostas que enviou. Ficam como estão até enviar alterações.",
    notShown: "Enviou uma resposta que não é apresentada. Deixe este campo vazio para a manter.",
    submit: "Enviar as alterações",
    done: { heading: "As suas alterações foram guardadas", message: "Substituem o que tinha enviado antes." },
    nothing: { heading: "Nada foi alterado", message: "Estas são as respostas que já tinha enviado." },
    conflict: {
      heading: "Entretanto, o seu envio foi alterado",
      message:
        "Ainda não foi guardado nada desta página. Onde a pessoa responsável pelo formulário guardou outra resposta, esta aparece ao lado da sua. Envie novamente para guardar a sua.",
    },
    storedNow: "Guardado agora: {value}",
    ended: {
      heading: "O prazo para alterações terminou",
      message:
        "O que enviou fica como está. Se houver algum erro, contacte a pessoa responsável pelo formulário.",
    },
    off: {
      heading: "Já não é possível fazer alterações",
      message:
        "O que enviou fica como está. Se houver algum erro, contacte a pessoa responsável pelo formulário.",
    },
    reviewed: {
      heading: "O seu envio foi analisado",
      message:
        "Já não pode ser alterado. Se houver algum erro, contacte a pessoa responsável pelo formulário.",
    },
    held: {
      heading: "O seu envio é conservado como está",
      message: "Neste momento não pode ser alterado. Pergunte o motivo à pessoa responsável pelo formulário.",
    },
    withdraw: {
      button: "Retirar o meu envio",
      heading: "Retirar o seu envio?",
      message: "Tudo o que enviou será eliminado. Não é possível anular esta ação.",
      keep: "Manter o envio",
      done: { heading: "O seu envio foi retirado", message: "O que enviou foi eliminado." },
    },
  },
  links: {
    unknown: {
      heading: "Esta ligação não leva a lado nenhum",
      message:
        "Pode ter expirado, ou o formulário a que levava já foi enviado. Verifique se a copiou por inteiro.",
    },
    used: {
      heading: "Este convite já foi usado",
      message: "O formulário foi enviado com ele, o que só é possível uma vez.",
    },
    needed: {
      heading: "Este formulário é para pessoas convidadas",
      message: "Abra-o com a ligação do seu convite.",
    },
  },
  retry: "Tentar novamente",
  kept: "As suas respostas estão guardadas nesta página.",
  closed: {
    not_open: { heading: "Este formulário ainda não está aberto", message: "Abre em {moment}." },
    closed: { heading: "Este formulário está encerrado", message: "Encerrou em {moment}." },
    full: {
      heading: "Este formulário está completo",
      message: "Todos os lugares estão ocupados. Nada foi enviado.",
    },
  },
  offline: {
    heading: "Este formulário não está disponível neste momento",
    message: "Tente novamente mais tarde ou pergunte à pessoa que lhe enviou a ligação.",
  },
  badRequest: "Este pedido não é válido",
  failures: {
    bad_request: "A página de onde veio pode estar desatualizada. Abra novamente o formulário.",
    not_found: {
      heading: "Não há nenhum formulário aqui",
      message: "Verifique o endereço. O formulário pode ter sido movido ou desativado.",
    },
    anonymous_not_allowed: {
      heading: "Este formulário não está aberto ao público",
      message: "Não aceita envios a partir desta página. Pergunte à pessoa que lhe enviou a ligação.",
    },
    declared_agent_refused: {
      heading: "Este formulário é para pessoas",
      message:
        "Os programas não o podem enviar nesta página. Um agente de software pode usar a API, se a pessoa responsável pelo formulário o permitir.",
    },
    captcha_unavailable: {
      heading: "Este formulário não pode ser enviado neste momento",
      message: "A verificação de segurança não está disponível. Tente novamente mais tarde.",
    },
    gone: "Foi arquivado e já não aceita envios.",
    method_not_allowed: {
      heading: "Este endereço é só de leitura",
      message: "Abra novamente o formulário.",
    },
    payload_too_large: {
      heading: "Há demasiados dados para enviar",
      message: "Volte atrás, encurte o que escreveu e envie novamente o formulário. Nada foi guardado.",
    },
    invalid_content_type:
      "O formulário tem de ser enviado a partir da sua própria página. Abra novamente o formulário.",
    rate_limited: {
      heading: "Aguarde um momento",
      message: "Houve demasiados pedidos da sua rede. Nada foi guardado.",
    },
    internal_error: {
      heading: "Ocorreu um erro",
      message:
        "Não sabemos se o seu formulário foi guardado. Pode enviá-lo novamente a partir desta página sem risco.",
    },
    unavailable: {
      heading: "O serviço não está disponível neste momento",
      message:
        "Tente novamente dentro de momentos. Mesmo que envie o formulário várias vezes a partir desta página, é guardado uma só vez.",
    },
  },
  wait: {
    one: "Pode tentar novamente dentro de {n} segundo.",
    many: "Pode tentar novamente dentro de {n} de segundos.",
    other: "Pode tentar novamente dentro de {n} segundos.",
  },
  request: "Pedido",
  hints: {
    between: "Mínimo: {least}. Máximo: {n}.",
    number: { least: "{n} ou mais.", greatest: "{n} ou menos." },
    moment: { least: "{n} ou mais tarde.", greatest: "{n} ou antes." },
    length: {
      between: {
        one: "De {least} a {n} caráter.",
        many: "De {least} a {n} de carateres.",
        other: "De {least} a {n} carateres.",
      },
      least: {
        one: "Pelo menos {n} caráter.",
        many: "Pelo menos {n} de carateres.",
        other: "Pelo menos {n} carateres.",
      },
      greatest: {
        one: "No máximo {n} caráter.",
        many: "No máximo {n} de carateres.",
        other: "No máximo {n} carateres.",
      },
    },
    files: {
      between: {
        one: "De {least} a {n} ficheiro.",
        many: "De {least} a {n} de ficheiros.",
        other: "De {least} a {n} ficheiros.",
      },
      least: {
        one: "Pelo menos {n} ficheiro.",
        many: "Pelo menos {n} de ficheiros.",
        other: "Pelo menos {n} ficheiros.",
      },
      greatest: {
        one: "No máximo {n} ficheiro.",
        many: "No máximo {n} de ficheiros.",
        other: "No máximo {n} ficheiros.",
      },
    },
    items: {
      exactly: "Escolha {n}.",
      between: "Escolha de {least} a {n}.",
      least: "Escolha pelo menos {n}.",
      greatest: "Escolha no máximo {n}.",
      any: "Escolha todas as opções que se aplicam.",
    },
    fileSize: { one: "No máximo {size}.", each: "No máximo {size} por ficheiro." },
    domains: "Um endereço de {domains:or}.",
    phone: {
      international: "Com + e o indicativo do país, por exemplo {international}.",
      national: "Por exemplo {national} ou {international}.",
    },
    url: "Por exemplo https://example.com.",
    whole: "Um número inteiro.",
    steps: "Em passos de {n}.",
    allRows: {
      required: "Escolha em cada linha.",
      optional: "Se escolher numa linha, escolha em todas.",
    },
  },
  yesOrNo: "Escolha sim ou não.",
  oneOption: "Escolha uma opção.",
  tick: "Assinale a caixa para continuar.",
  rankAll: "Atribua um lugar a cada opção.",
  sentences: {
    required: {
      any: "Indique uma resposta.",
      email: "Indique um endereço de e-mail.",
      phone: "Indique um número de telefone.",
      url: "Indique um endereço web.",
      number: "Indique um número.",
      integer: "Indique um número inteiro.",
      date: "Indique uma data.",
      time: "Indique uma hora.",
      datetime: "Indique uma data e uma hora.",
      multi_select: "Escolha pelo menos uma opção.",
      ranking: "Ordene as opções.",
      file: "Escolha um ficheiro.",
      rating: "Escolha uma avaliação.",
      matrix: "Escolha uma opção em cada linha.",
    },
    not_applicable: "Com as suas outras respostas, esta pergunta não é feita.",
    computed: "Este valor é calculado a partir das suas outras respostas. Verifique-o.",
    unknown_field: "Este formulário não aceita uma resposta aqui.",
    type_mismatch: {
      any: "Indique uma resposta válida.",
      number: "Indique um número sem unidade, por exemplo {decimal}.",
      integer: "Indique um número inteiro, por exemplo 12.",
    },
    format: {
      any: "Remova os carateres que não podem ser guardados.",
      email: "Indique um endereço de e-mail, por exemplo nome@example.com.",
      url: "Indique um endereço web, por exemplo https://example.com.",
      date: "Indique uma data que exista, por exemplo {day} ou 2026-11-20.",
      time: "Indique uma hora, por exemplo 09:30.",
      datetime: "Indique uma data que exista e uma hora.",
      address: "Escolha um país da lista.",
    },
    pattern: "Escreva no formato pedido.",
    min_length: {
      one: "Escreva pelo menos {n} caráter.",
      many: "Escreva pelo menos {n} de carateres.",
      other: "Escreva pelo menos {n} carateres.",
    },
    max_length: {
      one: "Escreva no máximo {n} caráter.",
      many: "Escreva no máximo {n} de carateres.",
      other: "Escreva no máximo {n} carateres.",
    },
    domain_not_allowed: "Indique um endereço de {n:or}.",
    min_value: {
      any: "Indique {n} ou mais.",
      date: "Indique {n} ou uma data posterior.",
      time: "Indique {n} ou uma hora posterior.",
      datetime: "Indique {n} ou uma data e hora posteriores.",
    },
    max_value: {
      any: "Indique {n} ou menos.",
      date: "Indique {n} ou uma data anterior.",
      time: "Indique {n} ou uma hora anterior.",
      datetime: "Indique {n} ou uma data e hora anteriores.",
    },
    step: "Indique um múltiplo de {n}.",
    option_full: "Uma opção escolhida já não tem lugares. Escolha outra.",
    duplicate_item: {
      any: "Escolha cada opção uma só vez.",
      ranking: "Atribua um só lugar a cada opção.",
    },
    min_items: {
      any: {
        one: "Escolha pelo menos {n} opção.",
        many: "Escolha pelo menos {n} de opções.",
        other: "Escolha pelo menos {n} opções.",
      },
      file: {
        one: "Escolha pelo menos {n} ficheiro.",
        many: "Escolha pelo menos {n} de ficheiros.",
        other: "Escolha pelo menos {n} ficheiros.",
      },
    },
    max_items: {
      any: {
        one: "Escolha no máximo {n} opção.",
        many: "Escolha no máximo {n} de opções.",
        other: "Escolha no máximo {n} opções.",
      },
      file: {
        one: "Escolha no máximo {n} ficheiro.",
        many: "Escolha no máximo {n} de ficheiros.",
        other: "Escolha no máximo {n} ficheiros.",
      },
    },
    upload_not_found: "Um ficheiro já não está disponível. Escolha-o novamente.",
    required_part: "Preencha «{part}».",
  },
  cases: {
    ownEmail: "Indique o seu endereço de e-mail.",
    ownPhone: "Indique o seu número de telefone.",
    tooLong: "É demasiado longo. Encurte-o.",
    phone: {
      international: "Comece com + e o indicativo do país, por exemplo {international}.",
      national: "Indique um número de telefone, por exemplo {national} ou {international}.",
    },
    option: "Escolha uma das opções.",
    columns: "Escolha uma das colunas.",
    columnsOfRow: "Escolha uma das colunas para «{part}».",
    everyRow: "Escolha uma opção em cada linha.",
    row: "Escolha uma opção para «{part}».",
    noSpace: "Já não há espaço para ficheiros. Avise a pessoa responsável pelo formulário.",
    filesTooLarge: "Escolha ficheiros mais pequenos: no máximo {size} no total.",
    fileTooLarge: "Escolha um ficheiro mais pequeno: no máximo {size}.",
    malware: "Um ficheiro contém software malicioso e não foi aceite. Escolha outro.",
    emptyFile: "Um ficheiro está vazio. Escolha outro.",
    otherContent: "O conteúdo de um ficheiro não corresponde ao fim do seu nome. Escolha outro.",
    otherContentThan:
      "Este ficheiro não é de um tipo aceite ({kinds:or}), ou o fim do seu nome é o de outro tipo. Escolha outro.",
    otherType: "Aqui não são aceites ficheiros deste tipo.",
    otherTypeThan: "Este ficheiro não é de um tipo aceite ({kinds:or}). Escolha outro.",
  },
  ownLabels: {
    email: /^((o )?(teu|seu) )?((endereço de )?(e-?mail|correio eletr[óô]nico))\??$/iu,
    phone: /^((o )?(teu|seu) )?(número de )?(telefone|telemóvel|celular)\??$/iu,
  },
  kinds: {
    image: "imagem",
    audio: "áudio",
    video: "vídeo",
    text: "texto",
    pdf: "PDF",
    jpg: "JPEG",
    word: "documento do Word",
    excel: "livro do Excel",
    powerpoint: "apresentação do PowerPoint",
    any: "{extension}",
    letters: "",
    anyOfLetters: "{extension}",
  },
};
