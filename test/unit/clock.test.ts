import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { Timeout, within } from '../../src/infra/clock.ts';

describe('a time limit', () => {
  it('rejects when the work takes longer', async () => {
    const never = new Promise<never>(() => {});
    const error = await within(1, never, 'the work').catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Timeout);
    expect(error).to.have.property('message', 'the work took longer than 1 ms');
  });

  it('accepts input that arrived in time and was not read, since the event loop was busy', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const client = connect(port, '127.0.0.1');
    const [[socket]] = await Promise.all([once(server, 'connection'), once(client, 'connect')]);
    try {
      const received = once(socket, 'data');
      client.write('here');
      const result = within(1, received, 'the work');
      const busyUntil = performance.now() + 50;
      while (performance.now() < busyUntil);
      expect(String((await result)[0])).to.equal('here');
    } finally {
      client.destroy();
      server.close();
    }
  });
});
