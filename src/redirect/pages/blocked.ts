import { type Language, say } from '../../web/language.ts';
import { notice, type Page } from '../../web/layout.ts';
import { reportPath } from '../address.ts';

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
