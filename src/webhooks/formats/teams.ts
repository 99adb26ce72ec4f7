import { envelopeOf, type Format } from './format.ts';
import { messageOf } from './message.ts';

const run = (text: string) => ({ type: 'TextRun', text });

/**
 * An Adaptive Card for a workflow of Microsoft Teams. Its texts are runs, which have no Markdown: a
 * TextBlock or a FactSet would format and link texts of visitors.
 */
export const teams: Format = {
  contentType: 'application/json',
  isChat: true,
  bodyOf(delivery) {
    const { sentence, url, facts } = messageOf(envelopeOf(delivery));
    const lines = [sentence, ...facts.map(([name, value]) => `${name}: ${value}`)];
    return JSON.stringify({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            fallbackText: sentence,
            body: lines.map((line) => ({ type: 'RichTextBlock', inlines: [run(line)] })),
            ...(url === undefined
              ? {}
              : { actions: [{ type: 'Action.OpenUrl', title: 'Open the link', url }] }),
          },
        },
      ],
    });
  },
};
