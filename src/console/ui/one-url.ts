import {
  type ChangeEvent,
  type ClipboardEvent,
  type ComponentProps,
  type DragEvent,
  useState,
} from 'react';

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
 * Makes a field take one URL: it refuses a pasted or dropped list instead of joining its lines.
 *
 * @param onChange the field's own handler
 * @param manyUrls builds a more specific message for a list
 * @returns the message about the last refusal, and the field's event handlers
 */
export function useOneUrl(
  onChange: ComponentProps<'input'>['onChange'],
  manyUrls?: (urls: number) => string,
) {
  const [refused, setRefused] = useState<string>();
  const check = (
    event: { preventDefault(): void },
    data: { getData(type: string): string } | null,
  ) => {
    const urls = countUrls(data?.getData('text/plain') ?? '');
    if (urls === undefined) return;
    event.preventDefault();
    setRefused(urls > 1 && manyUrls ? manyUrls(urls) : sentenceFor(urls));
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
