import { Joi } from '../http/fields.ts';
import { BadDestination, parseDestination } from '../short-links/url-field.ts';

export interface MetatagsQuery {
  url: string;
}

/** Query of what a page says. */
export const metatagsQuery = Joi.object<MetatagsQuery>({
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
    .description('Address of the page. Without a scheme, `https://` is put before it.'),
});

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
