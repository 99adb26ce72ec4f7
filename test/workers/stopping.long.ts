import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { startServers } from '../../scripts/embedded/servers.ts';
import { freePort } from '../../scripts/ports.ts';
import { connectDb } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { Started } from '../support/started.ts';
import { Visitors } from '../support/traffic.ts';
// Starts the servers of the tests.
import '../support/stack.ts';

/* Sends SIGTERM to `npm start` while clients write and visit on busy keep-alive connections. */

const CLIENTS = 16;
const LONGEST_MS = 10_000;

describe('SIGTERM', function () {
  const started = new Started();

  after(() => started.remove());

  it('with busy clients ends every process within 10 s, and returns every completed write', async () => {
    await started.start();
    const clients = new Clients(started.apiPort, started.apiKey);
    const link = await clients.write('visited');
    expect(link).to.equal(201);
    const visitors = new Visitors('stop', [started.redirectPort], ['visited'], 100);
    await eventually(() => expect(clients.answers.size).to.be.greaterThan(100));

    const stoppedAt = Date.now();
    const code = await started.stop();
    const tookMs = Date.now() - stoppedAt;
    clients.stop();
    const { answered, others } = await visitors.stop();
    const statuses = new Map<number, number>();
    for (const status of clients.answers.values()) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    console.log(
      `      ${tookMs} ms; writes: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}; ${answered.size} visits`,
    );
    expect(code, started.output).to.equal(0);
    expect(tookMs, started.output).to.be.lessThan(LONGEST_MS);
    expect([...others]).to.deep.equal([]);
    for (const status of statuses.keys()) expect([0, 201]).to.include(status);
    expect(started.output).not.to.contain('shutdown failed');

    const servers = await startServers({ dataDir: started.dataDir, env: started.env });
    const db = connectDb(servers.databaseUrl, 1, 'test');
    try {
      const rows: { external_id: string }[] = await db('links').select('external_id');
      const there = new Set(rows.map((row) => row.external_id));
      for (const [id, status] of clients.answers) {
        expect(there.has(id), `${id}, answered with ${status}`).to.equal(status === 201);
      }
    } finally {
      await db.destroy();
      await servers.stop();
    }
  });
});

describe('SIGTERM while a worker starts', function () {
  for (const name of ['webhooks', 'writes']) {
    it(`ends worker_${name}, which waits for Redis`, async () => {
      const redisUrl = `redis://127.0.0.1:${await freePort()}`;
      const worker = spawn(process.execPath, ['dist/programs/worker.js', name], {
        env: { ...process.env, REDIS_URL: redisUrl, CACHE_REDIS_URL: redisUrl },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(worker, 'exit');
      for await (const line of createInterface(worker.stdout)) {
        if (line.includes('the connection to Redis failed')) break;
      }
      worker.stdout.resume();
      worker.kill('SIGTERM');
      const isLate = setTimeout(() => worker.kill('SIGKILL'), 20_000);
      expect(await ended).to.deep.equal([0, null]);
      clearTimeout(isLate);
    });
  }
});

/**
 * Clients that create links one after the other on reused connections, until the server stops
 * listening.
 */
class Clients {
  /** Status by external id; 0 stands for a reset connection. */
  readonly answers = new Map<string, number>();
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  readonly #port: number;
  readonly #apiKey: string;
  #stopped = false;

  constructor(port: number, apiKey: string) {
    this.#port = port;
    this.#apiKey = apiKey;
    for (let client = 0; client < CLIENTS; client += 1) void this.#run(client);
  }

  async #run(client: number): Promise<void> {
    for (let n = 0; !this.#stopped; n += 1) {
      const id = `client-${client}-${n}`;
      const status = await this.write(id);
      if (status === undefined) return;
      this.answers.set(id, status);
    }
  }

  /**
   * Creates a link.
   * @returns the status, 0 for a reset connection, or `undefined` for a refused one
   */
  write(id: string): Promise<number | undefined> {
    return new Promise((resolve) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.#port,
          path: '/links',
          method: 'POST',
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#apiKey}`,
            'content-type': 'application/json',
          },
        },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode));
          response.once('error', () => resolve(0));
        },
      );
      outgoing.once('error', (error: NodeJS.ErrnoException) =>
        resolve(error.code === 'ECONNREFUSED' ? undefined : 0),
      );
      outgoing.end(JSON.stringify({ url: 'https://example.com/', key: id, externalId: id }));
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#agent.destroy();
  }
}
