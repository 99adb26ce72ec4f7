import { envelopeOf, type Format } from './format.ts';
import { messageOf } from './message.ts';

/** Maximum length of the content, in UTF-16 units. */
const MAX_CONTENT_LENGTH = 2_000;
/** Message flag: links in the content are not fetched for a preview, which would be visits. */
const SUPPRESS_EMBEDS = 1 << 2;

/** Characters with a meaning in Markdown of Discord, or that begin a mention. */
const SPECIAL = new Set('\\*_~`|>#[]()<@:-+.!');

/** Puts a backslash before each special character of a line. */
const escaped = (text: string): string =>
  Array.from(text.replaceAll('\n', ' '), (character) =>
    SPECIAL.has(character) ? `\\${character}` : character,
  ).join('');

/** A message of a webhook of Discord. */
export const discord: Format = {
  contentType: 'application/json',
  isChat: true,
  bodyOf(delivery) {
    const { sentence, url, facts } = messageOf(envelopeOf(delivery));
    const lines = [
      escaped(sentence),
      ...facts.map(([name, value]) => `${escaped(name)}: ${escaped(value)}`),
      // Angle brackets also keep the characters of the URL from being Markdown.
      ...(url === undefined ? [] : [`<${url.replaceAll('<', '%3C').replaceAll('>', '%3E')}>`]),
    ];
    let content = '';
    for (const line of lines) {
      // A line that does not fit is left out whole: part of one could end in the middle of an escape.
      if (content.length + line.length < MAX_CONTENT_LENGTH) content += `${line}\n`;
    }
    return JSON.stringify({
      content: content.trimEnd(),
      allowed_mentions: { parse: [] },
      flags: SUPPRESS_EMBEDS,
    });
  },
};
