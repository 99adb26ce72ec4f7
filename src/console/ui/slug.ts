/** Maximum length of a generated slug in characters, equal to the limit for workspace slugs. */
const MAX_LENGTH = 48;

/** Letters whose ASCII spelling is more than the letter without its diacritics. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'oe',
  þ: 'th',
  ð: 'd',
  đ: 'd',
  ł: 'l',
  ı: 'i',
};

/**
 * Makes a slug of lower-case ASCII letters, digits and hyphens from a name or title: "Müller &
 * Söhne" becomes `mueller-soehne`. The result is empty for text in a script other than Latin.
 */
export function slugFrom(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[äöüßæœøþðđłı]/g, (letter) => SPELLINGS[letter]!)
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH + 1)
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
}
