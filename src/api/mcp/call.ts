import { Refusal } from '../../errors.ts';
import { answerError } from '../../http/answer-error.ts';
import type { Query } from '../../http/input.ts';
import type { Answer } from '../../http/route.ts';
import type { InnerDependencies } from '../inner-context.ts';
import type { Context, Sent } from '../perform.ts';
import { refusalOf } from '../refusal-of.ts';
import { type DescribedTool, IDEMPOTENCY_KEY } from './schemas.ts';

/** Result of a tool in the form of the Model Context Protocol. */
export interface ToolResult {
  content: (
    | { type: 'text'; text: string }
    | { type: 'image'; data: string; mimeType: string }
    | { type: 'resource'; resource: { uri: string; mimeType: string; blob: string } }
  )[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
  [name: string]: unknown;
}

/**
 * Calls the endpoint of a tool as if the caller had sent the request itself. An error of the
 * endpoint becomes a result, so that the agent reads the field and its rule.
 */
export async function callTool(
  tool: DescribedTool,
  values: Readonly<Record<string, unknown>>,
  context: Context,
  { admission, perform }: Pick<InnerDependencies, 'admission' | 'perform'>,
): Promise<ToolResult> {
  try {
    admission.authorize(tool.route, context.caller);
    return resultOf(await perform(tool.route, sentOf(tool, values), context), tool.name);
  } catch (thrown) {
    const { requestId, log } = context;
    const refusal = refusalOf(thrown);
    if (!(refusal instanceof Refusal)) log.error({ err: thrown, requestId }, 'tool failed');
    const { error } = answerError(refusal, requestId).body;
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(error) }] };
  }
}

/** Distributes the arguments of a tool over the parts of a request. */
function sentOf({ route, places }: DescribedTool, values: Readonly<Record<string, unknown>>): Sent {
  const isKeyed = route.method === 'post';
  const entries = Object.entries(values).filter(
    ([name]) => !places.path.has(name) && !(isKeyed && name === IDEMPOTENCY_KEY),
  );
  const isOfQuery = (name: string) => route.body === undefined || places.query.has(name);
  const query = Object.fromEntries(
    entries.flatMap(([name, value]) =>
      isOfQuery(name) && value !== null ? [[name, queryValue(value)]] : [],
    ),
  ) as Query;
  const body = Object.fromEntries(entries.filter(([name]) => !isOfQuery(name)));
  const params = Object.fromEntries(
    [...places.path].flatMap((name) =>
      Object.hasOwn(values, name) ? [[name, toText(values[name])]] : [],
    ),
  );
  const key = isKeyed ? values[IDEMPOTENCY_KEY] : undefined;
  return {
    params,
    readQuery: () => query,
    readBody: async () => body,
    idempotencyKey: key === undefined || key === null ? undefined : toText(key),
    ifMatch: undefined,
  };
}

/** Converts a value to a parameter of a query, in which every value is a text. */
const queryValue = (value: unknown): string | string[] =>
  Array.isArray(value) ? value.map(toText) : toText(value);

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** Converts the answer of an endpoint; a list becomes the field `items`. */
function resultOf({ body, headers = {} }: Answer, tool: string): ToolResult {
  if (Buffer.isBuffer(body)) return { content: [fileOf(body, headers['Content-Type'], tool)] };
  const cursor = headers['X-Next-Cursor'];
  const structuredContent = {
    ...(Array.isArray(body) ? { items: body as unknown[] } : (body as object | undefined)),
    ...(cursor === undefined ? {} : { nextCursor: cursor }),
  };
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
  };
}

/** Makes the content of a file: agents read SVG as text, and show other images. */
function fileOf(
  bytes: Buffer,
  type: string | string[] | undefined,
  tool: string,
): ToolResult['content'][number] {
  const mimeType = String(type);
  if (mimeType.startsWith('image/svg')) return { type: 'text', text: bytes.toString() };
  const base64 = bytes.toString('base64');
  if (mimeType.startsWith('image/')) return { type: 'image', data: base64, mimeType };
  return { type: 'resource', resource: { uri: `urn:shortlinks:${tool}`, mimeType, blob: base64 } };
}
