/*
 * Merchant-presented QR codes by EMVCo: a sequence of objects, each with a two-digit id, a
 * two-digit length in characters, and a value.
 */

/** A data object, such as id `26` with a value of 58 characters. */
export interface EmvObject {
  id: string;
  value: string;
}

/** Encodes an object. */
export const emvObject = (id: string, value: string): string =>
  `${id}${String(value.length).padStart(2, '0')}${value}`;

/** Parses a text into objects; `undefined` if it does not consist of whole objects. */
export function readEmv(text: string): EmvObject[] | undefined {
  const objects: EmvObject[] = [];
  for (let at = 0; at < text.length; ) {
    const head = /^(\d{2})(\d{2})$/.exec(text.slice(at, at + 4));
    if (head === null) return undefined;
    const length = Number(head[2]);
    const value = text.slice(at + 4, at + 4 + length);
    if (value.length < length) return undefined;
    objects.push({ id: head[1]!, value });
    at += 4 + length;
  }
  return objects;
}

/**
 * Computes CRC-16/CCITT-FALSE (polynomial 0x1021, initial value 0xFFFF) as four hexadecimal digits;
 * "123456789" gives 29B1.
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
    }
    crc &= 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/** Appends the checksum, which covers its own id and length. */
export const withCrc = (text: string): string => `${text}6304${crc16(`${text}6304`)}`;
