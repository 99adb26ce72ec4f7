import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { queueRedis } from '../../src/infra/redis.ts';
import { NOTES } from '../../src/queues/all-queued.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Number of kills, and of links that are created at the same time before each. */
const KILLS = 4;
const LINKS = 8;

describe('agents while the API is killed again and again', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  // For five minutes, a killed process may still have accepted what later refunds wait for. Living
  // ones write their entries again.
  after(() => queueRedis().del(NOTES));

  /** Creates a link by a new connection of the official client. @returns its id */
  async function createLink(n: number): Promise<string> {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(new URL(`${stack().apiUrl}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${world.apiKey}` } },
    });
    try {
      await client.connect(transport as Parameters<Client['connect']>[0]);
      const { structuredContent } = await client.callTool({
        name: 'createLink',
        arguments: { url: `https://example.com/${n}`, idempotencyKey: `agent-${n}` },
      });
      const { id } = structuredContent as { id: string };
      expect(id).to.match(/^link_/);
      return id;
    } finally {
      await client.close();
    }
  }

  it('have every link that was answered, and none twice', async () => {
    const ids: string[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const creating = Array.from({ length: LINKS }, (_, n) =>
        eventually(() => createLink(kill * LINKS + n)),
      );
      // The kill happens at a random moment of the requests.
      await delay(Math.random() * 100);
      await eventually(() => stack().signal('api', 'SIGKILL'));
      ids.push(...(await Promise.all(creating)));
    }
    await eventually(async () => {
      const { status, body } = await world.api.get('/links', { pageSize: '100' });
      expect(status).to.equal(200);
      expect((body as { id: string }[]).map(({ id }) => id)).to.have.members(ids);
    });
    expect(new Set(ids)).to.have.property('size', KILLS * LINKS);
  });
});
