/** Longest slug that is made of a text, in characters: as long as that of a workspace may be. */
const MAX_LENGTH = 48;

/** Letters whose spelling in ASCII is more than the letter without its marks. */
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
 * Makes a slug of lower-case ASCII letters, digits and hyphens from a name or a title: "Müller & Söhne" becomes
 * `mueller-soehne`. A text in another script than Latin has none: the result is empty.
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
