/**
 * Returns the UTF-8 length of a text in bytes. Browsers, where this also runs, have no
 * `Buffer.byteLength`.
 */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
