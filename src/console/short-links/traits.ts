import type { OptionList } from '../ui/field.tsx';

/* Visitor traits that routing rules compare, as choices for forms. */

/** ISO 3166-1 alpha-2 codes and XK, as the API accepts them. */
const CODES =
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'.split(
    ' ',
  );

const names = new Intl.DisplayNames(undefined, { type: 'region' });

/** All countries with their names in the browser's language. */
export const COUNTRIES: OptionList = CODES.map(
  (code) => [code, names.of(code) ?? code] as const,
).toSorted(([, a], [, b]) => a.localeCompare(b));

export const DEVICES: OptionList = [
  ['desktop', 'Desktop'],
  ['mobile', 'Phone'],
  ['tablet', 'Tablet'],
  ['smarttv', 'TV'],
  ['console', 'Game console'],
  ['wearable', 'Watch or wearable'],
  ['embedded', 'Embedded device'],
];

/**
 * The most common operating systems and browsers, by the names that the service records for visits.
 */
export const SYSTEMS = /* value */ [
  'Android',
  'iOS',
  'Windows',
  'Mac OS',
  'Linux',
  'Chromium OS',
  'HarmonyOS',
];
export const BROWSERS =
  'Chrome, Mobile Safari, Safari, Edge, Firefox, Samsung Internet, Opera, Brave, DuckDuckGo, Facebook, Instagram, LinkedIn, TikTok, WeChat'.split(
    ', ',
  );

const LANGUAGES = [
  'ar',
  'bg',
  'bn',
  'cs',
  'da',
  'de',
  'el',
  'en',
  'en-GB',
  'en-US',
  'es',
  'es-MX',
  'et',
  'fa',
  'fi',
  'fr',
  'fr-CA',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'ms',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sr',
  'sv',
  'sw',
  'th',
  'tr',
  'uk',
  'ur',
  'vi',
  'zh',
  'zh-CN',
  'zh-TW',
];
const languages = new Intl.DisplayNames('en', { type: 'language' });
export const LANGUAGE_CHOICES: OptionList = LANGUAGES.map((code) => [
  code,
  languages.of(code) ?? code,
]);

/** Makes choices whose labels are their values. */
export const named = (names: readonly string[]): OptionList => names.map((name) => [name, name]);
