import type { Choice } from '../ui/choices.tsx';
import { COUNTRIES } from './countries.ts';

/* Visitor traits that routing rules compare, as choices for forms. */

export const COUNTRY_CHOICES: readonly Choice[] = COUNTRIES.map(({ code, name }) => ({
  value: code,
  label: name,
}));

export const DEVICES: readonly Choice[] = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'mobile', label: 'Phone' },
  { value: 'tablet', label: 'Tablet' },
  { value: 'smarttv', label: 'TV' },
  { value: 'console', label: 'Game console' },
  { value: 'wearable', label: 'Watch or wearable' },
  { value: 'embedded', label: 'Embedded device' },
];

/**
 * The most common operating systems and browsers, by the names that the service records for visits.
 */
export const SYSTEMS = ['Android', 'iOS', 'Windows', 'Mac OS', 'Linux', 'Chromium OS', 'HarmonyOS'];
export const BROWSERS = [
  'Chrome',
  'Mobile Safari',
  'Safari',
  'Edge',
  'Firefox',
  'Samsung Internet',
  'Opera',
  'Brave',
  'DuckDuckGo',
  'Facebook',
  'Instagram',
  'LinkedIn',
  'TikTok',
  'WeChat',
];

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
export const LANGUAGE_CHOICES: readonly Choice[] = LANGUAGES.map((code) => ({
  value: code,
  label: languages.of(code) ?? code,
}));

/** Makes choices whose labels are their values. */
export const named = (names: readonly string[]): readonly Choice[] =>
  names.map((name) => ({ value: name, label: name }));
