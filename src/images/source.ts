import Joi from 'joi';
import { parseUrl } from '../infra/url.ts';

const MAX_URL = 32_768;
/** Maximum length of a `data:` URI: half a megabyte of image in base64. */
const MAX_DATA = 700_000;

/**
 * Schema of the source of an image: an http or https URL, or a `data:` URI with the image itself.
 * Such a URI is longer than any other text, so the limit of all texts does not apply.
 */
export const imageSource = () =>
  Joi.string().custom((value: string, { error }) => {
    const source = value.trim();
    if (/^data:/i.test(source)) {
      if (!/^data:image\/[a-z0-9.+-]+[;,]/i.test(source)) {
        return error('rule', { rule: 'must be a data URI of an image' });
      }
      return source.length <= MAX_DATA
        ? source
        : error('rule', { rule: `must not be longer than ${MAX_DATA} characters as a data URI` });
    }
    if (!/^https?:\/\//i.test(source) || parseUrl(source) === undefined) {
      return error('rule', {
        rule: 'must be a URL that begins with http:// or https://, or a data URI',
      });
    }
    return source.length <= MAX_URL
      ? source
      : error('rule', { rule: `must not be longer than ${MAX_URL} characters` });
  });
