import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';
import { type Project, projectWithClient } from './own-client.ts';
import { OWN_CLIENT } from './programs.ts';

const run = promisify(execFile);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Faults of the connection, by the number of the POST that meets them. */
const FAULTS: Record<number, 'answer lost' | 'refused' | 'performed later'> = {
  1: 'answer lost',
  3: 'refused',
  5: 'performed later',
};

/** Passes requests on to the API, some of them with faults. */
class FaultyProxy {
  readonly #server: Server = createServer((incoming, answer) => this.#pass(incoming, answer));
  /** `Idempotency-Key` of each POST. */
  readonly keys: (string | undefined)[] = [];

  async start(): Promise<string> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { method, headers, url } = incoming;
    if (method === 'POST') this.keys.push(headers['idempotency-key'] as string | undefined);
    const fault = method === 'POST' ? FAULTS[this.keys.length] : undefined;
    if (fault === 'refused') {
      incoming.resume();
      answer.writeHead(429, { 'Retry-After': '0' }).end('{}');
      return;
    }
    const prefer = fault === 'performed later' ? { prefer: 'respond-async' } : {};
    const outgoing = request(
      stack().apiUrl + url!,
      { method, headers: { ...headers, ...prefer } },
      (response) => {
        if (fault === 'answer lost') {
          response.resume().once('end', () => incoming.socket.destroy());
          return;
        }
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
      },
    );
    incoming.pipe(outgoing);
  }
}

const versionIn = (of: string) =>
  (JSON.parse(readFileSync(path.join(of, 'package.json'), 'utf8')) as { version: string }).version;

describe('the TypeScript client', () => {
  const proxy = new FaultyProxy();
  let project: Project;

  before(async () => {
    project = await projectWithClient({ 'program.ts': OWN_CLIENT });
  });
  after(() => {
    proxy.stop();
    project.remove();
  });

  it('has the version of the service', () => {
    expect(versionIn('clients/typescript')).to.equal(versionIn('.'));
  });

  it('creates each link once over a faulty connection, lists all, and verifies webhooks', async () => {
    const { apiKey, api } = await aWorkspace();
    const body = JSON.stringify({ type: 'link.created', timestamp: '2026-01-01', data: {} });
    const at = new Date();
    const { stdout } = await run(process.execPath, ['dist/program.js'], {
      cwd: project.folder,
      env: {
        ...process.env,
        API_URL: await proxy.start(),
        API_KEY: apiKey,
        WEBHOOK_SECRET: SECRET,
        MESSAGE: body,
        MESSAGE_AT: String(Math.floor(at.getTime() / 1000)),
        SIGNATURE: new Webhook(SECRET).sign('msg_1', at, body),
      },
    });
    expect(JSON.parse(stdout)).to.deep.equal({
      created: ['a', 'b', 'c', 'd'],
      listed: ['a', 'b', 'c', 'd'],
      refused: { name: 'ApiError', status: 422, code: 'unprocessable_entity', hasId: true },
      missing: 'not_found',
      event: 'link.created',
      forged: 'WebhookError',
      late: 'WebhookError',
    });
    const { body: count } = await api.get('/links/count');
    expect(count).to.equal(4);
    const [first, again, other, repeated] = proxy.keys;
    expect(first).to.match(/^[0-9a-f-]{36}$/);
    expect(again).to.equal(first);
    expect(repeated).to.equal(other).and.not.to.equal(first);
  });
});
