import { type Language, say } from '../../web/language.ts';
import { notice, type Page } from '../../web/layout.ts';

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
