import { expect } from 'chai';
import { stack } from '../support/stack.ts';

describe('GET /track.js', () => {
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${stack().apiUrl}/track.js`, { method, headers });

  it('is a script for pages of any origin, which caches may store', async () => {
    const { status, headers } = await get({ origin: 'https://shop.example' });
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/javascript; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).to.equal('*');
    expect(headers.get('cross-origin-resource-policy')).to.equal('cross-origin');
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('cache-control')).to.match(/^public, max-age=\d+/);
    expect(headers.get('vary')).to.equal('Accept-Encoding');
    expect(headers.get('set-cookie')).to.equal(null);
  });

  it('is compressed as the client allows', async () => {
    const plain = await (await get({ 'accept-encoding': 'identity' })).text();
    for (const encoding of ['br', 'gzip']) {
      const answer = await get({ 'accept-encoding': encoding });
      expect(answer.headers.get('content-encoding')).to.equal(encoding);
      expect(await answer.text()).to.equal(plain);
    }
    const { headers } = await get({ 'accept-encoding': 'gzip' }, 'HEAD');
    expect(Number(headers.get('content-length'))).to.be.within(1, 1_024);
  });

  it('is not sent again while it stays the same', async () => {
    const etag = (await get()).headers.get('etag')!;
    const again = await get({ 'if-none-match': etag });
    expect([again.status, again.headers.get('etag')]).to.deep.equal([304, etag]);
    expect(again.headers.get('access-control-allow-origin')).to.equal('*');
    expect((await get({ 'if-none-match': 'W/"other"' })).status).to.equal(200);
  });

  it('cannot be sent to', async () => {
    expect((await get({}, 'POST')).status).to.equal(404);
  });
});
