/** Lines of 100 characters; a line of PostScript has at most 255 (DSC 3.0). */
const LINES = /.{1,100}/g;
const FIRST = '!'.charCodeAt(0);

/** Encodes bytes in base 85 with the end mark of PostScript (ASCII85Encode). */
export function ascii85(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const count = Math.min(4, bytes.length - at);
    let value = 0;
    for (let index = 0; index < 4; index += 1) value = value * 256 + (bytes[at + index] ?? 0);
    if (value === 0 && count === 4) {
      text += 'z';
      continue;
    }
    let digits = '';
    for (let index = 0; index < 5; index += 1) {
      digits = String.fromCharCode(FIRST + (value % 85)) + digits;
      value = Math.floor(value / 85);
    }
    text += digits.slice(0, count + 1);
  }
  // A line that begins with a percent sign would be a comment to programs that search for them.
  const lines = `${text}~>`.match(LINES) ?? [];
  return lines.map((line) => (line.startsWith('%') ? ` ${line}` : line)).join('\n');
}
