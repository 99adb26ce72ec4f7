/*
 * Programs of users of generated clients. They are compiled with the generated code, and do the
 * main tasks: create a link, visit it, create a QR code, and read analytics.
 */

/** Visits a short link as a browser does. */
export const VISIT = `
import { request } from 'node:http';

const { VISIT_URL = '', VISIT_HOST = '', AGENT = '' } = process.env;

/** Resolves with the status of the redirect. */
export const visit = (key: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host: VISIT_HOST, 'user-agent': AGENT };
    const visiting = request(VISIT_URL + key, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    visiting.on('error', reject).end();
  });
`;

/** Uses the types of openapi-typescript and the client of openapi-fetch. */
export const OPENAPI_FETCH = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';
import { visit } from './visit.js';

const { API_URL = '', API_KEY = '' } = process.env;
const client = createClient<paths>({ baseUrl: API_URL, headers: { authorization: \`Bearer \${API_KEY}\` } });

const { data: tag } = await client.POST('/tags', { body: { name: 'Clients' } });
const { data: link, error } = await client.POST('/links', {
  body: { url: 'https://example.com/', key: 'typed', tagIds: [tag?.id ?? ''] },
});
// The answer can also be a 202 with a job.
if (link === undefined || !('shortLink' in link)) throw new Error(error?.error.message);
const status = await visit(link.key);
const { data: code } = await client.POST('/qrcodes', { body: { type: 'url', url: link.shortLink } });
const type = code !== undefined && 'type' in code ? code.type : undefined;
const { data: same } = await client.GET('/links/{linkId}', { params: { path: { linkId: link.id } } });
const tagNames = (same?.tags ?? []).map(({ name }) => name);

let clicks = 0;
for (const until = Date.now() + 10_000; clicks === 0 && Date.now() < until; ) {
  const { data } = await client.GET('/analytics', { params: { query: { groupBy: 'count', linkId: [link.id] } } });
  clicks = (data as components['schemas']['AnalyticsCount'] | undefined)?.clicks ?? 0;
}
const refused = await client.GET('/links/{linkId}', { params: { path: { linkId: 'none' } } });
const reason: components['schemas']['Error']['error']['code'] | undefined = refused.error?.error.code;
console.log(JSON.stringify({ status, type, tagNames, clicks, reason }));
`;

/** Uses the client of \`@hey-api/openapi-ts\`. */
export const HEY_API = `
import {
  type AnalyticsCount, createLink, createQrCode, createTag, retrieveAnalytics, retrieveLink,
} from './client/index.js';
import { client } from './client/client.gen.js';
import { visit } from './visit.js';

const { API_URL = '', API_KEY = '' } = process.env;
client.setConfig({ baseUrl: API_URL, auth: API_KEY });

const { data: tag } = await createTag({ body: { name: 'Clients' } });
const { data: link, error } = await createLink({
  body: { url: 'https://example.com/', key: 'typed', tagIds: [tag?.id ?? ''] },
});
// The answer can also be a 202 with a job.
if (link === undefined || !('shortLink' in link)) throw new Error(error?.error.message);
const status = await visit(link.key);
const { data: code } = await createQrCode({ body: { type: 'url', url: link.shortLink } });
const type = code !== undefined && 'type' in code ? code.type : undefined;
const { data: same } = await retrieveLink({ path: { linkId: link.id } });
const tagNames = (same?.tags ?? []).map(({ name }) => name);

let clicks = 0;
for (const until = Date.now() + 10_000; clicks === 0 && Date.now() < until; ) {
  const { data } = await retrieveAnalytics({ query: { groupBy: 'count', linkId: [link.id] } });
  clicks = (data as AnalyticsCount | undefined)?.clicks ?? 0;
}
const refused = await retrieveLink({ path: { linkId: 'none' } });
const reason = refused.error?.error.code;
console.log(JSON.stringify({ status, type, tagNames, clicks, reason }));
`;

/** Programs that must not compile, since a list of ids is not a number. */
export const MISTAKES = {
  'openapi-fetch': `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
await createClient<paths>().POST('/links', { body: { url: 'https://example.com/', tagIds: 5 } });
`,
  'hey-api': `
import { createLink } from './client/index.js';
await createLink({ body: { url: 'https://example.com/', tagIds: 5 } });
`,
};

/** Uses the client of `clients/typescript`. */
export const OWN_CLIENT = `
import {
  ApiError, connect, createLink, listLinks, paginate, retrieveLink, verifyWebhook, type WebhookEvent,
} from 'shortlinks-client';

const {
  API_URL = '', API_KEY = '', WEBHOOK_SECRET = '', MESSAGE = '', MESSAGE_AT = '', SIGNATURE = '',
} = process.env;
const client = connect({ baseUrl: API_URL, apiKey: API_KEY });

const created: string[] = [];
for (const key of ['a', 'b', 'c', 'd']) {
  const { data: link } = await createLink({ client, body: { url: 'https://example.com/', key } });
  created.push(link.key);
}
const listed: string[] = [];
const query = { sort: 'key', sortOrder: 'asc', pageSize: 1, page: 1 } as const;
for await (const link of paginate(listLinks, { client, query })) listed.push(link.key);

const errorOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(() => undefined, (error: unknown) => error);
const refused = await errorOf(createLink({ client, body: { url: 'no URL' } }));
if (!(refused instanceof ApiError)) throw refused;
const missing = await errorOf(retrieveLink({ client, path: { linkId: 'none' } }));

const headers = {
  'webhook-id': 'msg_1', 'Webhook-Timestamp': MESSAGE_AT, 'webhook-signature': \`v1,AAAA \${SIGNATURE}\`,
};
const event: WebhookEvent = await verifyWebhook({ secret: WEBHOOK_SECRET, headers, body: MESSAGE });
const forged = await errorOf(verifyWebhook({ secret: WEBHOOK_SECRET, headers, body: \`\${MESSAGE} \` }));
const now = (Number(MESSAGE_AT) + 301) * 1000;
const late = await errorOf(verifyWebhook({ secret: WEBHOOK_SECRET, headers, body: MESSAGE, now }));
console.log(
  JSON.stringify({
    created,
    listed,
    refused: {
      name: refused.name,
      status: refused.status,
      code: refused.code,
      hasId: refused.requestId !== undefined,
    },
    missing: missing instanceof ApiError && missing.code,
    event: event.type,
    forged: (forged as Error).name,
    late: (late as Error).name,
  }),
);
`;
