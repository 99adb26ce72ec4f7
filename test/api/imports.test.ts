import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { imported, linkOf, type Query, rest, upload } from '../support/imports.ts';
import { aPerson } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

const CSV = { 'content-type': 'text/csv' };
const MEBIBYTE = 1024 * 1024;

const countOf = async (world: World) => (await world.api.get('/links/count')).body;

/** Reads the errors of an import as CSV lines without the header. */
async function errorsOf(world: World, id: string): Promise<string[]> {
  const { bytes } = await world.api.download(`/imports/${id}/errors`);
  return bytes.toString().replace('\ufeff', '').trimEnd().split('\r\n').slice(1);
}

describe('imports', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('make links with every field, which redirect at once', async () => {
    const one = await imported(
      world,
      'Long URL,slug,Title,Tags,comments,External ID,created_at,max visits,archived,password,utm_source,redirect_status,geo\n' +
        'https://example.com/a,summer,"A ""quoted"", title","spring, Sale",note,e-1,2021-03-04 05:06:07,10,yes,hidden word,news,301,"{""DE"":""https://example.com/de""}"\nhttps://example.com/b,plain\n',
      { name: 'links.csv' },
    );
    expect(one).to.deep.include({
      name: 'links.csv',
      state: 'done',
      counts: { created: 2, updated: 0, skipped: 0, refused: 0 },
      progress: { done: 2, total: 2 },
      errors: [],
    });
    expect(one.file).to.include({ encoding: 'utf-8', delimiter: ',' });
    const link = await linkOf(world, 'summer');
    expect(link).to.deep.include({
      url: 'https://example.com/a?utm_source=news',
      title: 'A "quoted", title',
      comments: 'note',
      externalId: 'e-1',
      createdAt: '2021-03-04T05:06:07.000Z',
      maxVisits: 10,
      archived: true,
      password: 'hidden word',
      redirectStatus: 301,
      geo: { DE: 'https://example.com/de' },
    });
    expect(link.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['spring', 'Sale']);
    expect((await world.visit('/plain')).headers.location).to.equal('https://example.com/b');
  });

  it('of files with umlauts in Windows-1252 or UTF-16, semicolons or tabs, and a byte order mark are read', async () => {
    const text =
      'url;keyword;title\r\nhttps://example.com/;gr\u00fc\u00dfe;\u00c4rger \u2013 nein\r\n';
    const files: [string, Uint8Array][] = [
      ['windows-1252', Buffer.from(text.replace('\u2013', '\x96'), 'latin1')],
      ['utf-8', Buffer.from(`\ufeff${text}`)],
      ['utf-16le', Buffer.from(`\ufeff${text.replaceAll(';', '\t')}`, 'utf16le')],
    ];
    for (const [encoding, bytes] of files) {
      const one = await imported(world, bytes, { onConflict: 'update' });
      expect(one.file).to.include({ encoding, delimiter: encoding === 'utf-16le' ? '\t' : ';' });
      expect(one.columns[0]).to.deep.equal({ name: 'url', field: 'url' });
      expect((await linkOf(world, 'gr\u00fc\u00dfe')).title).to.equal('\u00c4rger \u2013 nein');
    }
  });

  const EXPORTS: [string, string, Record<string, string>][] = [
    [
      'Bitly',
      'Bitlink,long_url,title,created_at,tags,custom_bitlinks',
      {
        Bitlink: 'shortLink',
        long_url: 'url',
        title: 'title',
        created_at: 'createdAt',
        tags: 'tagNames',
      },
    ],
    [
      'Dub',
      'link,url,domain,key,clicks,createdAt,tags',
      {
        link: 'shortLink',
        url: 'url',
        domain: 'domain',
        key: 'key',
        createdAt: 'createdAt',
        tags: 'tagNames',
      },
    ],
    [
      'Short.io',
      'Short URL,Original URL,Path,Title,Tags,Created at,iPhone URL,Expired URL',
      {
        'Short URL': 'shortLink',
        'Original URL': 'url',
        Path: 'key',
        Title: 'title',
        Tags: 'tagNames',
        'Created at': 'createdAt',
        'iPhone URL': 'ios',
        'Expired URL': 'expiredUrl',
      },
    ],
    [
      'Rebrandly',
      'title,slashtag,destination,shortUrl,domain.fullName,createdAt',
      {
        title: 'title',
        slashtag: 'key',
        destination: 'url',
        shortUrl: 'shortLink',
        'domain.fullName': 'domain',
        createdAt: 'createdAt',
      },
    ],
    [
      'YOURLS',
      'keyword,url,title,timestamp,ip,clicks',
      { keyword: 'key', url: 'url', title: 'title', timestamp: 'createdAt' },
    ],
    ['a list', 'link,name', { link: 'url', name: 'title' }],
  ];
  for (const [service, header, fields] of EXPORTS) {
    it(`of ${service} are mapped by their headers`, async () => {
      const one = await imported(world, `${header}\n`, { dryRun: true, source: 'csv' });
      const mapped = one.columns.filter(({ field }: { field: string | null }) => field !== null);
      expect(
        Object.fromEntries(
          mapped.map(({ name, field }: { name: string; field: string }) => [name, field]),
        ),
      ).to.deep.equal(fields);
    });
  }

  it('take the key of a short link of another service, and the domain of one of our own', async () => {
    const one = await imported(
      world,
      `shortLink,url\nhttps://bit.ly/Abc,https://example.com/1\n${world.domain}/gr%C3%BCn,https://example.com/2\nbit.ly,https://example.com/3\n`,
    );
    expect(one.counts).to.include({ created: 2, refused: 1 });
    expect((await linkOf(world, 'Abc')).url).to.equal('https://example.com/1');
    expect((await linkOf(world, 'gr\u00fcn')).url).to.equal('https://example.com/2');
    expect(one.errors[0]).to.deep.equal({
      row: 4,
      column: 'shortLink',
      message: 'shortLink must be a short link such as https://go.example.com/spring',
    });
  });

  it('of our own export give the same links again', async () => {
    await world.api.post('/links', {
      url: 'https://example.com/?a=1',
      key: 'first',
      title: '=1+1',
      comments: 'a "quoted", comment\nof two lines',
      rules: [{ value: { country: ['DE'] }, url: 'https://example.com/de' }],
    });
    const before = await linkOf(world, 'first');
    const { bytes } = await world.api.download('/links/export');
    await world.api.delete(`/links/${before.id}`);
    const one = await imported(world, bytes);
    expect(one.counts, JSON.stringify(one.errors)).to.include({ created: 1 });
    const after = await linkOf(world, 'first');
    for (const field of ['url', 'title', 'comments', 'rules', 'createdAt', 'archived']) {
      expect(after[field], field).to.deep.equal(before[field]);
    }
  });

  it('of the export of another workspace give its links a domain of this one, and say so', async () => {
    const other = await aWorkspace();
    const made = ['a', 'b'].map((key) => ({ url: 'https://example.com/', key }));
    await other.api.post('/links/bulk', made);
    const { bytes } = await other.api.download('/links/export');
    const one = await imported(world, bytes, { dryRun: 'true' });
    expect(one.errors).to.deep.equal([]);
    expect(one.preview.otherDomains).to.deep.equal([other.domain]);
    expect([one.counts.created, one.renamed]).to.deep.equal([2, 2]);
    await world.api.post(`/imports/${one.id}/start`);
    await rest(world, one.id);
    expect((await linkOf(world, 'a')).url).to.equal('https://example.com/');
  });

  it('without a dry run name every error with its row and column, and import the rest', async () => {
    await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/', key: 'printed' });
    const one = await imported(
      world,
      [
        'Target,key,archived,max visits,created_at,domain,Tags',
        'https://example.com/ok,fine,,,,,',
        'javascript:alert(1),,,,,,',
        ',,,,,,',
        '"",only-key,,,,,',
        'https://example.com/,a b,maybe,many,2999-01-01,,',
        'https://example.com/,,,,,elsewhere.test,',
        'https://example.com/,printed,,,,,',
        'https://example.com/,,,,,,,one too many',
        `https://example.com/,,,,,,${'x'.repeat(191)}`,
        `https://${world.domain}/own,own,,,,,`,
      ].join('\n'),
      { mapping: '{"Target":"url"}', allowRandomKeys: true },
    );
    expect(one.counts).to.deep.equal({ created: 2, updated: 0, skipped: 0, refused: 7 });
    expect(one.warnings).to.deep.equal([
      {
        column: null,
        rows: 4,
        message: '4 of the 9 rows have no key: each of their links got a random one',
      },
      {
        column: 'Tags',
        rows: 1,
        message: 'A value was left out, in row 10: tagNames must be at most 190 characters long',
      },
    ]);
    expect(one.errors).to.deep.equal([
      { row: 3, column: 'Target', message: 'url must not use the scheme javascript:' },
      { row: 5, column: 'Target', message: 'url is required' },
      {
        row: 6,
        column: 'key',
        message:
          "key must contain only letters, digits, -, _, ., / and emoji, or one of ~!$&'()*+,;=:@",
      },
      { row: 6, column: 'archived', message: 'archived must be a boolean' },
      { row: 6, column: 'max visits', message: 'maxVisits must be a number' },
      {
        row: 7,
        column: 'domain',
        message: 'The domain "elsewhere.test" is not one of this workspace\'s domains',
      },
      { row: 8, column: 'key', message: `The key "printed" is taken on ${world.domain}` },
      { row: 9, column: null, message: 'The row must not have more cells than the header' },
      { row: 11, column: 'Target', message: 'url must not be the short link itself' },
    ]);
    expect(await countOf(world)).to.equal(2);
  });

  it('give their errors as CSV with the original cells and without formulas', async () => {
    const file = 'url,title,row\njavascript:1,=HYPERLINK("x"),+1\n';
    const one = await imported(world, file, { allowRandomKeys: true });
    const { headers, bytes } = await world.api.download(`/imports/${one.id}/errors`);
    expect(headers.get('content-disposition')).to.equal('attachment; filename="errors.csv"');
    expect(bytes.toString()).to.equal(
      '\ufeffrow,column,message,url,title,row (2)\r\n' +
        `2,url,url must not use the scheme javascript:,javascript:1,"'=HYPERLINK(""x"")",'+1\r\n`,
    );
  });

  it('skip, update or refuse a row whose key or external id a link has', async () => {
    await imported(world, 'url,key,externalId,title\nhttps://example.com/1,taken,e1,first\n');
    const file =
      'url,key,externalId,title\nhttps://example.com/2,taken,,second\nhttps://example.com/3,,e1,\n' +
      'https://example.com/4,new,,\nhttps://example.com/5,new,,twice\n';
    const skipped = await imported(world, file, { allowRandomKeys: true });
    expect(skipped.counts).to.deep.equal({ created: 1, updated: 0, skipped: 3, refused: 0 });
    expect((await linkOf(world, 'taken')).title).to.equal('first');

    const failed = await imported(world, file, {
      onConflict: 'fail-row',
      allowRandomKeys: true,
    });
    expect(failed.counts).to.deep.equal({ created: 0, updated: 0, skipped: 0, refused: 4 });
    expect(failed.errors.slice(0, 2)).to.deep.equal([
      { row: 2, column: 'key', message: 'The key "taken" is taken by another link' },
      { row: 3, column: 'externalId', message: 'The externalId "e1" is taken in this workspace' },
    ]);

    const updated = await imported(world, file, {
      onConflict: 'update',
      allowRandomKeys: true,
    });
    expect(updated.counts).to.deep.equal({ created: 0, updated: 4, skipped: 0, refused: 0 });
    expect(await linkOf(world, 'taken')).to.include({
      url: 'https://example.com/3',
      title: 'second',
    });
    expect(await linkOf(world, 'new')).to.include({ url: 'https://example.com/5', title: 'twice' });
    expect((await world.visit('/taken')).headers.location).to.equal('https://example.com/3');
    expect(await countOf(world)).to.equal(2);
  });

  it('give all links the domain, folder and tags of the options', async () => {
    const folder = (await world.api.post('/folders', { name: 'Old ones' })).body.id;
    const tag = (await world.api.post('/tags', { name: 'imported' })).body.id;
    const query = { domain: world.domain, folderId: folder, tagIds: [tag] };
    await imported(world, 'url,key,tags\nhttps://example.com/,a,own\n', query);
    const link = await linkOf(world, 'a');
    expect(link).to.include({ domain: world.domain, folderId: folder });
    expect(link.tags.map(({ name }: { name: string }) => name)).to.deep.equal(['imported', 'own']);

    const wrongs: [Query, number][] = [
      [{ domain: 'elsewhere.test' }, 403],
      [{ folderId: 'fold_none' }, 422],
      [{ tagIds: ['tag_none'] }, 422],
    ];
    for (const [wrong, status] of wrongs) {
      expect((await upload(world, 'url\nhttps://example.com/\n', wrong)).status).to.equal(status);
    }
    expect((await world.api.get('/imports')).body).to.have.lengthOf(1);
  });

  it('with a dry run change nothing, show what they will do, and then do that', async () => {
    await world.api.post('/tags', { name: 'known' });
    await world.api.post('/links', { url: 'https://example.com/', key: 'taken' });
    await world.api.post('/qrcodes', { type: 'url', url: 'https://example.com/', key: 'printed' });
    const rows = Array.from(
      { length: 600 },
      (_, n) => `https://example.com/${n},key-${n},Known,${n === 0 ? 'pw' : ''}`,
    );
    const file = [
      'url,key,tags,password',
      'https://example.com/,taken,fresh,',
      'https://example.com/,printed,,',
      'javascript:1,,,',
      ...rows,
      // This row conflicts with a row of the previous slice.
      'https://example.com/,key-1,"new|KNOWN",',
      'https://example.com/,,new,',
    ].join('\n');
    const one = await imported(world, file, { dryRun: true });
    const counts = { created: 601, updated: 0, skipped: 2, refused: 2 };
    expect(one).to.deep.include({ state: 'checked', counts, startedAt: null });
    expect(one.preview.newTags).to.deep.equal(['new']);
    expect(one.preview.rows).to.have.lengthOf(20);
    expect(
      one.preview.rows.slice(0, 4).map(({ outcome }: { outcome: string }) => outcome),
    ).to.deep.equal(['skipped', 'refused', 'refused', 'created']);
    expect(one.preview.rows[3]).to.deep.equal({
      row: 5,
      outcome: 'created',
      cells: { url: 'https://example.com/0', key: 'key-0', tags: 'Known', password: '••••••••' },
      link: { url: 'https://example.com/0', key: 'key-0', tagNames: 'Known', password: '••••••••' },
      errors: [],
    });
    expect(one.errors.map(({ row }: { row: number }) => row)).to.deep.equal([3, 4]);
    expect(await countOf(world)).to.equal(1);
    expect((await world.api.get('/tags')).body).to.have.lengthOf(1);
    expect((await world.visit('/key-0')).status).to.equal(404);

    expect((await world.api.post(`/imports/${one.id}/start`)).body.error.message).to.equal(
      'allowRandomKeys must be true: 2 of the 605 rows have no key: each of their links would get a random one',
    );
    const { status, body } = await world.api.post(`/imports/${one.id}/start`, undefined, {
      query: { allowRandomKeys: true },
    });
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      state: 'queued',
      counts: { created: 0, updated: 0, skipped: 0, refused: 0 },
    });
    const done = await rest(world, one.id);
    expect(done).to.deep.include({ state: 'done', counts });
    expect(await countOf(world)).to.equal(602);
    expect((await world.api.get('/tags')).body).to.have.lengthOf(2);
    expect((await world.api.post(`/imports/${one.id}/start`)).status).to.equal(409);
  });

  it('are checked again when their options change, until they are started', async () => {
    const file = 'where,what\nhttps://example.com/,a\nhttps://example.com/,a\n';
    const one = await imported(world, file, { dryRun: true });
    expect(one.counts).to.include({ refused: 2 });
    expect(one.errors[0]).to.deep.equal({ row: 2, column: null, message: 'url is required' });
    const path = `/imports/${one.id}`;
    expect((await world.api.post(`${path}/start`)).body.error.message).to.match(
      /^mapping must map a column to url/,
    );
    expect((await upload(world, file)).status).to.equal(422);

    const mapping = { where: 'url', what: 'key' };
    const { status } = await world.api.patch(path, { mapping, onConflict: 'fail-row' });
    expect(status).to.equal(200);
    const again = await rest(world, one.id);
    expect(again.counts).to.deep.equal({ created: 1, updated: 0, skipped: 0, refused: 1 });
    expect(again.options.onConflict).to.equal('fail-row');

    for (const wrong of [
      { mapping: { nowhere: 'url' } },
      { mapping: { where: 'key' } },
      { mapping: { where: 'clicks' } },
      { tagIds: ['tag_none'] },
      {},
    ]) {
      const refused = await world.api.patch(path, wrong);
      expect(refused.status, JSON.stringify(refused.body)).to.equal(422);
    }
    await world.api.post(`${path}/start`);
    await rest(world, one.id);
    expect((await world.api.patch(path, { onConflict: 'skip' })).status).to.equal(409);
    expect(await countOf(world)).to.equal(1);
  });

  it('are filters of lists, counts and exports of the links that they created', async () => {
    const world = await aWorkspace();
    const url = 'https://example.com/a';
    await world.api.post('/links', { url, key: 'before' });
    const one = await imported(world, `key,url\nbefore,${url}2\na,${url}\nb,${url}`);
    const other = await imported(world, `key,url\nc,${url}`);
    const query = { importId: one.id };
    const { body } = await world.api.get('/links', query);
    expect(body.map(({ key }: { key: string }) => key)).to.deep.equal(['b', 'a']);
    expect((await world.api.get('/links/count', { importId: other.id })).body).to.equal(1);
    const { bytes } = await world.api.download('/links/export', query);
    const [, ...lines] = bytes.toString().trim().split('\r\n');
    expect(lines.map((line) => line.split(',')[2])).to.deep.equal(['a', 'b']);
    const stranger = await aWorkspace();
    expect((await stranger.api.get('/links', query)).body).to.deep.equal([]);
  });

  it('are undone but for links that were changed or deleted since', async () => {
    await world.api.post('/links', { url: 'https://example.com/', key: 'before' });
    const rows = Array.from({ length: 620 }, (_, n) => `https://example.com/${n},k${n}`);
    const one = await imported(
      world,
      // The last row updates a link of the same file.
      ['url,key', 'https://example.com/changed,before', ...rows, 'https://example.com/x,k5'].join(
        '\n',
      ),
      { onConflict: 'update' },
    );
    expect(one.counts).to.deep.equal({ created: 620, updated: 2, skipped: 0, refused: 0 });
    await world.api.patch(`/links/${(await linkOf(world, 'k1')).id}`, { title: 'mine' });
    await world.api.delete(`/links/${(await linkOf(world, 'k2')).id}`);

    const { status, body } = await world.api.post(`/imports/${one.id}/undo`);
    expect(status).to.equal(200);
    expect(body.state).to.equal('undoing');
    const undone = await rest(world, one.id);
    expect(undone.undo).to.deep.equal({ total: 620, deleted: 618, changed: 1, gone: 1 });
    expect(undone.progress).to.deep.equal({ done: 620, total: 620 });
    const left = (await world.api.get('/links')).body.map(({ key }: { key: string }) => key);
    expect(left).to.have.members(['before', 'k1']);
    expect((await world.visit('/k5')).status).to.equal(404);
    expect((await world.api.post(`/imports/${one.id}/undo`)).status).to.equal(409);
    // Undoing the import releases its keys.
    expect((await imported(world, 'url,key\nhttps://example.com/,k5\n')).counts.created).to.equal(
      1,
    );
  });

  it('with an Idempotency-Key are made once', async () => {
    for (let n = 0; n < 6; n += 1) {
      const { status } = await upload(world, 'url\n', {}, { 'idempotency-key': 'x'.repeat(256) });
      expect(status).to.equal(422);
    }
    const headers = { 'idempotency-key': 'file-1' };
    const file = 'url,key\nhttps://example.com/,a\n';
    const first = await upload(world, file, {}, headers);
    for (let n = 0; n < 7; n += 1) {
      const again = await upload(world, file, {}, headers);
      expect(again.body.id).to.equal(first.body.id);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
    }
    expect((await upload(world, `${file}\n`, {}, headers)).status).to.equal(409);
    await rest(world, first.body.id);
    expect(await countOf(world)).to.equal(1);
  });

  /** Uploads a file, and returns the error; a busy machine answers 202, and the job has it. */
  async function refusalOf(world: World, file: string | Uint8Array) {
    const { status, headers, body } = await upload(world, file);
    if (status !== 202) {
      expect(status).to.equal(422);
      return body.error;
    }
    return eventually(async () => {
      const { body: job } = await world.api.get(headers.get('location')!);
      expect(job.status).to.equal('failed');
      return job.error;
    });
  }

  it('are refused as a whole where the file can’t be read', async () => {
    const cases: [string, string | Uint8Array, RegExp][] = [
      ['nothing', '', /header row/],
      ['empty lines', '\n\n , \n', /header row/],
      [
        'a quotation mark that is never closed',
        `url\n"https://example.com/\n${'x,y\n'.repeat(100)}`,
        /^Row 2 must end/,
      ],
      [
        'the same in a large file',
        `url\nhttps://a.test\n"${'x,y\n'.repeat(MEBIBYTE)}`,
        /^Row 3 must not be longer than 2097152/,
      ],
      ['a row of commas', `url\n${','.repeat(8 * MEBIBYTE)}`, /^Row 2 must not be longer/],
      ['10,000 columns', `url,${'a,'.repeat(10_000)}b\n`, /more than 200 columns/],
      ['a header of a novel', `url,${'x'.repeat(1_000)}\n`, /header of column 2/],
    ];
    for (const [name, file, message] of cases) {
      const error = await refusalOf(world, file === '' ? new Uint8Array() : file);
      expect(error, name).to.include({ code: 'unprocessable_entity' });
      expect(error.message, name).to.match(message);
    }
    expect((await world.api.get('/imports')).body).to.deep.equal([]);
  });

  it('survive cells that are too long or hold null characters, and too many cells', async () => {
    const one = await imported(
      world,
      `url,title,\0no\0,url\nhttps://example.com/,${'x'.repeat(MEBIBYTE)}\nhttps://example.com/,a\0b\nhttps://example.com/,c,d\n${',x'.repeat(5_000)}\n`,
      { mapping: '{}', allowRandomKeys: true },
    );
    expect(one.counts).to.include({ created: 3, refused: 1 });
    expect(one.columns.map(({ name }: { name: string }) => name)).to.deep.equal([
      'url',
      'title',
      '\ufffdno\ufffd',
      'url (2)',
    ]);
    const messages = (list: { message: string }[]) => list.map(({ message }) => message);
    expect(messages(one.warnings).slice(1)).to.deep.equal([
      'A value was left out, in row 2: title must be at most 1000 characters long',
      'A value was left out, in row 3: title must not contain null characters',
    ]);
    expect(messages(one.errors)).to.deep.equal([
      'The row must not have more cells than the header',
    ]);
    const long = await imported(world, `url,key\n${'x'.repeat(MEBIBYTE)},a\n`);
    expect((await errorsOf(world, long.id)).join('\n').length).to.be.above(MEBIBYTE);
  });

  it('refuse bodies and parameters that break a rule', async () => {
    const url = 'url\nhttps://example.com/\n';
    const plain = await upload(world, url, {}, { 'content-type': 'text/plain' });
    expect(plain.status).to.equal(400);
    expect(plain.body.error.message).to.equal(
      'The Content-Type of the body must be one of text/csv, text/tab-separated-values, application/vnd.ms-excel, application/json, application/gzip, application/sql, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    );
    const large = await upload(world, Buffer.alloc(25 * MEBIBYTE + 1, 'x'));
    expect(large.status).to.equal(400);
    expect(large.body.error.message).to.equal('The body must not be larger than 25 MiB');
    expect((await upload(world, url, {}, { 'content-encoding': 'gzip' })).status).to.equal(400);
    for (const query of [
      { mapping: 'url' },
      { mapping: '{"url":"clicks"}' },
      { mapping: '{"elsewhere":"url"}' },
      { mapping: '{"url":null}' },
      { onConflict: 'replace' },
      { dryRun: 'yes' },
      { unknown: 'x' },
    ]) {
      expect((await upload(world, url, query)).status, JSON.stringify(query)).to.equal(422);
    }
    expect(await countOf(world)).to.equal(0);
  });

  it('are limited in rows by the plan', async () => {
    const free = await aWorkspace({ plan: 'free' });
    const rows = 'https://example.com/\n'.repeat(1_000);
    const { status, body } = await upload(free, `url\n${rows}https://example.com/\n`);
    expect(status).to.equal(422);
    expect(body.error.message).to.match(/must not have more than 1000 rows/);
    const most = await imported(free, `url\n${rows}`, { allowRandomKeys: true });
    expect(most.counts.created).to.equal(1_000);
  });

  it('are read and written with their scopes only, and in their workspace', async () => {
    const one = await imported(world, 'url\nhttps://example.com/\n', { dryRun: true });
    const paths = [
      `/imports/${one.id}/start`,
      `/imports/${one.id}/cancel`,
      `/imports/${one.id}/undo`,
    ];
    const viewer = await world.withScopes('imports.read', 'links.write');
    expect((await viewer.get(`/imports/${one.id}`)).status).to.equal(200);
    expect((await viewer.post('/imports', 'url\n', { headers: CSV })).status).to.equal(403);
    for (const path of paths) expect((await viewer.post(path)).status).to.equal(403);
    for (const [role, status] of [
      ['viewer', 403],
      ['member', 201],
    ] as const) {
      const person = await aPerson({ in: { ...world, role } });
      expect((await person.api.get(`/imports/${one.id}`)).status).to.equal(200);
      const query = { dryRun: true };
      const sent = await person.api.post('/imports', 'url\n', { headers: CSV, query });
      expect(sent.status, role).to.equal(status);
    }
    const other = await world.withScopes('links.write');
    expect((await other.get('/imports')).status).to.equal(403);

    const stranger = await aWorkspace();
    expect((await stranger.api.get('/imports')).body).to.deep.equal([]);
    expect((await stranger.api.get(`/imports/${one.id}`)).status).to.equal(404);
    expect((await stranger.api.download(`/imports/${one.id}/errors`)).status).to.equal(404);
    expect(
      (await stranger.api.patch(`/imports/${one.id}`, { onConflict: 'skip' })).status,
    ).to.equal(404);
    for (const path of paths) expect((await stranger.api.post(path)).status).to.equal(404);
    expect((await rest(world, one.id)).state).to.equal('checked');
  });

  it('keep nothing of a file in plain text', async () => {
    const one = await imported(world, 'url,password,key\nhttps://example.com/,hidden word,a b\n', {
      dryRun: true,
    });
    for (const [table, column] of [
      ['imports', 'id'],
      ['import_slices', 'import_id'],
      ['import_errors', 'import_id'],
    ]) {
      const rows = await db()(table!).where({ project_id: world.projectId, [column!]: one.id });
      expect(rows, table).to.have.lengthOf(1);
      expect(JSON.stringify(rows), table).not.to.contain('hidden');
    }
    const jobs = await db()('jobs').where({ project_id: world.projectId });
    expect(JSON.stringify(jobs)).not.to.contain('hidden');
  });
});
