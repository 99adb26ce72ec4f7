/** Length of a text in bytes, as UTF-8. Not `Buffer.byteLength`, which browsers don't have. */
export const byteLength = (text: string): number => new TextEncoder().encode(text).length;
