import type { Schemas } from '../api/client.ts';

/** A language of the console; the texts of the source are English. */
export type Language = NonNullable<Schemas['Me']['language']>;

/** Names of the languages, each in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  ja: '日本語',
};

const CATALOGS = {
  de: () => import('./de.po'),
  fr: () => import('./fr.po'),
  es: () => import('./es.po'),
  pt: () => import('./pt.po'),
  ja: () => import('./ja.po'),
} satisfies Record<Exclude<Language, 'en'>, unknown>;

/** Language of the account that last used this browser, if it has chosen one. */
const OF_ACCOUNT = 'account-language';
/** Language that was chosen on the sign-in page. */
const OF_BROWSER = 'language';

const isLanguage = (text: string | undefined | null): text is Language =>
  text !== undefined && text !== null && Object.hasOwn(LANGUAGE_NAMES, text);

function stored(name: string): Language | undefined {
  try {
    const text = localStorage.getItem(name);
    return isLanguage(text) ? text : undefined;
  } catch {
    // Storage is blocked.
    return undefined;
  }
}

function store(name: string, language: Language | null): void {
  try {
    if (language === null) localStorage.removeItem(name);
    else localStorage.setItem(name, language);
  } catch {
    // Storage is blocked: the choice lasts until the page is reloaded.
  }
}

/** The first language of the browser that the console has; regions do not matter. */
const languageOfBrowser = (): Language =>
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en';

const chosen = (): Language => stored(OF_ACCOUNT) ?? stored(OF_BROWSER) ?? languageOfBrowser();

/** The language of this page; another one is shown after a reload. */
export const language: Language = chosen();

/** Locale of dates and numbers: the browser's variant of the language, such as `de-AT`. */
export const locale: string =
  navigator.languages.find((tag) => tag.slice(0, 2).toLowerCase() === language) ?? language;

/** Translations by the English text; those of a text with a count are its plural forms. */
export type Catalog = Readonly<Record<string, string | readonly string[]>>;

async function loadCatalog(): Promise<Catalog> {
  if (language === 'en') return {};
  try {
    const { default: catalog } = await CATALOGS[language]();
    document.documentElement.lang = language;
    return catalog;
  } catch {
    // English is better than nothing.
    return {};
  }
}

/** Translations of the language, loaded before any module that has texts. */
export const catalog: Catalog = await loadCatalog();

/** Shows the console in another language, if another one is chosen. */
function show(): void {
  if (chosen() !== language) location.reload();
}

/** Chooses a language for this browser, before sign-in. */
export function chooseLanguage(next: Language): void {
  store(OF_ACCOUNT, null);
  store(OF_BROWSER, next);
  show();
}

/**
 * Takes over the language of the account, and reloads the page if it is shown in another one.
 *
 * @param next the account's language; null for the browser's
 */
export function followAccount(next: string | null): void {
  store(OF_ACCOUNT, isLanguage(next) ? next : null);
  show();
}

/**
 * Shows the language that a person chose for their account.
 *
 * @param next null for the browser's language, also in place of one chosen on the sign-in page
 */
export function chooseForAccount(next: Language | null): void {
  if (next === null) store(OF_BROWSER, null);
  followAccount(next);
}
