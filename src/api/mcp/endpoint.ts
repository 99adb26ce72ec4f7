import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';
import { config } from '../../config.ts';
import { isOfWorkspace } from '../../http/route.ts';
import { VERSION } from '../../infra/version.ts';
import type { Caller } from '../../workspaces/api-keys.ts';
import { includesScope, type Scope } from '../../workspaces/scopes.ts';
import type { InnerDependencies } from '../inner-context.ts';
import type { Context } from '../perform.ts';
import { callTool } from './call.ts';
import { type DescribedTool, describedTools } from './schemas.ts';

/*
 * The part of the MCP server that needs the SDK. It is loaded at the first request, so that the API
 * starts as fast without agents.
 */

/** Instructions that clients give to their model. */
const INSTRUCTIONS =
  'Short links, QR codes and their analytics in one workspace. createLink returns shortLink, and ' +
  'in qrCode the URL of its QR code as an image. createQrCode creates a code that counts its own ' +
  'scans. retrieveAnalytics counts clicks: pass linkId, and groupBy such as countries. Times are ' +
  'ISO 8601. A page of a list that has more has nextCursor: pass it as after (cursor of listEvents).';

/**
 * Returns the scope that a message needs and its caller lacks; `undefined` if it may be processed.
 */
export function missingScope(message: unknown, { scopes }: Caller): Scope | undefined {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: unknown };
  if (method !== 'tools/call') return undefined;
  const { name } = (params ?? {}) as { name?: unknown };
  const scope = describedTools().get(String(name))?.route.scope;
  if (scope === undefined || !isOfWorkspace(scope)) return undefined;
  return includesScope(scopes, scope) ? undefined : scope;
}

/**
 * Answers one JSON-RPC message of a client whose key is valid. Nothing is kept between messages, so
 * that any API process can answer the next one.
 *
 * @param headers headers of the request that the transport checks
 */
export async function answerMessage(
  message: unknown,
  headers: Record<string, string>,
  context: Context,
  dependencies: Pick<InnerDependencies, 'admission' | 'perform'>,
): Promise<Response> {
  const server = makeServer(context, dependencies);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const request = new Request(`${config().BASE_URL}/mcp`, { method: 'POST', headers });
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

function makeServer(
  context: Context,
  dependencies: Pick<InnerDependencies, 'admission' | 'perform'>,
): McpServer {
  const mcp = new McpServer(
    { name: 'shortlinks', title: 'Short links and QR codes', version: VERSION },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      // Endpoints validate arguments; the validator is for answers of clients to questions.
      jsonSchemaValidator: { getValidator: refuseValidation },
    },
  );
  const tools = describedTools();
  mcp.server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].filter((tool) => isUsable(tool, context.caller)).map(toListed),
  }));
  mcp.server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}`);
    }
    return callTool(tool, params.arguments ?? {}, context, dependencies);
  });
  return mcp;
}

function refuseValidation(): never {
  throw new Error('the server requests nothing from clients');
}

const isUsable = ({ route: { scope } }: DescribedTool, { scopes }: Caller): boolean =>
  !isOfWorkspace(scope) || includesScope(scopes, scope);

const toListed = ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: DescribedTool) => ({
  name,
  title,
  description,
  inputSchema,
  ...(outputSchema === undefined ? {} : { outputSchema }),
  annotations: { title, ...annotations },
});
