import { expect } from 'chai';
import { readRedisUrl } from '../../src/infra/redis-url.ts';

describe('URLs of Redis', () => {
  it('name one server, as ioredis reads it', () => {
    const url = 'redis://user:p%40ss@redis.test:6380/2?family=6';
    expect(readRedisUrl(url)).to.deep.equal({ url, options: {}, failsOver: false });
    expect(readRedisUrl('rediss://redis.test/?ssl_cert_reqs=none').options).to.deep.equal({
      tls: { rejectUnauthorized: false },
    });
  });

  it('name sentinels and their primary', () => {
    const { url, options, failsOver } = readRedisUrl(
      'redis+sentinel://user:p%40%2Css@a.test,b.test:7000,[::1]:7001/my%20main?sentinel_password=x%2Cy',
    );
    expect([url, failsOver]).to.deep.equal(['', true]);
    expect(options).to.deep.include({
      sentinels: [
        { host: 'a.test', port: 26379 },
        { host: 'b.test', port: 7000 },
        { host: '::1', port: 7001 },
      ],
      name: 'my main',
      username: 'user',
      password: 'p@,ss',
      sentinelUsername: '',
      sentinelPassword: 'x,y',
    });
    expect(options).not.to.have.property('tls');
  });

  it('name nodes of a cluster', () => {
    const { url, options, nodes, failsOver } = readRedisUrl(
      'rediss+cluster://user:p%40%2Css@a.test,b.test:7000,[::1]:7001?ssl_cert_reqs=none',
    );
    expect([url, failsOver]).to.deep.equal(['', true]);
    expect(nodes).to.deep.equal([
      { host: 'a.test', port: 6379 },
      { host: 'b.test', port: 7000 },
      { host: '::1', port: 7001 },
    ]);
    const tls = { rejectUnauthorized: false };
    expect(options).to.deep.equal({ username: 'user', password: 'p@,ss', tls });
  });

  it('encrypt the connections to sentinels and servers alike', () => {
    const { options } = readRedisUrl('rediss+sentinel://a.test/main?ssl_check_hostname=false');
    expect(options.tls).to.have.property('checkServerIdentity');
    expect(options).to.deep.include({
      tls: options.tls,
      sentinelTLS: options.tls,
      enableTLSForSentinelMode: true,
    });
  });

  it('have parameters of TLS only where connections are encrypted', () => {
    for (const url of [
      'redis://a.test/',
      'redis+sentinel://a.test/main',
      'redis+cluster://a.test',
    ]) {
      expect(() => readRedisUrl(`${url}?ssl_cert_reqs=none`)).to.throw('starts with rediss');
    }
  });
});
