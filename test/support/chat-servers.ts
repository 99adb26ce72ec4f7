import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { Answer } from './receiver.ts';

/*
 * Receivers that check messages as Slack, Discord and Microsoft Teams document them, and answer as
 * these do. Schemas are strict: what they do not list is refused, also if the service ignores it.
 */

const ajv = new Ajv({ allErrors: true });
addFormats.default(ajv);

const object = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/** Texts in which only Slack's own mark-up and entities have `<`, `>` and `&`. */
const SLACK_ESCAPED = '^(?:[^&<>]|&(?:amp|lt|gt);)*$';
const slackPlain = object({
  type: { const: 'plain_text' },
  text: { ...text(3_000), pattern: SLACK_ESCAPED },
  emoji: { type: 'boolean' },
});
const slackLink = object({
  type: { const: 'mrkdwn' },
  text: { ...text(3_000), pattern: '^<https?://(?:[^&<>|]|&(?:amp|lt|gt);)*>$' },
});

/** Schemas of requests: Block Kit, Execute Webhook, Adaptive Cards 1.4 in a message, CloudEvents. */
const SCHEMAS = {
  slack: object(
    {
      text: { ...text(4_000), pattern: SLACK_ESCAPED },
      mrkdwn: { const: false },
      unfurl_links: { type: 'boolean' },
      unfurl_media: { type: 'boolean' },
      blocks: {
        type: 'array',
        maxItems: 50,
        items: {
          anyOf: [
            object({ type: { const: 'section' }, text: slackPlain }),
            object({
              type: { const: 'context' },
              elements: {
                type: 'array',
                minItems: 1,
                maxItems: 10,
                items: { anyOf: [slackPlain, slackLink] },
              },
            }),
          ],
        },
      },
    },
    ['text'],
  ),
  discord: object(
    {
      content: text(2_000),
      allowed_mentions: object({ parse: { type: 'array', maxItems: 0 } }),
      flags: { enum: [0, 4] },
    },
    ['content', 'allowed_mentions'],
  ),
  teams: object({
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: object({
        contentType: { const: 'application/vnd.microsoft.card.adaptive' },
        contentUrl: { type: 'null' },
        content: object(
          {
            $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
            type: { const: 'AdaptiveCard' },
            version: { enum: ['1.2', '1.3', '1.4'] },
            fallbackText: text(1_000),
            body: {
              type: 'array',
              minItems: 1,
              items: object({
                type: { const: 'RichTextBlock' },
                inlines: {
                  type: 'array',
                  minItems: 1,
                  items: object({ type: { const: 'TextRun' }, text: text(1_000) }),
                },
              }),
            },
            actions: {
              type: 'array',
              items: object({
                type: { const: 'Action.OpenUrl' },
                title: text(100),
                url: { type: 'string', format: 'uri' },
              }),
            },
          },
          ['type', 'version', 'body'],
        ),
      }),
    },
  }),
  cloudevents: {
    type: 'object',
    required: ['id', 'source', 'specversion', 'type'],
    // Names of attributes: lower-case letters and digits (CloudEvents 1.0.2, 3.1).
    propertyNames: { pattern: '^[a-z0-9]{1,20}$' },
    properties: {
      id: text(1_000),
      source: { type: 'string', format: 'uri-reference', minLength: 1 },
      specversion: { const: '1.0' },
      type: text(1_000),
      subject: text(1_000),
      time: { type: 'string', format: 'date-time' },
      datacontenttype: { const: 'application/json' },
      sequence: { type: 'string', pattern: '^[0-9]{16}$' },
      data: { type: 'object' },
    },
  },
};

export type ChatService = keyof typeof SCHEMAS;

/** Media types of requests by service. */
const MEDIA_TYPES: Readonly<Record<ChatService, string>> = {
  slack: 'application/json',
  discord: 'application/json',
  teams: 'application/json',
  cloudevents: 'application/cloudevents+json',
};
/** Maximum size of a request, in bytes. */
const MAX_BYTES: Readonly<Partial<Record<ChatService, number>>> = { teams: 28 * 1024 };

/** Returns what is wrong with a request; empty if the service accepts it. */
export function faultsOf(service: ChatService, raw: string, contentType: string): string {
  const [media = ''] = contentType.split(';');
  if (media !== MEDIA_TYPES[service]) return `content-type ${contentType}`;
  if (Buffer.byteLength(raw) > (MAX_BYTES[service] ?? Infinity)) return 'too large';
  const validate = ajv.compile(SCHEMAS[service]);
  return validate(JSON.parse(raw)) ? '' : ajv.errorsText(validate.errors);
}

/** Answers of the services to requests that they accept, refuse and limit. */
const ANSWERS: Readonly<
  Record<ChatService, { accepted: [number, string]; limited: (seconds: number) => string }>
> = {
  slack: { accepted: [200, 'ok'], limited: () => 'rate_limited' },
  discord: {
    accepted: [204, ''],
    limited: (seconds) =>
      JSON.stringify({
        message: 'You are being rate limited.',
        retry_after: seconds,
        global: false,
      }),
  },
  teams: { accepted: [202, ''], limited: () => '' },
  cloudevents: { accepted: [204, ''], limited: () => '' },
};

/**
 * Makes the handler of a receiver that acts as a service.
 *
 * @param limit number of the request that is answered with 429 and `Retry-After: 1`, if any
 */
export function chatServer(service: ChatService, { limit }: { limit?: number } = {}): Answer {
  let count = 0;
  const { accepted, limited } = ANSWERS[service];
  return ({ raw, headers }, response) => {
    count += 1;
    if (count === limit) {
      response.writeHead(429, { 'retry-after': '1' }).end(limited(1));
      return;
    }
    const faults = faultsOf(service, raw, headers['content-type'] ?? '');
    if (faults !== '') response.writeHead(400).end(`invalid_payload: ${faults}`);
    else response.writeHead(accepted[0]).end(accepted[1]);
  };
}
