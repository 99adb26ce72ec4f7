/** Lengths of IBANs of the EEA by country (ISO 13616 registry). */
const EEA: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AT20 BE16 BG22 HR21 CY28 CZ24 DK18 EE20 FI18 FR27 DE22 GR27 HU28 IS26 IE22 IT27 LV21 LI21 LT20 LU20 ' +
    'MT31 NL18 NO15 PL28 PT25 RO24 SK24 SI19 ES24 SE24'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Lengths of IBANs of the countries that take part in SEPA without being in the EEA. */
const OTHERS_OF_SEPA: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AL28 CH21 GB22 GI23 MC27 MD24 ME22 MK19 RS22 SM27 VA22'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Removes the spaces of a printed IBAN or reference. */
export const compact = (text: string): string => text.replaceAll(/\s/g, '').toUpperCase();

/** True if the check digits are right: the remainder by 97 is 1 (ISO 7064, MOD 97-10). */
function hasCheckDigits(text: string): boolean {
  const digits = (text.slice(4) + text.slice(0, 4)).replaceAll(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}

const isAccount = (iban: string, countries: Readonly<Record<string, number>>): boolean =>
  /^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) &&
  countries[iban.slice(0, 2)] === iban.length &&
  hasCheckDigits(iban);

/** True for an IBAN of the EEA, without spaces. */
export const isEeaIban = (iban: string): boolean => isAccount(iban, EEA);

/** True for an IBAN of a country in SEPA, without spaces. */
export const isSepaIban = (iban: string): boolean =>
  isEeaIban(iban) || isAccount(iban, OTHERS_OF_SEPA);

/** True for an IBAN of Switzerland or Liechtenstein, without spaces. */
export const isSwissIban = (iban: string): boolean => isAccount(iban, { CH: 21, LI: 21 });

/** True for a creditor reference of ISO 11649 (RF), without spaces. */
export const isCreditorReference = (reference: string): boolean =>
  /^RF\d{2}[A-Z0-9]{1,21}$/.test(reference) && hasCheckDigits(reference);

/** Inserts a space after every fourth character, for people. */
export const inGroups = (text: string): string => text.replaceAll(/.{4}(?=.)/g, '$& ');
