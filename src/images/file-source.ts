import Joi from 'joi';
import { parseUrl } from '../infra/url.ts';

const MAX_URL = 32_768;
/** Maximum length of a `data:` URI, which is part of a body: half a megabyte in base64. */
const MAX_DATA = 700_000;

/** Types of files that are stored as they are, with the beginning of their bytes. */
export const FILE_TYPES = {
  'application/pdf': { ending: 'pdf', signature: /^%PDF-\d/ },
  // oxlint-disable-next-line no-control-regex -- part of the signature (PNG, 5.2)
  'image/png': { ending: 'png', signature: /^\x89PNG\r\n\x1a\n/ },
  'image/jpeg': { ending: 'jpg', signature: /^\xff\xd8\xff/ },
  'image/gif': { ending: 'gif', signature: /^GIF8[79]a/ },
  'image/webp': { ending: 'webp', signature: /^RIFF.{4}WEBP/s },
} as const;

export type FileType = keyof typeof FILE_TYPES;

/**
 * Returns the type of a file; `undefined` for one of another type.
 *
 * @param head its first 16 bytes or more, in Latin-1
 */
export function typeOfHead(head: string): FileType | undefined {
  const types = Object.keys(FILE_TYPES) as FileType[];
  return types.find((type) => FILE_TYPES[type].signature.test(head));
}

/**
 * Schema of the source of a file: an http or https URL, or a `data:` URI with the file itself.
 *
 * @param maxData maximum length of such a URI
 */
export const fileSource = (maxData = MAX_DATA) =>
  Joi.string().custom((value: string, { error }) => {
    const source = value.trim();
    const isData = /^data:[a-z]+\/[a-z0-9.+-]+[;,]/i.test(source);
    if (!isData && (!/^https?:\/\//i.test(source) || parseUrl(source) === undefined)) {
      return error('rule', {
        rule: 'must be a URL that begins with http:// or https://, or a data URI',
      });
    }
    const most = isData ? maxData : MAX_URL;
    return source.length <= most
      ? source
      : error('rule', { rule: `must not be longer than ${most} characters` });
  });
