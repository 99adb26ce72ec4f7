import { type Language, say } from '../../web/language.ts';
import { fixedNotice, notice, type Page } from '../../web/layout.ts';
import { reportPath } from '../address.ts';

/** The page for an address without a link, or a host that is no domain of this service. */
export const notFoundPage = fixedNotice(404, {
  title: 'Link not found',
  text: 'There is nothing at this address. Check it for typing errors.',
});

/** The page for an expired link without another destination. */
export const expiredPage = fixedNotice(410, {
  title: 'Link expired',
  text: 'This link is no longer active.',
});

/** The page for a link that the operator blocks, itself or by the host of its destination. */
export const blockedPage = (language: Language, shortLink: string): Page =>
  notice(403, {
    language,
    title: say(language, 'Link blocked'),
    text: say(
      language,
      'The operator of this service has blocked this link, so you are not sent on.',
    ),
    link: { href: reportPath(shortLink), label: say(language, 'Report this link') },
  });

/** The page for a link that begins later. */
export function notStartedPage(startsAt: number, now: number, language: Language): Page {
  const at = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(startsAt);
  const text = say(language, 'This link opens on {}.', `${at} UTC`);
  return notice(404, { language, title: say(language, 'Not open yet'), text }, [
    'Retry-After',
    String(Math.ceil((startsAt - now) / 1000)),
  ]);
}

/** The page for an address that cannot be parsed, for instance because of a stray percent sign. */
export const badRequestPage = fixedNotice(400, {
  title: 'Malformed address',
  text: 'This address cannot be read. Check it for typing errors.',
});

/** The page for methods that short links do not support. */
export const methodNotAllowedPage = fixedNotice(
  405,
  { title: 'Method not allowed', text: 'Short links cannot be asked in this way.' },
  ['Allow', 'GET, HEAD'],
);

/** The page for a form that is too large. */
export const tooMuchPage = fixedNotice(413, {
  title: 'Too much text',
  text: 'This is more than can be sent at once. Please shorten your answers.',
});

const TRY_AGAIN = {
  title: 'Please try again',
  text: 'This link cannot be opened just now. Try again in a moment.',
} as const;

/**
 * The page for a failed look-up, or a visit that could not be recorded: a retry is better than a
 * loss.
 */
export const unavailablePage = fixedNotice(503, TRY_AGAIN, ['Retry-After', '2']);

/**
 * The page for a browser that loads a link before anybody has opened it. A browser uses a redirect
 * that it has loaded, but drops an error, and requests the link again when a person opens it.
 */
export const prefetchPage = fixedNotice(503, TRY_AGAIN, ['Retry-After', '0']);
