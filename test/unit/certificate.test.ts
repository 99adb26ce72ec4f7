import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { certificateEnd } from '../../src/infra/certificate.ts';

describe('the end of a certificate', () => {
  const [key, cert] = ['key', 'crt'].map((end) => readFileSync(`test/data/tls/localhost.${end}`));
  let server: Server;

  afterEach(() => server.close());

  async function listen(made: Server): Promise<string> {
    server = made;
    await once(made.listen(0, '127.0.0.1'), 'listening');
    return `https://localhost:${(made.address() as AddressInfo).port}`;
  }

  it('is read from the server, though nobody trusts it', async () => {
    const url = await listen(createServer({ key: key!, cert: cert! }));
    const end = Date.parse(new X509Certificate(cert!).validTo);
    expect(await certificateEnd(url, 20_000)).to.equal(end);
  });

  it('is not known where a server does not answer', async () => {
    const url = await listen(createTcpServer());
    const failure = await certificateEnd(url, 50).catch((error: Error) => error.message);
    expect(failure).to.equal('it did not answer in time');
  });
});
