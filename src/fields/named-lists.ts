/** Lists that `options` may name. Data, since `Intl.DisplayNames` has other names in each runtime. Pure. */
import type { Option } from "./values.ts";

/** ISO 3166-1 alpha-2, officially assigned. By their English names, as the lists below. */
const countries = `
  AF Afghanistan; AX Åland Islands; AL Albania; DZ Algeria; AS American Samoa; AD Andorra; AO Angola;
  AI Anguilla; AQ Antarctica; AG Antigua & Barbuda; AR Argentina; AM Armenia; AW Aruba; AU Australia;
  AT Austria; AZ Azerbaijan; BS Bahamas; BH Bahrain; BD Bangladesh; BB Barbados; BY Belarus; BE Belgium;
  BZ Belize; BJ Benin; BM Bermuda; BT Bhutan; BO Bolivia; BA Bosnia & Herzegovina; BW Botswana;
  BV Bouvet Island; BR Brazil; IO British Indian Ocean Territory; VG British Virgin Islands; BN Brunei;
  BG Bulgaria; BF Burkina Faso; BI Burundi; KH Cambodia; CM Cameroon; CA Canada; CV Cape Verde;
  BQ Caribbean Netherlands; KY Cayman Islands; CF Central African Republic; TD Chad; CL Chile; CN China;
  CX Christmas Island; CC Cocos (Keeling) Islands; CO Colombia; KM Comoros; CG Congo - Brazzaville;
  CD Congo - Kinshasa; CK Cook Islands; CR Costa Rica; CI Côte d’Ivoire; HR Croatia; CU Cuba; CW Curaçao;
  CY Cyprus; CZ Czechia; DK Denmark; DJ Djibouti; DM Dominica; DO Dominican Republic; EC Ecuador; EG Egypt;
  SV El Salvador; GQ Equatorial Guinea; ER Eritrea; EE Estonia; SZ Eswatini; ET Ethiopia;
  FK Falkland Islands; FO Faroe Islands; FJ Fiji; FI Finland; FR France; GF French Guiana;
  PF French Polynesia; TF French Southern Territories; GA Gabon; GM Gambia; GE Georgia; DE Germany;
  GH Ghana; GI Gibraltar; GR Greece; GL Greenland; GD Grenada; GP Guadeloupe; GU Guam; GT Guatemala;
  GG Guernsey; GN Guinea; GW Guinea-Bissau; GY Guyana; HT Haiti; HM Heard & McDonald Islands; HN Honduras;
  HK Hong Kong; HU Hungary; IS Iceland; IN India; ID Indonesia; IR Iran; IQ Iraq; IE Ireland;
  IM Isle of Man; IL Israel; IT Italy; JM Jamaica; JP Japan; JE Jersey; JO Jordan; KZ Kazakhstan; KE Kenya;
  KI Kiribati; KW Kuwait; KG Kyrgyzstan; LA Laos; LV Latvia; LB Lebanon; LS Lesotho; LR Liberia; LY Libya;
  LI Liechtenstein; LT Lithuania; LU Luxembourg; MO Macao; MG Madagascar; MW Malawi; MY Malaysia;
  MV Maldives; ML Mali; MT Malta; MH Marshall Islands; MQ Martinique; MR Mauritania; MU Mauritius;
  YT Mayotte; MX Mexico; FM Micronesia; MD Moldova; MC Monaco; MN Mongolia; ME Montenegro; MS Montserrat;
  MA Morocco; MZ Mozambique; MM Myanmar (Burma); NA Namibia; NR Nauru; NP Nepal; NL Netherlands;
  NC New Caledonia; NZ New Zealand; NI Nicaragua; NE Niger; NG Nigeria; NU Niue; NF Norfolk Island;
  KP North Korea; MK North Macedonia; MP Northern Mariana Islands; NO Norway; OM Oman; PK Pakistan;
  PW Palau; PS Palestine; PA Panama; PG Papua New Guinea; PY Paraguay; PE Peru; PH Philippines;
  PN Pitcairn Islands; PL Poland; PT Portugal; PR Puerto Rico; QA Qatar; RE Réunion; RO Romania; RU Russia;
  RW Rwanda; WS Samoa; SM San Marino; ST São Tomé & Príncipe; SA Saudi Arabia; SN Senegal; RS Serbia;
  SC Seychelles; SL Sierra Leone; SG Singapore; SX Sint Maarten; SK Slovakia; SI Slovenia;
  SB Solomon Islands; SO Somalia; ZA South Africa; GS South Georgia & South Sandwich Islands;
  KR South Korea; SS South Sudan; ES Spain; LK Sri Lanka; BL St. Barthélemy; SH St. Helena;
  KN St. Kitts & Nevis; LC St. Lucia; MF St. Martin; PM St. Pierre & Miquelon; VC St. Vincent & Grenadines;
  SD Sudan; SR Suriname; SJ Svalbard & Jan Mayen; SE Sweden; CH Switzerland; SY Syria; TW Taiwan;
  TJ Tajikistan; TZ Tanzania; TH Thailand; TL Timor-Leste; TG Togo; TK Tokelau; TO Tonga;
  TT Trinidad & Tobago; TN Tunisia; TR Türkiye; TM Turkmenistan; TC Turks & Caicos Islands; TV Tuvalu;
  UM U.S. Outlying Islands; VI U.S. Virgin Islands; UG Uganda; UA Ukraine; AE United Arab Emirates;
  GB United Kingdom; US United States; UY Uruguay; UZ Uzbekistan; VU Vanuatu; VA Vatican City;
  VE Venezuela; VN Vietnam; WF Wallis & Futuna; EH Western Sahara; YE Yemen; ZM Zambia; ZW Zimbabwe
`;

/** ISO 639-1, without withdrawn codes. */
const languages = `
  ab Abkhazian; aa Afar; af Afrikaans; ak Akan; sq Albanian; am Amharic; ar Arabic; an Aragonese;
  hy Armenian; as Assamese; av Avaric; ae Avestan; ay Aymara; az Azerbaijani; bm Bambara; bn Bangla;
  ba Bashkir; eu Basque; be Belarusian; bi Bislama; bs Bosnian; br Breton; bg Bulgarian; my Burmese;
  ca Catalan; ch Chamorro; ce Chechen; zh Chinese; cu Church Slavic; cv Chuvash; kw Cornish; co Corsican;
  cr Cree; hr Croatian; cs Czech; da Danish; dv Divehi; nl Dutch; dz Dzongkha; en English; eo Esperanto;
  et Estonian; ee Ewe; fo Faroese; fj Fijian; fi Finnish; fr French; ff Fula; gl Galician; lg Ganda;
  ka Georgian; de German; el Greek; gn Guarani; gu Gujarati; ht Haitian Creole; ha Hausa; he Hebrew;
  hz Herero; hi Hindi; ho Hiri Motu; hu Hungarian; is Icelandic; io Ido; ig Igbo; id Indonesian;
  ia Interlingua; ie Interlingue; iu Inuktitut; ik Inupiaq; ga Irish; it Italian; ja Japanese; jv Javanese;
  kl Kalaallisut; kn Kannada; kr Kanuri; ks Kashmiri; kk Kazakh; km Khmer; ki Kikuyu; rw Kinyarwanda;
  kv Komi; kg Kongo; ko Korean; kj Kuanyama; ku Kurdish; ky Kyrgyz; lo Lao; la Latin; lv Latvian;
  li Limburgish; ln Lingala; lt Lithuanian; lu Luba-Katanga; lb Luxembourgish; mk Macedonian; mg Malagasy;
  ms Malay; ml Malayalam; mt Maltese; gv Manx; mi Māori; mr Marathi; mh Marshallese; mn Mongolian;
  na Nauru; nv Navajo; ng Ndonga; ne Nepali; nd North Ndebele; se Northern Sami; no Norwegian;
  nb Norwegian Bokmål; nn Norwegian Nynorsk; ny Nyanja; oc Occitan; or Odia; oj Ojibwa; om Oromo;
  os Ossetic; pi Pali; ps Pashto; fa Persian; pl Polish; pt Portuguese; pa Punjabi; qu Quechua;
  ro Romanian; rm Romansh; rn Rundi; ru Russian; sm Samoan; sg Sango; sa Sanskrit; sc Sardinian;
  gd Scottish Gaelic; sr Serbian; sn Shona; ii Sichuan Yi; sd Sindhi; si Sinhala; sk Slovak; sl Slovenian;
  so Somali; nr South Ndebele; st Southern Sotho; es Spanish; su Sundanese; sw Swahili; ss Swati;
  sv Swedish; tl Tagalog; ty Tahitian; tg Tajik; ta Tamil; tt Tatar; te Telugu; th Thai; bo Tibetan;
  ti Tigrinya; to Tongan; ts Tsonga; tn Tswana; tr Turkish; tk Turkmen; tw Twi; uk Ukrainian; ur Urdu;
  ug Uyghur; uz Uzbek; ve Venda; vi Vietnamese; vo Volapük; wa Walloon; cy Welsh; fy Western Frisian;
  wo Wolof; xh Xhosa; yi Yiddish; yo Yoruba; za Zhuang; zu Zulu
`;

/** ISO 4217, those that people pay with: without funds, metals and codes for tests. */
const currencies = `
  AFN Afghan Afghani; ALL Albanian Lek; DZD Algerian Dinar; AOA Angolan Kwanza; ARS Argentine Peso;
  AMD Armenian Dram; AWG Aruban Florin; AUD Australian Dollar; AZN Azerbaijani Manat; BSD Bahamian Dollar;
  BHD Bahraini Dinar; BDT Bangladeshi Taka; BBD Barbadian Dollar; BYN Belarusian Ruble; BZD Belize Dollar;
  BMD Bermudan Dollar; BTN Bhutanese Ngultrum; VED Bolívar Digital; BOB Bolivian Boliviano;
  BAM Bosnia-Herzegovina Convertible Mark; BWP Botswanan Pula; BRL Brazilian Real; GBP British Pound;
  BND Brunei Dollar; BIF Burundian Franc; KHR Cambodian Riel; CAD Canadian Dollar; CVE Cape Verdean Escudo;
  XCG Caribbean guilder; KYD Cayman Islands Dollar; XAF Central African CFA Franc; XPF CFP Franc;
  CLP Chilean Peso; CNY Chinese Yuan; COP Colombian Peso; KMF Comorian Franc; CDF Congolese Franc;
  CRC Costa Rican Colón; CUP Cuban Peso; CZK Czech Koruna; DKK Danish Krone; DJF Djiboutian Franc;
  DOP Dominican Peso; XCD East Caribbean Dollar; EGP Egyptian Pound; ERN Eritrean Nakfa;
  ETB Ethiopian Birr; EUR Euro; FKP Falkland Islands Pound; FJD Fijian Dollar; GMD Gambian Dalasi;
  GEL Georgian Lari; GHS Ghanaian Cedi; GIP Gibraltar Pound; GTQ Guatemalan Quetzal; GNF Guinean Franc;
  GYD Guyanaese Dollar; HTG Haitian Gourde; HNL Honduran Lempira; HKD Hong Kong Dollar;
  HUF Hungarian Forint; ISK Icelandic Króna; INR Indian Rupee; IDR Indonesian Rupiah; IRR Iranian Rial;
  IQD Iraqi Dinar; ILS Israeli New Shekel; JMD Jamaican Dollar; JPY Japanese Yen; JOD Jordanian Dinar;
  KZT Kazakhstani Tenge; KES Kenyan Shilling; KWD Kuwaiti Dinar; KGS Kyrgyz Som; LAK Laotian Kip;
  LBP Lebanese Pound; LSL Lesotho Loti; LRD Liberian Dollar; LYD Libyan Dinar; MOP Macanese Pataca;
  MKD Macedonian Denar; MGA Malagasy Ariary; MWK Malawian Kwacha; MYR Malaysian Ringgit;
  MVR Maldivian Rufiyaa; MRU Mauritanian Ouguiya; MUR Mauritian Rupee; MXN Mexican Peso; MDL Moldovan Leu;
  MNT Mongolian Tugrik; MAD Moroccan Dirham; MZN Mozambican Metical; MMK Myanmar Kyat; NAD Namibian Dollar;
  NPR Nepalese Rupee; TWD New Taiwan Dollar; NZD New Zealand Dollar; NIO Nicaraguan Córdoba;
  NGN Nigerian Naira; KPW North Korean Won; NOK Norwegian Krone; OMR Omani Rial; PKR Pakistani Rupee;
  PAB Panamanian Balboa; PGK Papua New Guinean Kina; PYG Paraguayan Guarani; PEN Peruvian Sol;
  PHP Philippine Peso; PLN Polish Zloty; QAR Qatari Riyal; RON Romanian Leu; RUB Russian Ruble;
  RWF Rwandan Franc; SVC Salvadoran Colón; WST Samoan Tala; STN São Tomé & Príncipe Dobra; SAR Saudi Riyal;
  RSD Serbian Dinar; SCR Seychellois Rupee; SLE Sierra Leonean Leone; SGD Singapore Dollar;
  SBD Solomon Islands Dollar; SOS Somali Shilling; ZAR South African Rand; KRW South Korean Won;
  SSP South Sudanese Pound; LKR Sri Lankan Rupee; SHP St. Helena Pound; SDG Sudanese Pound;
  SRD Surinamese Dollar; SZL Swazi Lilangeni; SEK Swedish Krona; CHF Swiss Franc; SYP Syrian Pound;
  TJS Tajikistani Somoni; TZS Tanzanian Shilling; THB Thai Baht; TOP Tongan Paʻanga;
  TTD Trinidad & Tobago Dollar; TND Tunisian Dinar; TRY Turkish Lira; TMT Turkmenistani Manat;
  UGX Ugandan Shilling; UAH Ukrainian Hryvnia; AED United Arab Emirates Dirham; UYU Uruguayan Peso;
  USD US Dollar; UZS Uzbekistani Som; VUV Vanuatu Vatu; VES Venezuelan Bolívar; VND Vietnamese Dong;
  XOF West African CFA Franc; YER Yemeni Rial; ZMW Zambian Kwacha; ZWG Zimbabwean Gold
`;

/** Parses the options in the order of jsonb's members, so that a draft's equal those of its version. */
const parseList = (text: string): readonly Option[] =>
  Object.freeze(
    text
      .trim()
      .split(/;\s+/)
      .map((entry) => {
        const at = entry.indexOf(" ");
        return Object.freeze({ label: entry.slice(at + 1).replace(/\s+/g, " "), value: entry.slice(0, at) });
      }),
  );

export const namedLists: Readonly<Record<string, readonly Option[]>> = Object.freeze({
  countries: parseList(countries),
  languages: parseList(languages),
  currencies: parseList(currencies),
});

export const listNames: readonly string[] = Object.keys(namedLists);

/** Returns the list that a value names; undefined: it names none. */
export const listNamed = (value: unknown): readonly Option[] | undefined =>
  typeof value === "string" && Object.hasOwn(namedLists, value) ? namedLists[value] : undefined;
