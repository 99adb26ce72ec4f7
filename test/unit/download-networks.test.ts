import { expect } from 'chai';
import { downloadNetworks } from '../../src/visitors/download-networks.ts';
import { NetworkTable, readSections } from '../../src/visitors/networks.ts';

const AZURE =
  'https://download.microsoft.com/download/7/1/d/71d86715/ServiceTags_Public_20261123.json';

/** Lists by URL, as their owners publish them. */
const LISTS: Record<string, string> = {
  'https://aws.example/': JSON.stringify({
    createDate: '2026-11-27-00-13-10',
    prefixes: [{ ip_prefix: '3.4.12.4/32', region: 'eu-west-1' }, { ip_prefix: '3.5.140.0/22' }],
    ipv6_prefixes: [{ ipv6_prefix: '2600:1f14::/35' }, { ipv6_prefix: '2600:1f14:1::1/128' }],
  }),
  'https://csv.example/':
    '# comment, 2026/11\n5.101.96.0/21,NL,NL-NH,Amsterdam,1105 AT\n2a03:b0c0::/32,NL,,,\n',
  'https://text.example/': '45.76.0.0/20\n192.0.2.0/24\n2001:db8::/32\n10.0.0.0/8\n45.76.0.0/20\n',
  'https://page.example/': `<a href="${AZURE}">Download</a> 1.2.3.4/24`,
  [AZURE]: '{"addressPrefixes": ["20.33.0.0/16", "2603:1030::/45"]}',
  'https://empty.example/': '<p>moved</p>',
};

const PRESENT = `[Amazon] https://aws.example/
1.1.1.0/24
[CSV] https://csv.example/
[Text] https://text.example/
[Azure] https://page.example/
[Missing] https://missing.example/
9.9.9.0/24
[Empty] https://empty.example/
8.8.4.0/24
[Scanner]
64.235.144.0/20
`;

describe('a refresh of the networks', () => {
  it('replaces the lists that it can download, and keeps the others', async () => {
    const lines: string[] = [];
    const { text, sections } = await downloadNetworks(readSections(PRESENT), {
      fetch: async (url) =>
        LISTS[url] === undefined ? new Response('', { status: 404 }) : new Response(LISTS[url]),
      log: (line) => lines.push(line),
      now: new Date('2026-11-28T00:00:00Z'),
    });
    expect(sections).to.deep.equal([
      { owner: 'Amazon', networks: 3, outcome: 'downloaded' },
      { owner: 'CSV', networks: 2, outcome: 'downloaded' },
      { owner: 'Text', networks: 1, outcome: 'downloaded' },
      { owner: 'Azure', networks: 2, outcome: 'downloaded' },
      { owner: 'Missing', networks: 1, outcome: 'kept' },
      { owner: 'Empty', networks: 1, outcome: 'kept' },
      { owner: 'Scanner', networks: 1, outcome: 'kept' },
    ]);
    expect(lines).to.deep.equal([
      'Missing was not downloaded: https://missing.example/ answered 404',
      'Empty was not downloaded: https://empty.example/ has no networks',
    ]);
    expect(text).to.contain('2026-11-28');
    const table = new NetworkTable(readSections(text));
    const owners: Record<string, string | undefined> = {
      '3.5.141.1': 'Amazon',
      '2600:1f14::1': 'Amazon',
      '1.1.1.1': undefined,
      '2a03:b0c0::1': 'CSV',
      '20.33.1.1': 'Azure',
      '1.2.3.4': undefined,
      '9.9.9.9': 'Missing',
      '64.235.150.1': 'Scanner',
      '192.0.2.1': undefined,
      '10.1.1.1': undefined,
    };
    for (const [ip, owner] of Object.entries(owners)) {
      expect(table.ownerOf(ip), ip).to.equal(owner);
    }
  });
});
