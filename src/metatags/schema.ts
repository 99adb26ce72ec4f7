import { Joi } from '../http/fields.ts';
import { BadDestination, parseDestination } from '../short-links/url-field.ts';

export interface MetatagsQuery {
  url: string;
}

const queryOf = (what: string, example: string) =>
  Joi.object<MetatagsQuery>({
    url: Joi.string()
      .custom((value: string, { error }) => {
        try {
          return parsePageUrl(value);
        } catch (thrown) {
          if (!(thrown instanceof BadDestination)) throw thrown;
          return error('rule', { rule: thrown.message });
        }
      })
      .required()
      .description(`URL of the ${what}. Without a scheme, it gets \`https://\`.`)
      .example(example),
  });

/** Schema of the query string for a page. */
export const metatagsQuery = queryOf('page', 'https://example.com/');

/** Schema of the query string for an image. */
export const imageQuery = queryOf('image', 'https://example.com/garden.png');

/**
 * Parses the URL of a page, without its fragment, which is not sent to its host.
 *
 * @throws BadDestination
 */
function parsePageUrl(text: string): string {
  const url = parseDestination(text);
  if (/^https?:/i.test(url)) return url.replace(/#.*$/s, '');
  throw new BadDestination('must begin with http:// or https://');
}
