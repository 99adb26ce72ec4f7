/**
 * Removes characters from both ends of a text. A loop, since a regular expression takes quadratic
 * time on a long run of such characters inside the text.
 *
 * @param pattern matches each UTF-16 unit to remove
 */
export function trimmed(text: string, pattern: RegExp): string {
  const kept = trimmedEnd(text, pattern);
  let start = 0;
  while (start < kept.length && pattern.test(kept.charAt(start))) start += 1;
  return kept.slice(start);
}

/** Removes characters from the end of a text, as {@link trimmed} does. */
export function trimmedEnd(text: string, pattern: RegExp): string {
  let end = text.length;
  while (end > 0 && pattern.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
