import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentProps,
  type DragEvent,
  useState,
} from 'react';

/** True for a text of the form of a URL, also without a scheme. */
export const isUrlLike = (text: string): boolean => URL_LIKE.test(text);

const URL_LIKE = /^(?:https?:\/\/\S+|[^\s/:@?#]+\.[a-z]{2,}(?:[/:?#]\S*)?)$/i;

/**
 * Counts the URLs of a text that a browser would join into one broken URL in a single-line field: a
 * list, or text of several lines.
 *
 * @returns `undefined` for a text that can be one URL
 */
function countUrls(text: string): number | undefined {
  const parts = text.trim().split(/\s+/);
  const urls = parts.filter(isUrlLike).length;
  const hasLines = /[\r\n]/.test(text.trim());
  return hasLines || (urls > 1 && urls === parts.length) ? urls : undefined;
}

const sentenceFor = (urls: number): string =>
  urls > 1
    ? `You pasted ${urls} URLs, and this field takes one.`
    : 'You pasted several lines. Paste the URL alone.';

/** A text that a field refused because it has several URLs or lines. */
export interface RefusedText {
  text: string;
  /** Number of URLs. */
  urls: number;
}

/**
 * Makes a field take one URL: it refuses a pasted or dropped list instead of joining its lines.
 *
 * @param onChange the field's own handler
 * @returns the last refused text with the message about it, and the field's event handlers
 */
export function useOneUrl(onChange: ComponentProps<'input'>['onChange']) {
  const [refused, setRefused] = useState<RefusedText & { message: string }>();
  const check = (
    event: { preventDefault(): void },
    data: { getData(type: string): string } | null,
  ) => {
    const text = data?.getData('text/plain') ?? '';
    const urls = countUrls(text);
    if (urls === undefined) return;
    event.preventDefault();
    setRefused({ text, urls, message: sentenceFor(urls) });
  };
  const handlers = {
    onPaste: (event: ClipboardEvent) => check(event, event.clipboardData),
    onDrop: (event: DragEvent) => check(event, event.dataTransfer),
    onChange(event: ChangeEvent<HTMLInputElement>) {
      setRefused(undefined);
      onChange?.(event);
    },
  };
  return { refused, handlers };
}
