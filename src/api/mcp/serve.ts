import type { Express, Request, Response } from 'express';
import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import { answerError } from '../../http/answer-error.ts';
import { MEBIBYTE, readBody } from '../../http/input.ts';
import { networkOf } from '../../infra/network.ts';
import { issuer } from '../../oauth/authorization.ts';
import { SCOPES, type Scope } from '../../workspaces/scopes.ts';
import type { ErrorAnswer } from '../compat.ts';
import { allowOrigin, serveOptions } from '../cors.ts';
import { type InnerDependencies, innerContext } from '../inner-context.ts';
import { toolScopes } from '../routes.ts';

/** Path of the MCP server. */
const PATH = '/mcp';
/** Path of the metadata of protected resources (RFC 9728, 3). */
const METADATA = '/.well-known/oauth-protected-resource';
/** Methods that the path answers. */
const ALLOW = 'OPTIONS, POST';

/** Error codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/**
 * Serves the tools of the Model Context Protocol at `/mcp` (transport: Streamable HTTP without
 * sessions), and the metadata by which clients learn how to authenticate.
 */
export function serveMcp(app: Express, dependencies: InnerDependencies): void {
  app.get([METADATA, METADATA + PATH], (request, response) => {
    response.locals['route'] = METADATA;
    allowOrigin(request, response, true);
    response.json(metadataOf(request.path.slice(METADATA.length)));
  });
  app.post(PATH, handle(dependencies));
  serveOptions(app, [{ method: 'post', path: PATH, scope: 'links.read' }]);
  app.all(PATH, (request, response) => {
    response.locals['route'] = PATH;
    const message = `${PATH} accepts POST only: there are no sessions and no streams`;
    response.set('Allow', ALLOW).status(405);
    response.json(request.method === 'HEAD' ? undefined : errorBody(null, SERVER_ERROR, message));
  });
}

/** @param path path of the resource below BASE_URL: empty for the API, or that of the MCP server */
const metadataOf = (path: string) => ({
  resource: config().BASE_URL + path,
  resource_name: 'Short links and QR codes',
  resource_documentation: `${config().DOCS_URL}/mcp`,
  bearer_methods_supported: ['header'],
  ...(path === PATH
    ? { authorization_servers: [issuer()], scopes_supported: toolScopes() }
    : { scopes_supported: SCOPES }),
});

function handle(dependencies: InnerDependencies) {
  const { admission, queues } = dependencies;
  return async (request: Request, response: Response) => {
    response.locals['route'] = PATH;
    response.locals['errors'] = errorsOf(request);
    refuseForeignOrigin(request);
    const caller = await admission.admitKey(
      { scope: undefined },
      queues,
      {
        authorization: request.get('authorization'),
        network: networkOf(request.ip ?? ''),
      },
      response,
    );
    const message = await readBody(request, MEBIBYTE);
    if (Array.isArray(message)) {
      throw new Refusal('bad_request', 'The body must be one JSON-RPC message, not a batch');
    }
    const { answerMessage, missingScope } = await import('./endpoint.ts');
    const scope = missingScope(message, caller);
    if (scope !== undefined) {
      // With the scopes that it has, so that a client that asks for these loses none.
      const scopes = toolScopes().filter((one) => one === scope || caller.scopes.includes(one));
      response.locals['errors'] = errorsOf(request, { id: idOf(message), scopes });
      admission.authorize({ scope }, caller);
    }
    const context = innerContext(caller, { request, response }, dependencies);
    const answer = await answerMessage(message, headersOf(request), context, dependencies);
    response.status(answer.status);
    for (const [name, value] of answer.headers) response.set(name, value);
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
}

/** Headers that the transport checks. */
const headersOf = (request: Request): Record<string, string> =>
  Object.fromEntries(
    ['accept', 'content-type', 'mcp-protocol-version'].flatMap((name) => {
      const value = request.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * Refuses browsers on pages of other sites, as the protocol requires against DNS rebinding.
 *
 * @throws Refusal `forbidden`
 */
function refuseForeignOrigin(request: Request): void {
  const origin = request.get('origin');
  const { BASE_URL, CORS_ORIGINS } = config();
  if (origin === undefined || origin === new URL(BASE_URL).origin) return;
  if (CORS_ORIGINS.includes(origin)) return;
  throw new Refusal('forbidden', 'Pages of this Origin may not use the MCP server: CORS_ORIGINS');
}

/** Returns the id of a request; `null` for anything else. */
function idOf(message: unknown): string | number | null {
  const { id } = message as { id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** Converts errors before a message is processed to JSON-RPC, with the challenge of RFC 6750. */
function errorsOf(
  request: Request,
  { id = null, scopes }: { id?: string | number | null; scopes?: readonly Scope[] } = {},
): ErrorAnswer {
  return (thrown, requestId) => {
    const { status, body } = answerError(thrown, requestId);
    const { code, message, doc_url } = body.error;
    const number = code === 'bad_request' ? PARSE_ERROR : SERVER_ERROR;
    const challenge = [
      ...(status === 401 && request.get('authorization') !== undefined
        ? ['error="invalid_token"']
        : []),
      ...(scopes === undefined
        ? []
        : ['error="insufficient_scope"', `scope="${scopes.join(' ')}"`]),
      `resource_metadata="${config().BASE_URL}${METADATA}${PATH}"`,
    ];
    const isChallenged = status === 401 || scopes !== undefined;
    return {
      status,
      body: errorBody(id, number, message, { code, doc_url }),
      headers: isChallenged ? { 'WWW-Authenticate': `Bearer ${challenge.join(', ')}` } : {},
    };
  };
}

const errorBody = (
  id: string | number | null,
  code: number,
  message: string,
  data?: Record<string, string>,
) => ({ jsonrpc: '2.0', id, error: { code, message, data } });
