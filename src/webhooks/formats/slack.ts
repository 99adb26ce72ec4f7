import { envelopeOf, type Format } from './format.ts';
import { messageOf } from './message.ts';

/** Maximum length of a text of a block (Block Kit), after escaping. */
const MAX_TEXT_LENGTH = 3_000;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes the characters that begin a link, a mention or an entity. */
function escaped(text: string): string {
  let result = '';
  for (const character of text) {
    const next = ENTITIES[character] ?? character;
    if (result.length + next.length > MAX_TEXT_LENGTH) break;
    result += next;
  }
  return result;
}

/** Escapes a URL inside of `<…>`, where a vertical bar would begin a label. */
const linked = (url: string): string | undefined => {
  const address = escaped(url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
  return address.length > MAX_TEXT_LENGTH - 2 ? undefined : `<${address}>`;
};

/** A message of an incoming webhook of Slack. */
export const slack: Format = {
  contentType: 'application/json; charset=utf-8',
  isChat: true,
  bodyOf(delivery) {
    const { sentence, url, facts } = messageOf(envelopeOf(delivery));
    const link = url === undefined ? undefined : linked(url);
    const details = [
      ...(link === undefined ? [] : [{ type: 'mrkdwn', text: link }]),
      ...facts.map(([name, value]) => ({
        type: 'plain_text',
        text: escaped(`${name}: ${value}`),
        emoji: false,
      })),
    ];
    return JSON.stringify({
      // Shown in notifications.
      text: escaped(sentence),
      mrkdwn: false,
      // Fetching the links would be visits.
      unfurl_links: false,
      unfurl_media: false,
      blocks: [
        { type: 'section', text: { type: 'plain_text', text: escaped(sentence), emoji: false } },
        ...(details.length === 0 ? [] : [{ type: 'context', elements: details }]),
      ],
    });
  },
};
