/**
 * Removes characters from both ends of a text. A loop, since a regular expression takes quadratic
 * time on a long run of such characters inside the text.
 *
 * @param pattern matches each UTF-16 unit to remove
 */
export const trimmed = (text: string, pattern: RegExp): string =>
  trimmedStart(trimmedEnd(text, pattern), pattern);

/** Removes characters from the start of a text, as {@link trimmed} does. */
export function trimmedStart(text: string, pattern: RegExp): string {
  let start = 0;
  while (start < text.length && pattern.test(text.charAt(start))) start += 1;
  return text.slice(start);
}

/** Removes characters from the end of a text, as {@link trimmed} does. */
export function trimmedEnd(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
