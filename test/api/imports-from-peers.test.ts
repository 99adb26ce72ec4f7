import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { csvLines } from '../../src/infra/csv.ts';
import { exportOf, imported, linkOf, rest, upload } from '../support/imports.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** A link of a provider: its key, destination and clicks. */
type Expected = [key: string, url: string, clicks: number];

interface Case {
  source: string;
  links: Expected[];
  /** Messages of the refused rows. */
  refused?: RegExp[];
  renamed?: number;
  otherDomains?: string[];
}

const CASES: Record<string, Case> = {
  'bitly.csv': {
    source: 'bitly',
    links: [
      ['3aBcDeF', 'https://example.com/spring?utm_source=bitly', 0],
      ['spring', 'https://example.com/spring?utm_source=bitly', 1_204],
      ['Case', 'https://example.com/upper', 7],
      ['case', 'https://example.com/lower', 8],
      ['docs/2023/report', 'https://example.com/report', 0],
    ],
    renamed: 1,
    otherDomains: ['bit.ly'],
  },
  'bitly.json': {
    source: 'bitly',
    links: [
      ['3aBcDeF', 'https://example.com/spring?utm_source=bitly', 0],
      ['spring', 'https://example.com/spring?utm_source=bitly', 0],
      ['Case', 'https://example.com/upper', 0],
    ],
    renamed: 1,
    otherDomains: ['bit.ly'],
  },
  'dub.csv': {
    source: 'dub',
    links: [
      ['launch', 'https://example.com/launch?utm_source=dub', 5_310],
      ['größe/ä', 'https://example.com/size', 4],
      ['🚀', 'https://example.com/rocket', 19],
    ],
  },
  'dub.json': {
    source: 'dub',
    links: [
      ['launch', 'https://example.com/launch?utm_source=dub', 5_310],
      ['ended', 'https://example.com/ended', 31],
      ['banned', 'https://example.com/banned', 2],
    ],
    refused: [/^shortLink must be a short link/],
  },
  'kutt.json': {
    source: 'kutt',
    links: [['team', 'https://example.com/team', 88]],
    refused: [
      /^key must not be "robots.txt": the name is reserved/,
      /^password must be filled in/,
      /^The key "team" is taken/,
    ],
  },
  'kutt.csv': {
    source: 'kutt',
    links: [['team', 'https://example.com/team', 88]],
    refused: [/^password must be filled in/],
  },
  'shlink.csv': {
    source: 'shlink',
    links: [
      ['12C18', 'https://store.example.com', 328],
      ['12c18', 'https://example.com/other', 1_029],
      ['café', 'https://example.com/café', 25],
    ],
  },
  'shlink.json': {
    source: 'shlink',
    links: [
      ['12C18', 'https://store.example.com', 28],
      ['full', 'https://example.com/full', 50],
    ],
  },
  'shortio.csv': {
    source: 'shortio',
    links: [
      ['app', 'https://example.com/app', 412],
      ['a/b', 'https://example.com/a-b', 3],
    ],
  },
  'shortio.json': {
    source: 'shortio',
    links: [['app', 'https://example.com/app?utm_source=short', 412]],
    refused: [/^password must be filled in/, /^shortLink must be a short link/],
  },
  'yourls.csv': {
    source: 'yourls',
    links: [
      ['ozh', 'http://ozh.example.org/', 1_287],
      ['Ozh-2', 'https://example.com/?a=1&b=2', 0],
    ],
  },
  'yourls.json': {
    source: 'yourls',
    links: [
      ['ozh', 'http://ozh.example.org/', 1_287],
      ['Ozh-2', 'https://example.com/?a=1&b=2', 0],
    ],
  },
};

/** Reads the links of a workspace by key. */
async function linksOf(world: World): Promise<Map<string, Record<string, unknown>>> {
  const { body } = await world.api.get('/links', { showArchived: 'true' });
  return new Map(body.map((link: { key: string }) => [link.key, link]));
}

describe('imports of exports of other services', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  for (const [name, expected] of Object.entries(CASES)) {
    it(`take ${name}: every address redirects, counts are equal, and again nothing changes`, async () => {
      const { source, links, refused = [], renamed = 0, otherDomains = [] } = expected;
      const file = exportOf(name, world.domain);
      const counts = { created: links.length, updated: 0, skipped: 0, refused: refused.length };
      const type = name.endsWith('.json') ? 'application/json' : 'text/csv';
      const sent = await upload(world, file, { dryRun: true, name }, { 'content-type': type });
      expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
      const checked = await rest(world, sent.body.id);
      expect(checked).to.deep.include({ source, counts, renamed });
      expect(checked.preview.otherDomains).to.have.members(otherDomains);
      for (const [at, message] of refused.entries()) {
        expect(checked.errors[at].message).to.match(message);
      }
      await world.api.post(`/imports/${checked.id}/start`);
      expect(await rest(world, checked.id)).to.deep.include({ state: 'done', counts, renamed });

      const made = await linksOf(world);
      expect([...made.keys()]).to.have.members(links.map(([key]) => key));
      for (const [key, url, clicks] of links) {
        const link = made.get(key)!;
        expect(link).to.include({ importedClicks: clicks, clicks: 0 });
        if (link['password'] !== null || link['expiresAt'] !== null || link['startsAt'] !== null) {
          continue;
        }
        const { status, headers } = await world.visit(`/${encodeURI(key)}`);
        expect(status, key).to.equal(link['redirectStatus']);
        expect(headers.location, key).to.equal(encodeURI(url));
      }

      const again = await imported(world, file, { source });
      expect(again.counts).to.deep.equal({ ...counts, created: 0, skipped: links.length });
      const after = await linksOf(world);
      for (const [key, link] of made) {
        expect(after.get(key)!['updatedAt'], key).to.equal(link['updatedAt']);
      }
    });
  }

  it('keep every field of a link of Dub', async () => {
    await imported(world, exportOf('dub.json', world.domain));
    const link = await linkOf(world, 'launch');
    expect(link).to.deep.include({
      externalId: 'cms-17',
      createdAt: '2024-02-03T10:11:12.000Z',
      trackConversion: true,
      proxy: true,
      title: 'Launch',
      description: 'We launch',
      image: 'https://example.com/launch.png',
      comments: 'For the newsletter',
      password: 'open sesame',
      doIndex: true,
      expiredUrl: 'https://example.com/over',
      ios: 'https://apps.apple.com/app/id1',
      android: 'https://play.google.com/store/apps/details?id=x',
      geo: { DE: 'https://example.com/de' },
      utm_source: 'dub',
    });
    expect(link.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['Launch, early']);
    const ended = await linkOf(world, 'ended');
    expect(ended).to.include({ archived: true, expiresAt: '2024-03-01T00:00:00.000Z' });
    expect((await world.visit('/ended')).headers.location).to.equal(undefined);
    // Dub does not answer a disabled link.
    const disabled = await linkOf(world, 'banned');
    expect(disabled).to.include({ archived: true, expiresAt: '2024-02-05T10:11:12.000Z' });
    expect((await world.visit('/banned')).headers.location).to.equal(undefined);
  });

  it('keep limits of Shlink and Short.io less the clicks that are used up', async () => {
    await imported(world, exportOf('shlink.json', world.domain));
    expect(await linkOf(world, '12C18')).to.deep.include({
      maxVisits: 72,
      startsAt: '2017-01-20T22:00:00.000Z',
      forwardQuery: false,
      doIndex: true,
      title: 'Welcome to the store',
    });
    expect(await linkOf(world, 'full')).to.include({
      maxVisits: null,
      expiresAt: '2016-05-01T18:34:16.000Z',
    });
    await imported(world, exportOf('shortio.json', world.domain));
    expect(await linkOf(world, 'app')).to.include({
      maxVisits: 88,
      expiresAt: '2030-01-01T00:00:00.000Z',
      redirectStatus: 301,
      forwardQuery: false,
      externalId: 'lnk_5PqT_abc',
    });
  });

  it('go to the domain of the options where their own is not the workspace’s, unless the key is another link’s', async () => {
    const file = exportOf('bitly.json', 'elsewhere.test').replaceAll(
      'bit.ly/3aBcDeF',
      'bit.ly/spring',
    );
    const one = await imported(world, file);
    expect(one.counts).to.include({ created: 2, skipped: 1, refused: 0 });
    expect(one.renamed).to.equal(2);
    // A link with the same key and another destination is a different link.
    const other = exportOf('shlink.json', 'third.test')
      .replace('third.test/12C18', 'third.test/spring')
      .replace('third.test/full', `${world.domain}/full`);
    const next = await imported(world, other, { dryRun: true });
    expect(next.counts).to.include({ created: 1, refused: 1 });
    expect(next.errors[0].message).to.equal('The key "spring" is taken by another link');
  });

  it('can be mended: the file of errors is imported as CSV', async () => {
    const one = await imported(world, exportOf('kutt.json', world.domain));
    const { bytes } = await world.api.download(`/imports/${one.id}/errors`);
    const rows = parse(bytes, { bom: true, columns: true }) as Record<string, string>[];
    const secret = rows.find(({ shortLink }) => shortLink!.endsWith('/secret'));
    const row: Record<string, string> = { ...secret, password: 'open sesame' };
    const file = csvLines([Object.keys(row), Object.values(row)]);
    const mended = await imported(world, file);
    expect(mended.counts).to.include({ created: 1, refused: 0 });
    expect(await linkOf(world, 'secret')).to.include({
      password: 'open sesame',
      importedClicks: 5,
      url: 'https://example.com/secret',
    });
  });

  it('refuse hostile rows, each with its reason', async () => {
    const rows = [
      ['https://example.com/', 'ok'],
      ['javascript:alert(1)', 'script'],
      ['https://example.com/', 'x'.repeat(191)],
      ['https://example.com/2', 'ok'],
      ['=HYPERLINK("http://evil.test")', 'formula'],
      ['https://example.com/\0', 'nul'],
      ['https://example.com/', '../up'],
      ['', 'nowhere'],
      ['https://example.com/', '_/admin'],
    ];
    const csv = [
      'keyword,url,title,timestamp,ip,clicks',
      ...rows.map(
        ([url, key]) => `"${key}","${url!.replaceAll('"', '""')}",,2013-04-05 06:07:08,,1`,
      ),
      'many,https://example.com/,,2013-04-05 06:07:08,,-1',
      'late,https://example.com/,,2113-04-05 06:07:08,,1',
    ].join('\n');
    const one = await imported(world, csv, { onConflict: 'fail-row' });
    expect(one).to.deep.include({
      source: 'yourls',
      counts: { created: 3, updated: 0, skipped: 0, refused: 8 },
    });
    const messages = one.errors.map(({ row, message }: { row: number; message: string }) => [
      row,
      message,
    ]);
    expect(Object.fromEntries(messages)).to.deep.equal({
      3: 'url must not use the scheme javascript:',
      4: 'key must not be longer than 190 characters',
      5: 'The key "ok" is taken by another link',
      6: 'url must be a valid URL',
      7: 'url must not contain control characters',
      8: 'key must not contain empty, "." or ".." segments',
      9: 'url is required',
      10: 'key must not be "_/admin": the name is reserved',
    });
    expect(one.warnings).to.deep.equal([
      {
        column: 'importedClicks',
        rows: 1,
        message: 'A value was left out, in row 11: importedClicks must be a number',
      },
      {
        column: 'createdAt',
        rows: 1,
        message: 'A value was left out, in row 12: createdAt must not be in the future',
      },
    ]);
  });

  it('refuse files that are not of the source, or can’t be read', async () => {
    const dub = exportOf('dub.csv', world.domain);
    const wrongs: [string | Uint8Array, Record<string, string>, RegExp][] = [
      [dub, { source: 'shlink' }, /do not match Shlink; they match Dub$/],
      ['url,key\n', { source: 'yourls' }, /^source must match the file/],
      ['{"links": [', {}, /^The file must be complete JSON in UTF-8/],
      ['{"links": []}', {}, /^The file must contain at least one link$/],
      ['[{"a": 1}]', {}, /^The file must be CSV, or the JSON of Bitly, Dub, Kutt/],
      [exportOf('kutt.json', world.domain), { source: 'dub' }, /they match Kutt$/],
      [new Uint8Array(), { source: 'dub' }, /header row/],
      ['['.repeat(100), {}, /nested deeper/],
      [dub, { source: 'tinyurl' }, /^source must be one of/],
    ];
    for (const [file, query, message] of wrongs) {
      const { status, body } = await upload(world, file, query);
      expect(status, String(message)).to.equal(422);
      expect(body.error.message).to.match(message);
    }
    const umlauts = exportOf('yourls.csv', world.domain).replace("Ozh's site", 'Größe');
    const one = await imported(world, Buffer.from(umlauts, 'latin1'));
    expect(one.file.encoding).to.equal('windows-1252');
    expect((await linkOf(world, 'ozh')).title).to.equal('Größe');
  });

  it('are exported with their old clicks, and undone', async () => {
    const one = await imported(world, exportOf('yourls.csv', world.domain));
    const { bytes } = await world.api.download('/links/export');
    const [header = '', ...lines] = bytes.toString().trimEnd().split('\r\n');
    const at = header.split(',').indexOf('importedClicks');
    expect(lines.map((line) => line.split(',').at(at - header.split(',').length))).to.have.members([
      '1287',
      '0',
    ]);
    await world.visit('/ozh');
    await world.api.post(`/imports/${one.id}/undo`);
    expect((await rest(world, one.id)).undo).to.include({ deleted: 2, changed: 0 });
    expect((await world.visit('/ozh')).status).to.equal(404);
  });
});
