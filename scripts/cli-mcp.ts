import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { config } from '../src/config.ts';
import { type Command, type Options, secretOf, text, UsageError } from './cli-options.ts';

/** Error code of JSON-RPC for errors outside of the protocol. */
const SERVER_ERROR = -32_000;
/** Time limit of a message, in ms. */
const TIMEOUT_MS = 120_000;

/** The command that serves the tools of the MCP server to an agent of this machine. */
export const MCP_COMMANDS: Record<string, Command> = {
  mcp: {
    summary: 'Serve the tools of the service to an agent on this machine (MCP over stdio)',
    usage: '[--url https://api.example.com] [--key-file key.txt]',
    standsAlone: true,
    ownsOutput: true,
    async run(options, log) {
      const { url, key } = targetOf(options);
      await serve(new Bridge(url, key, log));
      return {};
    },
  },
};

/** Reads the MCP server and the key from the options, or from `API_URL` and `API_KEY`. */
function targetOf(options: Options): { url: string; key: string } {
  const { API_URL, API_KEY } = process.env;
  const base = text(options, 'url') ?? (API_URL || config().BASE_URL);
  const parsed = URL.parse(base);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UsageError('--url or API_URL must be an http or https URL');
  }
  const key = secretOf(options, 'key-file') ?? API_KEY;
  if (key === undefined || key === '') throw new UsageError('--key-file or API_KEY is required');
  // A header cannot have other characters.
  if (!/^[!-~]+$/.test(key)) throw new UsageError('--key-file or API_KEY must be an API key');
  return { url: `${base.replace(/\/$/, '')}/mcp`, key };
}

/** Forwards each message of an agent to the MCP server of the service, which keeps no state. */
class Bridge {
  readonly #url: string;
  readonly #key: string;
  readonly #log: (line: string) => void;
  /** Revision that the server has chosen; later messages name it. */
  #revision: string | undefined;

  constructor(url: string, key: string, log: (line: string) => void) {
    this.#url = url;
    this.#key = key;
    this.#log = log;
  }

  /** Returns the answer to a message; `undefined` for one that needs none. */
  async forward(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    try {
      const answer = await this.#send(message);
      if (id === undefined) return undefined;
      if (answer === undefined) throw new Error('the answer is empty');
      const { result } = answer as { result?: { protocolVersion?: string } };
      this.#revision ??= result?.protocolVersion;
      // The server does not know the id of a message that it refuses unread.
      return { ...answer, id };
    } catch (error) {
      const { message: why } = error as Error;
      this.#log(`${this.#url} does not answer: ${why}`);
      return id === undefined ? undefined : failed(id, `${this.#url} does not answer: ${why}`);
    }
  }

  async #send(message: JSONRPCMessage): Promise<(JSONRPCMessage & { id: RequestId }) | undefined> {
    const response = await fetch(this.#url, {
      method: 'POST',
      // The key is for this service only.
      redirect: 'error',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${this.#key}`,
        ...(this.#revision === undefined ? {} : { 'mcp-protocol-version': this.#revision }),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const body = await response.text();
    return body === '' ? undefined : (JSON.parse(body) as JSONRPCMessage & { id: RequestId });
  }
}

const failed = (id: RequestId, message: string): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: SERVER_ERROR, message },
});

/** Answers the messages of standard input until it ends. */
async function serve(bridge: Bridge): Promise<void> {
  const transport = new StdioServerTransport();
  const open = new Set<Promise<void>>();
  // oxlint-disable-next-line prefer-add-event-listener -- a transport is no event target
  transport.onmessage = (message) => {
    const answering = bridge.forward(message).then(async (answer) => {
      if (answer !== undefined) await transport.send(answer);
    });
    open.add(answering);
    void answering.finally(() => open.delete(answering));
  };
  const ended = new Promise((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
  });
  await transport.start();
  await ended;
  await Promise.all(open);
}
