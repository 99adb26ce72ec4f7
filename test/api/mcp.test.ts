import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { db } from '../../src/infra/db.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const EARLIER = '2025-06-18';

/** Result of a tool, as the official client returns it. */
interface Result {
  isError?: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of every shape
  structuredContent?: any;
  content: { type: string; text?: string; data?: string; mimeType?: string }[];
}

const mcpUrl = () => `${stack().apiUrl}/mcp`;

/** Connects the official client, which negotiates the newest revision that it knows. */
async function connect(apiKey: string): Promise<{
  client: Client;
  transport: StreamableHTTPClientTransport;
  call(name: string, values?: Record<string, unknown>): Promise<Result>;
}> {
  const transport = new StreamableHTTPClientTransport(new URL(mcpUrl()), {
    requestInit: { headers: { authorization: `Bearer ${apiKey}` } },
  });
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return {
    client,
    transport,
    call: async (name, values = {}) =>
      (await client.callTool({ name, arguments: values })) as Result,
  };
}

/** Sends a message without the official client. */
function send(
  message: unknown,
  { key, headers = {} }: { key?: string; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(mcpUrl(), {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const callOf = (name: string, values: object = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, arguments: values },
});
const errorIn = ({ content }: Result) =>
  JSON.parse(content[0]!.text!) as { code: string; message: string };

describe('the MCP server', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  async function keyWith(...scopes: string[]): Promise<string> {
    const { slug: workspace } = world;
    return (await createApiKey(db(), { workspace, name: 'agent', scopes })).apiKey;
  }

  it('creates a link and its QR code, and counts clicks by country, in three calls', async () => {
    const { call } = await connect(world.apiKey);
    const { structuredContent: link } = await call('createLink', { url: A, title: 'For agents' });
    expect(link.shortLink).to.contain(world.domain);
    expect(link.qrCode).to.contain('/qr?url=');
    const image = await call('renderQrCode', { url: link.shortLink, format: 'png', size: 300 });
    expect(image.content[0]).to.include({ type: 'image', mimeType: 'image/png' });
    const bytes = Buffer.from(image.content[0]!.data!, 'base64');
    expect(bytes.subarray(1, 4).toString()).to.equal('PNG');
    await world.visit(`/${link.key}`, { userAgent: browser() });
    await eventually(async () => {
      const { structuredContent: clicks } = await call('retrieveAnalytics', {
        linkId: link.id,
        groupBy: 'countries',
        interval: '24h',
      });
      expect(clicks.items).to.have.length(1);
      expect(clicks.items[0].clicks).to.equal(1);
    });
  });

  for (const revision of [LATEST_PROTOCOL_VERSION, EARLIER]) {
    it(`serves every tool in revision ${revision}`, async () => {
      const { client, transport, call } = await connect(world.apiKey);
      expect(client.getServerVersion()).to.include({ name: 'shortlinks' });
      transport.setProtocolVersion(revision);
      const { tools } = await client.listTools();
      expect(tools.length).to.be.within(1, 15);
      const done = new Set<string>();
      const ok = async (name: string, values: Record<string, unknown> = {}) => {
        done.add(name);
        const result = await call(name, values);
        expect(result.isError, `${name}: ${JSON.stringify(result.content)}`).to.equal(undefined);
        return result;
      };
      const record = async (name: string, values?: Record<string, unknown>) =>
        (await ok(name, values)).structuredContent;
      await world.api.post('/tags', { name: `tag ${revision}` });
      const link = await record('createLink', { url: A, tagNames: [`tag ${revision}`] });
      const { key, domain } = link;
      expect((await record('findLink', { domain, key })).id).to.equal(link.id);
      const updated = await record('updateLink', { linkId: link.id, title: 'New', ios: null });
      expect(updated.title).to.equal('New');
      const links = await record('listLinks', { tagNames: [`tag ${revision}`], pageSize: 5 });
      expect(links.items.map(({ id }: { id: string }) => id)).to.deep.equal([link.id]);
      const code = await record('createQrCode', { type: 'text', text: 'Hello' });
      const qrcodeId = code.id;
      expect((await record('updateQrCode', { qrcodeId, title: 'Code' })).title).to.equal('Code');
      const codes = await record('listQrCodes', { type: 'text' });
      expect(codes.items.map(({ id }: { id: string }) => id)).to.include(qrcodeId);
      const svg = await ok('retrieveQrCodeImage', { qrcodeId, format: 'svg' });
      expect(svg.content[0]!.text).to.contain('<svg');
      await ok('renderQrCode', { url: A, format: 'svg' });
      expect(await record('retrieveAnalytics', { linkId: link.id })).to.be.an('object');
      expect((await record('listEvents', { linkId: link.id })).items).to.deep.equal([]);
      expect((await record('listTags', { search: revision })).items).to.have.length(1);
      expect((await record('listDomains')).items[0]).to.include({ slug: world.domain });
      expect(await record('deleteLink', { linkId: link.id })).to.include({ id: link.id });
      expect(await record('deleteQrCode', { qrcodeId })).to.include({ id: qrcodeId });
      expect([...done].toSorted()).to.deep.equal(tools.map(({ name }) => name).toSorted());
    });

    it(`negotiates revision ${revision}`, async () => {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: revision, capabilities: {}, clientInfo };
      const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      const response = await send(message, { key: world.apiKey });
      const { result } = (await response.json()) as { result: Record<string, unknown> };
      expect(result['protocolVersion']).to.equal(revision);
      expect(response.headers.get('mcp-session-id')).to.equal(null);
      const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
      const headers = { 'mcp-protocol-version': revision };
      expect((await send(initialized, { key: world.apiKey, headers })).status).to.equal(202);
      const listed = await send(listTools, { key: world.apiKey, headers });
      expect(listed.status).to.equal(200);
      expect(await listed.json()).to.have.nested.property('result.tools');
    });
  }

  it('describes each tool as the reference describes its operation', async () => {
    const { tools } = await (await connect(world.apiKey)).client.listTools();
    for (const { name, title, annotations, inputSchema } of tools) {
      const route = routes.find(({ operationId }) => operationId === name);
      expect(title, name).to.equal(route?.summary);
      const isRead = route!.method === 'get';
      expect(annotations, name).to.include({
        readOnlyHint: isRead,
        destructiveHint: ['patch', 'put', 'delete'].includes(route!.method),
        idempotentHint: route!.method !== 'post',
      });
      const required = [...route!.path.matchAll(/\{(\w+)\}/g)].map(([, param]) => param);
      expect(inputSchema.required, name).to.include.members(required);
      expect(JSON.stringify(inputSchema), name).not.to.contain('#/components');
    }
    // Agents read the whole list before each task.
    expect(JSON.stringify(tools).length).to.be.lessThan(80_000);
  });

  it('names the field and its rule in the result of a call with bad input', async () => {
    const { call } = await connect(world.apiKey);
    const cases: [string, Record<string, unknown>, string, string][] = [
      ['createLink', { url: 'nothing' }, 'unprocessable_entity', 'url must'],
      ['createLink', {}, 'unprocessable_entity', 'url is required'],
      ['createLink', { url: A, clicks: 1 }, 'unprocessable_entity', 'clicks is not'],
      ['createLink', { url: A, idempotencyKey: '' }, 'unprocessable_entity', 'Idempotency-Key'],
      ['updateLink', { title: 'x' }, 'unprocessable_entity', 'linkId is required'],
      ['updateLink', { linkId: 'link_x', title: {} }, 'unprocessable_entity', 'title must'],
      ['listLinks', { page: 'x' }, 'unprocessable_entity', 'page must'],
      ['listLinks', { constructor: 1 }, 'unprocessable_entity', 'constructor is not'],
      ['listLinks', { search: { a: 1 }, sort: [] }, 'unprocessable_entity', 'sort'],
      ['findLink', { linkId: 'link_none' }, 'not_found', 'link'],
      ['retrieveAnalytics', { groupBy: 'x' }, 'unprocessable_entity', 'groupBy must'],
    ];
    for (const [name, values, code, message] of cases) {
      const result = await call(name, values);
      expect(result.isError, JSON.stringify(values)).to.equal(true);
      expect(errorIn(result).code, JSON.stringify(result.content)).to.equal(code);
      expect(errorIn(result).message).to.contain(message);
    }
    const unknown = await send(callOf('dropTables'), { key: world.apiKey });
    expect(await unknown.json()).to.have.nested.property('error.code', -32_602);
  });

  it('lists no tool beyond the scopes of the key, and refuses calls of these', async () => {
    const key = await keyWith('links.read');
    const { tools } = await (await connect(key)).client.listTools();
    expect(tools.map(({ name }) => name)).to.deep.equal(['listLinks', 'findLink', 'renderQrCode']);
    const response = await send(callOf('createLink', { url: A }), { key });
    expect(response.status).to.equal(403);
    const challenge = response.headers.get('www-authenticate');
    expect(challenge).to.match(
      /^Bearer error="insufficient_scope", scope="links\.read links\.write", /,
    );
    expect(challenge).to.contain('/.well-known/oauth-protected-resource/mcp"');
    const body = (await response.json()) as { id: number };
    expect(body.id).to.equal(7);
    expect(body).to.have.nested.property('error.data.code', 'forbidden');
  });

  it('tells an agent which plan a tool needs', async () => {
    const free = await aWorkspace({ plan: 'free' });
    const result = await (await connect(free.apiKey)).call('retrieveAnalytics');
    expect(result.isError).to.equal(true);
    expect(errorIn(result).message).to.contain('needs the pro plan');
  });

  it('refuses requests without a valid key, cookies too, and says how to get one', async () => {
    const { token } = await aPerson({ in: { ...world, role: 'owner' } });
    const cookie = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
    const wrong = { authorization: 'Bearer wrong' };
    for (const headers of [{}, { ...cookie, 'x-workspace': world.slug }, wrong]) {
      const response = await send(listTools, { headers });
      expect(response.status).to.equal(401);
      const challenge = response.headers.get('www-authenticate')!;
      expect(challenge.includes('error="invalid_token"')).to.equal(headers === wrong);
      const [, url] = /resource_metadata="([^"]+)"/.exec(challenge)!;
      const path = new URL(url!).pathname;
      const metadata = await fetch(stack().apiUrl + path);
      expect(metadata.headers.get('access-control-allow-origin')).to.equal('*');
      const { resource, bearer_methods_supported: methods } = (await metadata.json()) as {
        resource: string;
        bearer_methods_supported: string[];
      };
      expect(new URL(resource).pathname).to.equal('/mcp');
      expect(methods).to.deep.equal(['header']);
      expect(await response.json()).to.have.nested.property('error.data.code', 'unauthorized');
    }
    const root = await fetch(`${stack().apiUrl}/.well-known/oauth-protected-resource`);
    expect(new URL(((await root.json()) as { resource: string }).resource).pathname).to.equal('/');
  });

  it('writes in the name of the key, and repeats a write with its first answer', async () => {
    const { call } = await connect(world.apiKey);
    const values = { url: A, idempotencyKey: 'agent once' };
    const { structuredContent: first } = await call('createLink', values);
    const { structuredContent: second } = await call('createLink', values);
    expect(second.id).to.equal(first.id);
    const other = await call('createLink', { ...values, url: `${A}/other` });
    expect(errorIn(other).code).to.equal('conflict');
    // The key of a request to the API is the same key.
    const options = { headers: { 'idempotency-key': 'agent once' } };
    const { body } = await world.api.post('/links', { url: A }, options);
    expect(body.id).to.equal(first.id);
    const { body: log } = await world.api.get('/audit-log');
    const entries = log.filter(({ target }: { target: { id: string } }) => target.id === first.id);
    expect(entries).to.have.length(1);
    expect(entries[0].action).to.equal('link.create');
    const { apiKeyId, userId } = entries[0].actor;
    const { body: key } = await world.api.get(`/keys/${apiKeyId}`);
    expect(key).to.include({ userId, hint: `${world.apiKey.slice(0, 7)}…`, name: 'first key' });
  });

  it('reads a list to its end by the cursor of each page', async () => {
    const own = await aWorkspace();
    const { call } = await connect(own.apiKey);
    const created: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      created.unshift((await call('createLink', { url: `${A}/${n}` })).structuredContent.id);
    }
    const read: string[] = [];
    let after: string | undefined;
    do {
      const page = await call('listLinks', { pageSize: 1, ...(after && { after }) });
      read.push(...page.structuredContent.items.map(({ id }: { id: string }) => id));
      after = page.structuredContent.nextCursor;
    } while (after !== undefined && read.length < 9);
    expect(read).to.deep.equal(created);
  });

  it('counts requests against the limit of the workspace', async () => {
    const limited = await aWorkspace();
    await limited.set({ requestsPerMinute: 2 });
    const key = limited.apiKey;
    const first = await send(listTools, { key });
    expect(first.headers.get('ratelimit-limit')).to.equal('2');
    expect(first.headers.get('ratelimit-remaining')).to.equal('1');
    expect((await send(callOf('listTags'), { key })).status).to.equal(200);
    const refused = await send(listTools, { key });
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
    expect(await refused.json()).to.have.nested.property('error.data.code', 'rate_limit_exceeded');
  });

  it('reaches no records of another workspace', async () => {
    const others = await aWorkspace();
    const { body: link } = await others.api.post('/links', { url: A, key: 'secret' });
    const { call } = await connect(world.apiKey);
    for (const [name, values] of [
      ['findLink', { linkId: link.id }],
      ['findLink', { domain: others.domain, key: 'secret' }],
      ['updateLink', { linkId: link.id, title: 'x' }],
      ['deleteLink', { linkId: link.id }],
    ] as const) {
      const result = await call(name, values);
      expect(result.isError, name).to.equal(true);
      expect(errorIn(result).code, name).to.equal('not_found');
    }
    expect((await others.api.get(`/links/${link.id}`)).body.title).to.equal(null);
  });

  it('answers other methods with 405, and foreign origins with 403', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
      const response = await fetch(mcpUrl(), { method });
      expect(response.status, method).to.equal(405);
      expect(response.headers.get('allow')).to.equal('OPTIONS, POST');
    }
    const foreign = { origin: 'https://evil.example' };
    const refused = await send(listTools, { key: world.apiKey, headers: foreign });
    expect(refused.status).to.equal(403);
    expect(refused.headers.get('access-control-allow-origin')).to.equal(null);
    const unknown = { 'mcp-protocol-version': '1999-01-01' };
    expect((await send(listTools, { key: world.apiKey, headers: unknown })).status).to.equal(400);
  });

  it('refuses malformed messages, batches and large bodies', async () => {
    const key = world.apiKey;
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`;
    for (const message of ['', '{', 'null', '1', '"text"', '[]', [listTools], {}, deep]) {
      const { status } = await send(message, { key });
      expect(status, JSON.stringify(message)).to.equal(400);
    }
    const large = callOf('createLink', { url: A, comments: 'x'.repeat(1024 * 1024) });
    const refused = await send(large, { key });
    expect(refused.status).to.equal(400);
    expect(await refused.json()).to.have.nested.property('error.code', -32_700);
    const polluted =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"createLink","arguments":{"url":"https://example.com/","__proto__":{"a":1}}}}';
    expect((await send(polluted, { key })).status).to.be.below(500);
  });
});
