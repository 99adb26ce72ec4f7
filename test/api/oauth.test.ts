import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { pruneOauth } from '../../src/oauth/prune.ts';
import { allow, CALLBACK, RawApp } from '../support/oauth.ts';
import { aPerson, type Person, signedInClient } from '../support/people.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

/** Sends requests for the public URL of the service to the service of the tests. */
const fetchHere = async (url: string | URL, init?: RequestInit): Promise<Response> =>
  fetch(stack().apiUrl + new URL(url).pathname, init);

/** An agent with the official client, whose person decides through the API. */
class Agent implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:33418/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Test agent',
    redirect_uris: [this.redirectUrl],
  };
  client: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  request: URL | undefined;
  #verifier = '';

  state = () => 'state of the agent';
  clientInformation = () => this.client;
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.client = client;
  }
  tokens = () => this.saved;
  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.request = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier = () => this.#verifier;

  /** Runs the official flow up to its next result. */
  async auth(options: { authorizationCode?: string; scope?: string } = {}): Promise<string> {
    const serverUrl = await mcpUrl();
    return auth(this, { serverUrl, fetchFn: fetchHere as typeof fetch, ...options });
  }
}

async function metadataOf<Metadata>(name: string): Promise<Metadata> {
  const response = await fetch(`${stack().apiUrl}/.well-known/${name}`);
  expect(response.headers.get('access-control-allow-origin')).to.equal('*');
  return (await response.json()) as Metadata;
}

/** Reads the public URL of the MCP server. */
const mcpUrl = async (): Promise<string> =>
  (await metadataOf<{ resource: string }>('oauth-protected-resource/mcp')).resource;

/** Resolves with the status of a message with an access token, and the names of its tools. */
async function toolsOf(token: string): Promise<{ status: number; tools: string[] }> {
  const response = await fetch(`${stack().apiUrl}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  const body = (await response.json()) as { result?: { tools: { name: string }[] } };
  return { status: response.status, tools: (body.result?.tools ?? []).map(({ name }) => name) };
}

describe('the authorization of agents', () => {
  let world: World;
  let owner: Person;

  before(async () => {
    world = await aWorkspace();
    owner = await aPerson({ in: { ...world, role: 'owner' } });
  });

  const readLinks = () => ({ workspace: world.slug, scopes: ['links.read'] });

  /** Resolves with an app and the tokens that the owner gave to it. */
  async function anAllowedApp(consent = readLinks(), person = owner) {
    const app = await RawApp.register({ client_name: 'Raw app' });
    const code = await app.codeFrom(person, consent);
    const { status, body: tokens } = await app.exchange(code);
    expect(status, JSON.stringify(tokens)).to.equal(200);
    return { app, code, tokens };
  }

  it('lets the official client discover, register, ask, exchange, refresh and use tools', async () => {
    const agent = new Agent();
    expect(await agent.auth({ scope: 'links.read tags.read' })).to.equal('REDIRECT');
    const asked = agent.request!;
    expect(asked.pathname).to.equal('/console/authorize');
    const parameters = Object.fromEntries(asked.searchParams);
    const { body: request } = await owner.api.get('/oauth/authorization', parameters);
    expect(request.client.name).to.equal('Test agent');
    expect(request.redirectUri).to.equal(agent.redirectUrl);
    expect(request.scopes).to.deep.equal(['links.read', 'tags.read']);
    const answer = await allow(owner, parameters, readLinks());
    expect(answer.origin + answer.pathname).to.equal(agent.redirectUrl);
    expect(answer.searchParams.get('state')).to.equal('state of the agent');
    expect(`${answer.searchParams.get('iss')}/mcp`).to.equal(await mcpUrl());

    const authorizationCode = answer.searchParams.get('code')!;
    expect(await agent.auth({ authorizationCode })).to.equal('AUTHORIZED');
    const first = agent.saved!;
    expect(first).to.include({ token_type: 'Bearer', expires_in: 3600, scope: 'links.read' });
    const transport = new StreamableHTTPClientTransport(new URL(await mcpUrl()), {
      authProvider: agent,
      fetch: fetchHere as typeof fetch,
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).to.deep.equal(['listLinks', 'findLink', 'renderQrCode']);

    const [key] = (await owner.api.get('/keys')).body;
    expect(key).to.include({ name: 'Test agent', clientId: agent.client!.client_id });
    expect(key).to.include({ userId: owner.userId });
    expect(Date.parse(key.renewableUntil)).to.be.greaterThan(Date.parse(key.expiresAt));

    // The key has expired: the client renews it and repeats the message.
    await db()('api_keys').where({ id: key.id }).update({ expires_at: new Date() });
    await client.callTool({ name: 'listLinks', arguments: {} });
    expect(agent.saved!.access_token).not.to.equal(first.access_token);
    expect(agent.saved!.refresh_token).not.to.equal(first.refresh_token);
    expect((await toolsOf(first.access_token)).status).to.equal(401);
    const [renewed] = (await owner.api.get('/keys')).body;
    expect(renewed.id).to.equal(key.id);
    expect(renewed.hint).not.to.equal(key.hint);
    await client.close();
  });

  it('is described as RFC 8414 and RFC 9728 say', async () => {
    const resource = await metadataOf<Record<string, unknown>>('oauth-protected-resource/mcp');
    const server = await metadataOf<Record<string, string>>('oauth-authorization-server');
    expect(resource['authorization_servers']).to.deep.equal([server['issuer']]);
    expect(resource['scopes_supported']).to.include.members(['links.read', 'links.write']);
    expect(resource['scopes_supported']).not.to.include('keys.write');
    expect(server).to.deep.include({
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    });
    const preflight = await fetch(`${stack().apiUrl}/oauth/token`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.test', 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('*');
    expect(preflight.headers.get('access-control-allow-credentials')).to.equal(null);
  });

  it('is in the audit log: who allowed it, and who revoked it', async () => {
    const { app, tokens } = await anAllowedApp();
    const [key] = (await owner.api.get('/keys')).body;
    const revoked = await app.post('revoke', { token: tokens.access_token });
    expect([revoked.status, revoked.body]).to.deep.equal([200, undefined]);
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    const { body: log } = await owner.api.get('/audit-log', { target: key.id });
    expect(log.map(({ action }: { action: string }) => action)).to.deep.equal([
      'apiKey.revoke',
      'apiKey.authorize',
    ]);
    expect(log[0].actor).to.include({ userId: owner.userId, apiKeyId: key.id });
    expect(log[1].actor).to.include({ userId: owner.userId });
    expect((await app.post('revoke', { token: tokens.access_token })).status).to.equal(200);
  });

  it('revokes by a refresh token too, but no key of another app or of a person', async () => {
    const { app, tokens } = await anAllowedApp();
    const other = await RawApp.register();
    for (const token of [tokens.access_token, tokens.refresh_token, world.apiKey, 'unknown']) {
      expect((await other.post('revoke', { token })).status).to.equal(200);
    }
    expect((await app.post('revoke', { token: world.apiKey })).status).to.equal(200);
    expect((await world.api.get('/links')).status).to.equal(200);
    expect((await toolsOf(tokens.access_token)).status).to.equal(200);
    await app.post('revoke', { token: tokens.refresh_token });
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    expect((await app.post('revoke', {})).body.error).to.equal('invalid_request');
  });

  it('writes in the name of the key', async () => {
    const consent = { workspace: world.slug, scopes: ['links.write'] };
    const { tokens } = await anAllowedApp(consent);
    const transport = new StreamableHTTPClientTransport(new URL(`${stack().apiUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${tokens.access_token}` } },
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport as Parameters<Client['connect']>[0]);
    const made = await client.callTool({ name: 'createLink', arguments: { url: A } });
    await client.close();
    const { id } = made.structuredContent as { id: string };
    const [key] = (await owner.api.get('/keys')).body;
    const [entry] = (await owner.api.get('/audit-log', { target: id })).body;
    expect(entry.action).to.equal('link.create');
    expect(entry.actor).to.include({ userId: owner.userId, apiKeyId: key.id });
  });

  it('ends when its key is revoked in the console, and the key cannot be rotated there', async () => {
    const { app, tokens } = await anAllowedApp();
    const [key] = (await owner.api.get('/keys')).body;
    expect((await owner.api.post(`/keys/${key.id}/rotate`)).status).to.equal(409);
    expect((await owner.api.delete(`/keys/${key.id}`)).status).to.equal(200);
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    const refreshed = await app.refresh(tokens.refresh_token);
    expect([refreshed.status, refreshed.body.error]).to.deep.equal([400, 'invalid_grant']);
  });

  it('keeps scopes that an owner takes from the key when it is renewed', async () => {
    const scopes = ['links.read', 'tags.read'];
    const { app, tokens } = await anAllowedApp({ workspace: world.slug, scopes });
    const [key] = (await owner.api.get('/keys')).body;
    await owner.api.patch(`/keys/${key.id}`, { scopes: ['tags.read'] });
    const { body } = await app.refresh(tokens.refresh_token);
    expect(body.scope).to.equal('tags.read');
    expect((await toolsOf(body.access_token)).tools).to.deep.equal(['renderQrCode', 'listTags']);
  });

  it('ends when the person loses the role, or their account is disabled', async () => {
    const writer = await aPerson({ in: { ...world, role: 'member' } });
    const consent = { workspace: world.slug, scopes: ['links.write'] };
    const { app, tokens } = await anAllowedApp(consent, writer);
    const late = await app.codeFrom(writer, consent);
    await owner.api.patch(`/members/${writer.userId}`, { role: 'viewer' });
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    expect((await app.refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant');
    expect((await app.exchange(late)).body.error).to.equal('invalid_grant');

    const disabled = await aPerson({ in: { ...world, role: 'member' } });
    const second = await anAllowedApp(readLinks(), disabled);
    await db()('users').where({ id: disabled.userId }).update({ disabled_at: new Date() });
    const refused = await second.app.refresh(second.tokens.refresh_token);
    expect(refused.body.error).to.equal('invalid_grant');
  });

  it('revokes what a code gave when the code is sent again', async () => {
    const { app, code, tokens } = await anAllowedApp();
    // Whoever lacks the verifier cannot end the access.
    const stranger = await app.exchange(code, { code_verifier: 'v'.repeat(43) });
    expect(stranger.body.error).to.equal('invalid_grant');
    expect((await toolsOf(tokens.access_token)).status).to.equal(200);
    const { status, body } = await app.exchange(code);
    expect([status, body.error]).to.deep.equal([400, 'invalid_grant']);
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    expect((await app.refresh(tokens.refresh_token)).body.error).to.equal('invalid_grant');
    const [last] = (await owner.api.get('/audit-log', { target: 'apiKey' })).body;
    expect(last.action).to.equal('apiKey.revoke');
  });

  it('exchanges a code once, of two requests at the same time too', async () => {
    const app = await RawApp.register();
    const code = await app.codeFrom(owner, readLinks());
    const answers = await Promise.all([app.exchange(code), app.exchange(code)]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 400]);
    const { access_token: token } = answers.find(({ status }) => status === 200)!.body;
    expect((await toolsOf(token)).status).to.equal(401);
  });

  it('revokes the access when a replaced refresh token is sent', async () => {
    const { app, tokens } = await anAllowedApp();
    const { body: next } = await app.refresh(tokens.refresh_token);
    expect((await toolsOf(next.access_token)).status).to.equal(200);
    const reused = await app.refresh(tokens.refresh_token);
    expect([reused.status, reused.body.error]).to.deep.equal([400, 'invalid_grant']);
    expect((await toolsOf(next.access_token)).status).to.equal(401);
    expect((await app.refresh(next.refresh_token)).body.error).to.equal('invalid_grant');
  });

  it('refuses codes and refresh tokens that have expired', async () => {
    const app = await RawApp.register();
    const code = await app.codeFrom(owner, readLinks());
    const grants = db()('oauth_grants').where({ client_id: app.id });
    const [row] = await grants.clone().select('expires_at', 'created_at', 'code_hash');
    expect(row.expires_at - row.created_at).to.be.within(58_000, 62_000);
    expect(row.code_hash).not.to.contain(code);
    await grants.clone().update({ expires_at: new Date() });
    expect((await app.exchange(code)).body.error).to.equal('invalid_grant');

    const allowed = await anAllowedApp();
    const { id } = allowed.app;
    await db()('oauth_grants').where({ client_id: id }).update({ expires_at: new Date() });
    const refused = await allowed.app.refresh(allowed.tokens.refresh_token);
    expect(refused.body.error).to.equal('invalid_grant');
  });

  it('refuses wrong requests for tokens', async () => {
    const { app, tokens } = await anAllowedApp();
    const code = await app.codeFrom(owner, readLinks());
    const other = await RawApp.register();
    const cases: [Promise<{ status: number; body: { error: string } }>, string][] = [
      [app.exchange(code, { code_verifier: 'x'.repeat(43) }), 'invalid_grant'],
      [app.exchange(code, { code_verifier: '' }), 'invalid_request'],
      [app.exchange(code, { redirect_uri: 'https://app.test/other' }), 'invalid_grant'],
      [app.exchange(code, { resource: 'https://other.test/mcp' }), 'invalid_target'],
      [app.exchange(code, { client_id: other.id }), 'invalid_grant'],
      [app.exchange(code, { client_id: 'app_unknown' }), 'invalid_client'],
      [app.exchange(code, { client_id: '' }), 'invalid_request'],
      [app.exchange('unknown'), 'invalid_grant'],
      [app.exchange('\0'), 'invalid_grant'],
      [app.exchange(code, { grant_type: 'password' }), 'unsupported_grant_type'],
      [app.refresh(tokens.refresh_token, { client_id: other.id }), 'invalid_grant'],
      [app.refresh(tokens.refresh_token, { scope: 'links.write' }), 'invalid_scope'],
      [app.refresh(`rt_${'a'.repeat(86)}`), 'invalid_grant'],
      [app.refresh(''), 'invalid_request'],
      [app.post('token', {}), 'unsupported_grant_type'],
    ];
    for (const [at, [answer, error]] of cases.entries()) {
      const { status, body } = await answer;
      expect([status, body.error], String(at)).to.deep.equal([400, error]);
    }
    // None of them has used the code or the token.
    expect((await app.exchange(code)).status).to.equal(200);
    expect((await app.refresh(tokens.refresh_token)).status).to.equal(200);
  });

  it('tells the app of a request that cannot be allowed, with its state', async () => {
    const app = await RawApp.register();
    const cases: [Record<string, string>, string][] = [
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: '' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ code_challenge: 'a b' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ resource: 'https://other.test/mcp' }, 'invalid_target'],
      [{ resource: stack().apiUrl }, 'invalid_target'],
      [{ scope: 'keys.write unknown' }, 'invalid_scope'],
    ];
    for (const [others, error] of cases) {
      const parameters = app.parameters(others);
      const { status, body } = await owner.api.get('/oauth/authorization', parameters);
      expect(status, error).to.equal(200);
      expect(body.error).to.be.a('string');
      const url = new URL(body.refusalUrl);
      expect(url.origin, error).to.equal('https://app.test');
      expect(Object.fromEntries(url.searchParams)).to.include({
        error,
        state: 'state of the app',
        tenant: '1',
      });
      const refused = await owner.api.post('/oauth/authorization', { parameters, ...readLinks() });
      expect(refused.status, error).to.equal(422);
    }
    const { body } = await owner.api.get('/oauth/authorization', app.parameters());
    expect(body.error).to.equal(null);
    expect(new URL(body.refusalUrl).searchParams.get('error')).to.equal('access_denied');
  });

  it('sends nobody to a URL that the app has not registered', async () => {
    const redirect_uris = [CALLBACK, 'http://127.0.0.1:8000/cb', 'com.example.app:/cb'];
    const app = await RawApp.register({ redirect_uris });
    const at = (redirect_uri: string) =>
      owner.api.get('/oauth/authorization', app.parameters({ redirect_uri }));
    for (const uri of [
      'https://evil.test/callback?tenant=1',
      'https://app.test/callback',
      'https://app.test/callback?tenant=1#a',
      'https://app.test:444/callback?tenant=1',
      'https://app.test@evil.test/callback?tenant=1',
      'http://app.test/callback?tenant=1',
      'http://localhost:8000/cb',
      'http://127.0.0.1:8000/cb/../other',
      'http://127.0.0.1:8000/cb?a=1',
      'http://a@127.0.0.1:8000/cb',
      'http://127.0.0.1.evil.test/cb',
      'https://127.0.0.1:8000/cb',
      'com.example.app:/other',
      'javascript:alert(1)',
      '//evil.test',
    ]) {
      const { status, body } = await at(uri);
      expect(status, uri).to.equal(422);
      expect(body.error.message).to.contain('redirect_uri must be one of');
    }
    expect((await at('')).status).to.equal(422);
    // Programs choose the port when they start.
    for (const uri of ['http://127.0.0.1:51004/cb', 'com.example.app:/cb']) {
      expect((await at(uri)).status, uri).to.equal(200);
      const url = await allow(owner, app.parameters({ redirect_uri: uri }), readLinks());
      expect(url.href.split('?')[0]).to.equal(uri);
      expect(url.searchParams.get('code')).to.have.length(43);
    }
    const unknown = app.parameters({ client_id: 'app_unknown' });
    expect((await owner.api.get('/oauth/authorization', unknown)).status).to.equal(404);
    const denied = await owner.api.post('/oauth/authorization', {
      parameters: unknown,
      ...readLinks(),
    });
    expect(denied.status).to.equal(404);
  });

  it('gives no more than the person has and the app asks for', async () => {
    const app = await RawApp.register();
    const viewer = await aPerson({ in: { ...world, role: 'viewer' } });
    const others = await aWorkspace();
    const parameters = app.parameters({ scope: 'links.read links.write' });
    const consents: [Person, object, number, string][] = [
      [viewer, { workspace: world.slug, scopes: ['links.write'] }, 403, 'these rights'],
      [owner, { workspace: world.slug, scopes: ['tags.read'] }, 422, 'scopes must not contain'],
      [owner, { workspace: world.slug, scopes: ['*'] }, 422, 'scopes'],
      [owner, { workspace: world.slug, scopes: [] }, 422, 'scopes'],
      [owner, { workspace: world.slug }, 422, 'scopes is required'],
      [owner, { workspace: others.slug, scopes: ['links.read'] }, 403, 'workspace must be'],
      [owner, { workspace: 'nowhere', scopes: ['links.read'] }, 403, 'workspace must be'],
    ];
    for (const [{ api }, consent, status, message] of consents) {
      const refused = await api.post('/oauth/authorization', { parameters, ...consent });
      expect(refused.status, JSON.stringify(refused.body)).to.equal(status);
      expect(refused.body.error.message).to.contain(message);
    }
    const consent = { workspace: world.slug, scopes: ['links.read'] };
    expect(await app.codeFrom(viewer, consent, { scope: 'links.write' })).to.have.length(43);
  });

  it('is decided by a signed-in person on the page of the console only', async () => {
    const app = await RawApp.register();
    const body = { parameters: app.parameters(), ...readLinks() };
    expect((await world.api.post('/oauth/authorization', body)).status).to.equal(403);
    expect((await world.api.get('/oauth/authorization', app.parameters())).status).to.equal(403);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const headers = { 'sec-fetch-site': site };
      const forged = await signedInClient(owner.token).post('/oauth/authorization', body, {
        headers,
      });
      expect(forged.status, site).to.equal(403);
    }
    const page = await fetch(`${stack().apiUrl}/console/authorize`);
    expect(page.headers.get('content-security-policy')).to.contain("frame-ancestors 'none'");
  });

  it('reaches no other workspace of the person', async () => {
    const others = await aWorkspace();
    await db()('workspace_users').insert({
      project_id: others.projectId,
      user_id: owner.userId,
      role: 'owner',
    });
    const { body: link } = await others.api.post('/links', { url: A });
    const { tokens } = await anAllowedApp();
    const headers = { authorization: `Bearer ${tokens.access_token}`, 'x-workspace': others.slug };
    const read = await fetch(`${stack().apiUrl}/links/${link.id}`, { headers });
    expect(read.status).to.equal(404);
    const keys = (await others.api.get('/keys')).body as { clientId: string | null }[];
    expect(keys.filter(({ clientId }) => clientId !== null)).to.deep.equal([]);
  });

  it('registers apps with a name and URLs that are safe to show and to open', async () => {
    const app = new RawApp();
    const { status, body } = await app.tryRegister({
      client_name: ' Agent \u202eevil\u0007 ',
      redirect_uris: ['http://localhost/cb', 'http://[::1]:9/cb', 'cursor://a.b/callback'],
      token_endpoint_auth_method: 'client_secret_post',
      logo_uri: 'https://evil.test/logo.png',
      scope: 'links.read',
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({ client_name: 'Agent evil', token_endpoint_auth_method: 'none' });
    expect(body).not.to.have.any.keys('client_secret', 'logo_uri');
    const nameless = await new RawApp().tryRegister({ redirect_uris: [CALLBACK] });
    expect(nameless.body.client_name).to.equal('app.test');
  });

  it('refuses registrations with wrong metadata', async () => {
    const uris = (...redirect_uris: unknown[]) => ({ redirect_uris });
    const cases: [unknown, string][] = [
      [{}, 'invalid_redirect_uri'],
      [null, 'invalid_redirect_uri'],
      [{ redirect_uris: CALLBACK }, 'invalid_redirect_uri'],
      [uris(), 'invalid_redirect_uri'],
      [uris(...Array.from({ length: 11 }, () => CALLBACK)), 'invalid_redirect_uri'],
      ...[
        7,
        'javascript:alert(1)',
        'data:text/html,a',
        'http://app.test/cb',
        'http://127.0.0.1.evil.test/cb',
        'https://app.test/cb#a',
        'https://a:b@app.test/cb',
        'https://app.test/c b',
        'https://app.test\\@evil.test/',
        'file:///etc/passwd',
        'myapp:/cb',
        '/cb',
        `https://app.test/${'a'.repeat(2_000)}`,
      ].map((uri): [unknown, string] => [uris(uri), 'invalid_redirect_uri']),
      [{ ...uris(CALLBACK), client_name: 7 }, 'invalid_client_metadata'],
      [{ ...uris(CALLBACK), client_name: 'a'.repeat(101) }, 'invalid_client_metadata'],
      [{ ...uris(CALLBACK), client_name: 'a\0' }, 'invalid_client_metadata'],
      [{ ...uris(CALLBACK), grant_types: ['implicit'] }, 'invalid_client_metadata'],
      [{ ...uris(CALLBACK), response_types: 'code' }, 'invalid_client_metadata'],
    ];
    for (const [metadata, error] of cases) {
      const { status, body } = await new RawApp().tryRegister(metadata);
      expect([status, body.error], JSON.stringify(metadata)).to.deep.equal([400, error]);
      expect(body.error_description).to.be.a('string');
    }
  });

  it('limits the registrations of a network', async () => {
    const app = new RawApp();
    const metadata = { redirect_uris: [CALLBACK] };
    for (let count = 0; count < 10; count += 1) {
      expect((await app.tryRegister(metadata)).status).to.equal(201);
    }
    const refused = await app.tryRegister(metadata);
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'temporarily_unavailable']);
    expect(refused.headers.get('retry-after')).to.match(/^\d+$/);
  });

  it('has room for new apps when many are registered that nobody allows', async () => {
    await db().raw(
      `INSERT INTO oauth_clients (id, name, redirect_uris, created_at)
       SELECT 'app_many_' || n, 'Many', '{}', now() - make_interval(hours => 1, secs => n)
         FROM generate_series(1, 10000) n`,
    );
    const many = () => db()('oauth_clients').whereLike('id', 'app_many_%');
    const app = await RawApp.register();
    expect(await many().where({ id: 'app_many_10000' })).to.deep.equal([]);
    expect(await many().where({ id: 'app_many_1' })).to.have.length(1);
    expect(await db()('oauth_clients').where({ id: app.id })).to.have.length(1);
    await many().delete();
  });

  it('forgets apps that nobody allowed, and ended grants with their keys', async () => {
    const unused = await RawApp.register();
    const recent = await RawApp.register();
    const { app, tokens } = await anAllowedApp();
    const old = new Date(Date.now() - 25 * 3_600_000);
    await db()('oauth_clients').whereIn('id', [unused.id, app.id]).update({ created_at: old });
    const ofApp = () => db()('oauth_grants').where({ client_id: app.id });
    await pruneOauth();
    expect((await toolsOf(tokens.access_token)).status).to.equal(200);
    await ofApp().update({ expires_at: old });
    await pruneOauth();
    expect(await ofApp()).to.deep.equal([]);
    expect((await toolsOf(tokens.access_token)).status).to.equal(401);
    const left = await db()('oauth_clients').whereIn('id', [unused.id, recent.id, app.id]);
    expect(left.map(({ id }) => id)).to.have.members([recent.id, app.id]);
  });
});
