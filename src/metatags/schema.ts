import { Joi } from '../http/fields.ts';
import { BadDestination, parseDestination } from '../short-links/url-field.ts';

export interface MetatagsQuery {
  url: string;
}

const queryOf = (what: string) =>
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
      .description(`Address of the ${what}. Without a scheme, \`https://\` is put before it.`),
  });

/** Query of what a page says. */
export const metatagsQuery = queryOf('page');

/** Query of an image. */
export const imageQuery = queryOf('image');

/**
 * The address of a page, without its fragment, which is not sent to its host.
 *
 * @throws BadDestination
 */
function parsePageUrl(given: string): string {
  const url = parseDestination(given);
  if (/^https?:/i.test(url)) return url.replace(/#.*$/s, '');
  throw new BadDestination('must begin with http:// or https://');
}
