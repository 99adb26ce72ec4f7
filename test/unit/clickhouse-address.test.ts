import { expect } from 'chai';
import { readConfig } from '../../src/config.ts';
import { parseClickHouseAddress } from '../../src/infra/clickhouse-address.ts';

describe('URLs of ClickHouse', () => {
  it('name one server', () => {
    expect(parseClickHouseAddress('clickhouse://me:p%40ss@a.test:8123/db')).to.deep.equal({
      nodes: ['http://a.test:8123'],
      username: 'me',
      password: 'p@ss',
      database: 'db',
      cluster: undefined,
      isReplicated: false,
    });
  });

  it('name the nodes of a cluster', () => {
    const url = 'clickhouses://me:p%40%2Css@a.test:8443,[::1]:9/db?cluster=all_events&replicated=1';
    expect(parseClickHouseAddress(url)).to.deep.include({
      nodes: ['https://a.test:8443', 'https://[::1]:9'],
      password: 'p@,ss',
      cluster: 'all_events',
      isReplicated: true,
    });
  });

  const cases: [what: string, url: string, message: RegExp][] = [
    ['another scheme', 'http://a.test', /^EVENTS_URL must be a URL that starts with clickhouse:/],
    ['several hosts without a cluster', 'clickhouse://a,b/db', /must have the parameter cluster/],
    [
      'replicas without a cluster',
      'clickhouse://a/db?replicated=1',
      /must have the parameter clus/,
    ],
    ['a name that needs quotes', "clickhouse://a/db?cluster=a'b", /name of letters, digits/],
    ['a cluster without a name', 'clickhouse://a/db?cluster=', /name of letters, digits/],
    ['a node twice', 'clickhouse://a,b,a/db?cluster=x', /must name each host once/],
    ['no host between commas', 'clickhouse://a,,b/db?cluster=x', /must name a host/],
    [
      'an unknown parameter',
      'clickhouse://a/db?clusters=x',
      /cluster and replicated, not "clusters"/,
    ],
    ['an unknown value', 'clickhouse://a/db?cluster=x&replicated=yes', /must have 1 as the/],
  ];
  for (const [what, EVENTS_URL, message] of cases) {
    it(`are refused in one line that names the setting: ${what}`, () => {
      expect(() => readConfig({ EVENTS_URL }))
        .to.throw(message)
        .with.property('message')
        .that.matches(/^EVENTS_URL [^\n]+$/);
    });
  }
});
