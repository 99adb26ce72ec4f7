import { useEffect, useState } from 'react';
import { useDebounced } from '../ui/use-debounced.ts';
import { encodeContent } from './content.ts';
import { faultInWords } from './content-fields.ts';
import { type CodeDraft, contentOf, isStaticOf } from './draft.ts';
import type { QrCode } from './look.ts';

/** Delay after typing before the code is drawn, in ms. */
const TYPING_MS = 120;

/** Rewords the error of an incomplete draft as a next step: "Enter a URL to continue". */
const toContinue = (words: string): string =>
  words.replace(/^((?:Enter|Choose) an? [\w -]+)\.$/, '$1 to continue.');

/** Placeholder key with the length of a generated one. */
const SAMPLE_KEY = 'preview';

/**
 * Returns the text that the code encodes: the content of a static code, or the short link of a
 * dynamic one.
 */
export function usePayload(
  draft: CodeDraft,
  record: QrCode | undefined,
): { text: string | undefined; hint: string | undefined; isSample: boolean } {
  const content = contentOf(draft);
  const { type } = draft;
  const isStatic = isStaticOf(draft);
  const { domain, key } = draft.shortLink;
  const settled = useDebounced(content, TYPING_MS);
  const [encoded, setEncoded] = useState<{
    type: string;
    text?: string;
    path?: string | undefined;
    faults?: string[];
  }>();
  useEffect(() => {
    let isCurrent = true;
    void encodeContent(type, settled).then(
      (result) => isCurrent && setEncoded({ type, ...result }),
    );
    return () => {
      isCurrent = false;
    };
  }, [type, settled]);
  const current = encoded?.type === type ? encoded : undefined;
  const [fault] = current?.faults ?? [];
  // Until the content has been checked, nothing is known about it.
  const isComplete = current !== undefined && fault === undefined;
  const hint = fault === undefined ? undefined : toContinue(faultInWords(type, fault));
  if (isStatic) return { text: current?.text, hint, isSample: false };
  const path = current?.path ?? `/${key === '' ? SAMPLE_KEY : key}`;
  const link = record?.shortLink ?? `https://${domain === '' ? location.hostname : domain}${path}`;
  return { text: link, hint, isSample: record === undefined && !isComplete };
}
