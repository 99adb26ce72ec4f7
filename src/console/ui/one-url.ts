import type { ClipboardEvent, DragEvent } from 'react';

const URL_LIKE = /^(?:https?:\/\/\S+|[^\s/:@?#]+\.[a-z]{2,}(?:[/:?#]\S*)?)$/i;

/**
 * Counts the URLs of a text that a browser would join into one broken URL in a single-line field: a
 * list, or text of several lines.
 *
 * @returns `undefined` for a text that can be one URL
 */
function countUrls(text: string): number | undefined {
  const parts = text.trim().split(/\s+/);
  const urls = parts.filter((part) => URL_LIKE.test(part)).length;
  const hasLines = /[\r\n]/.test(text.trim());
  return hasLines || (urls > 1 && urls === parts.length) ? urls : undefined;
}

const sentenceFor = (urls: number): string =>
  urls > 1
    ? `You pasted ${urls} URLs, and this field takes one.`
    : 'You pasted several lines. Paste the URL alone.';

/**
 * Returns handlers for a field that takes one URL: they refuse a pasted or dropped list instead of
 * joining its lines.
 *
 * @param refuse receives the message about the refusal
 * @param manyUrls builds a more specific message for a list
 */
export function oneUrlHandlers(
  refuse: (sentence: string) => void,
  manyUrls: ((urls: number) => string) | undefined,
) {
  const check = (
    event: { preventDefault(): void },
    data: { getData(type: string): string } | null,
  ) => {
    const urls = countUrls(data?.getData('text/plain') ?? '');
    if (urls === undefined) return;
    event.preventDefault();
    refuse(urls > 1 && manyUrls ? manyUrls(urls) : sentenceFor(urls));
  };
  return {
    onPaste: (event: ClipboardEvent) => check(event, event.clipboardData),
    onDrop: (event: DragEvent) => check(event, event.dataTransfer),
  };
}
