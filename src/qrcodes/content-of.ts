import { originOf, shortLinkOf } from '../lookup/short-link.ts';
import type { ContentType } from './content/content-type.ts';
import { CONTENT_TYPES } from './content/index.ts';
import type { QrCodeRow } from './model.ts';

type Contents = Pick<QrCodeRow, 'type' | 'content'>;

/** Returns the content of a code with its content type. */
export function contentOf({ type, content }: Contents): { type: ContentType; value: never } {
  // Stored content has passed the schema of the same type.
  return { type: CONTENT_TYPES[type] as ContentType, value: content[type] as never };
}

/** The exact text of the code as a static one. */
export function staticContent(row: Contents): string {
  const { type, value } = contentOf(row);
  return type.encode(value);
}

/** The exact text in the image: the content of a static code, the short link of a dynamic one. */
export function payloadOf(
  row: Contents & Pick<QrCodeRow, 'static' | 'key'>,
  domain: string,
): string {
  return row.static ? staticContent(row) : shortTextOf(row, domain);
}

/** The short link of a dynamic code as its image contains it. */
export function shortTextOf(row: Contents & Pick<QrCodeRow, 'key'>, domain: string): string {
  const { type, value } = contentOf(row);
  if (type.shortPath === undefined) return shortLinkOf(domain, row.key);
  return originOf(domain) + type.shortPath(value).target;
}
