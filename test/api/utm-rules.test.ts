import { expect } from 'chai';
import type { ApiAnswer } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { imported, linkOf } from '../support/imports.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const RULES = { lowercase: true, separator: '-', required: ['utm_source'] };
const GOOD = `${A}?utm_source=news&utm_campaign=spring-sale`;
const BAD = `${A}?utm_source=News&utm_campaign=Spring%20Sale`;
const FAULTS = [
  'utm_source must be in lower case (utmRules.lowercase)',
  'utm_campaign must be in lower case (utmRules.lowercase)',
  'utm_campaign must separate words by "-" only (utmRules.separator)',
];
const MISSING = 'utm_source must be set (utmRules.required)';

describe('UTM rules of a workspace', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const setRules = async (utmRules: unknown = RULES): Promise<unknown> => {
    const { status, body } = await world.api.patch('/workspace', { utmRules });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.utmRules;
  };
  const refuse = ({ status, body }: ApiAnswer, ...faults: string[]) => {
    expect(status, JSON.stringify(body)).to.equal(422);
    expect(body.error.message).to.equal(faults.join('; '));
  };

  it('are none at first, have defaults, and can be removed', async () => {
    expect((await world.api.get('/workspace')).body.utmRules).to.equal(null);
    const none = { lowercase: false, separator: null, required: [] };
    expect(await setRules({})).to.deep.equal(none);
    expect(await setRules()).to.deep.equal(RULES);
    expect((await world.api.get('/workspace')).body.utmRules).to.deep.equal(RULES);
    expect(await setRules(null)).to.equal(null);
    expect((await world.api.post('/links', { url: BAD })).status).to.equal(201);
  });

  it('must be valid', async () => {
    for (const [utmRules, message] of [
      [{ lowercase: 'yes' }, /^utmRules.lowercase must be a boolean/],
      [{ separator: '.' }, /^utmRules.separator must be one of -, _/],
      [{ required: ['utm_nope'] }, /^utmRules.required\[0\] must be one of utm_source/],
      [{ required: ['utm_term', 'utm_term'] }, /^utmRules.required\[1\]/],
      [{ upper: true }, /^utmRules.upper is not a known field/],
      ['-', /^utmRules must be an object/],
    ] as const) {
      const { status, body } = await world.api.patch('/workspace', { utmRules });
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    }
  });

  it('refuse new links that break them, one by one and in bulk', async () => {
    await setRules();
    refuse(await world.api.post('/links', { url: BAD }), ...FAULTS);
    refuse(await world.api.post('/links', { url: A }), MISSING);
    refuse(await world.api.put('/links/upsert', { url: `${A}?utm_source=%20` }), MISSING);
    for (const url of [GOOD, 'mailto:ada@example.com', `${A}?utm_source={Source}`]) {
      expect((await world.api.post('/links', { url })).status).to.equal(201);
    }
    const { body } = await world.api.post('/links/bulk', [{ url: GOOD }, { url: BAD }]);
    expect(body[0].url).to.equal(GOOD);
    expect(body[1].error.message).to.equal(FAULTS.join('; '));
  });

  it('refuse new QR codes that break them, but no other content and no static ones', async () => {
    await setRules();
    refuse(await world.api.post('/qrcodes', { type: 'url', url: BAD }), ...FAULTS);
    for (const other of [
      { type: 'text', text: BAD },
      { type: 'url', url: BAD, static: true },
    ]) {
      expect((await world.api.post('/qrcodes', other)).status).to.equal(201);
    }
    const { body, status } = await world.api.post('/qrcodes', { type: 'url', url: GOOD });
    expect(status).to.equal(201);
    refuse(
      await world.api.patch(`/qrcodes/${body.id}`, { url: `${A}?utm_source=News` }),
      FAULTS[0]!,
    );
  });

  it('check only the parameters that a change alters', async () => {
    const { id } = (await world.api.post('/links', { url: BAD })).body;
    const { id: bare } = (await world.api.post('/links', { url: A })).body;
    await setRules();
    const change = (of: string, body: object) => world.api.patch(`/links/${of}`, body);

    expect((await change(id, { title: 'T' })).status).to.equal(200);
    expect((await change(id, { url: BAD.replace('/a', '/b') })).status).to.equal(200);
    expect((await change(bare, { url: `${A}/b` })).status).to.equal(200);
    refuse(
      await change(id, { url: `${A}?utm_source=News&utm_campaign=Fall_sale` }),
      FAULTS[1]!,
      FAULTS[2]!,
    );
    refuse(await change(bare, { url: `${A}?utm_source=News` }), FAULTS[0]!);
    expect((await change(bare, { url: GOOD })).body.url).to.equal(GOOD);
    refuse(await change(bare, { url: `${A}?utm_source=` }), MISSING);

    const { body } = await world.api.patch('/links/bulk', {
      linkIds: [bare],
      data: { url: `${A}?utm_source=News` },
    });
    expect(body[0].error.message).to.equal(FAULTS[0]);
  });

  it('check a web destination that replaces another kind as a new one', async () => {
    await setRules();
    const { id } = (await world.api.post('/links', { url: 'mailto:ada@example.com' })).body;
    refuse(await world.api.patch(`/links/${id}`, { url: A }), MISSING);
    expect((await world.api.patch(`/links/${id}`, { url: GOOD })).status).to.equal(200);
  });

  it('let a test choose a winner whose URL breaks them', async () => {
    await setRules({ lowercase: true, separator: null, required: [] });
    const variants = [
      { name: 'A', url: `${A}?utm_content=a`, percentage: 50 },
      { name: 'B', url: `${A}?utm_content=B`, percentage: 50 },
    ];
    for (const [path, type] of [
      ['/links', undefined],
      ['/qrcodes', 'url'],
    ] as const) {
      const made = await world.api.post(path, { type, url: GOOD, testVariants: variants });
      expect(made.status, JSON.stringify(made.body)).to.equal(201);
      const { status, body } = await world.api.patch(`${path}/${made.body.id}`, {
        testWinner: 'B',
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.url).to.contain('utm_content=B');
    }
  });

  it('let a revert restore earlier values', async () => {
    const { id } = (await world.api.post('/links', { url: BAD })).body;
    await setRules();
    await world.api.patch(`/links/${id}`, { url: GOOD });
    const changeId = await eventually(async () => {
      const { body } = await world.api.get(`/links/${id}/history`);
      expect(body.length).to.be.above(0);
      return body[0].id as string;
    });
    const { status, body } = await world.api.post(`/links/${id}/revert`, { changeId });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.url).to.equal(BAD);
  });

  it('are shown by the check of an import, and refuse its rows', async () => {
    await world.api.post('/links', { url: GOOD, key: 'there' });
    await setRules();
    const file = [
      'key,url',
      `good,${GOOD}`,
      `bad,${BAD}`,
      `bare,${A}`,
      // An update without the parameter leaves it alone.
      `there,${A}/b`,
    ].join('\n');
    const errors = [
      ...FAULTS.map((message) => ({ row: 3, message })),
      { row: 4, message: MISSING },
    ];
    for (const dryRun of [true, false]) {
      const one = await imported(world, file, { dryRun, onConflict: 'update' });
      expect(one.counts).to.deep.equal({ created: 1, updated: 1, skipped: 0, refused: 2 });
      const shown = one.errors.map(({ row, message }: { row: number; message: string }) => ({
        row,
        message,
      }));
      expect(shown).to.deep.equal(errors);
      if (dryRun) await world.api.post(`/imports/${one.id}/cancel`);
    }
    expect((await linkOf(world, 'there')).utm_source).to.equal('news');
  });
});

describe('values of UTM parameters', () => {
  it('are those of links, QR codes and templates, the most frequent first', async () => {
    const { api } = await aWorkspace();
    const other = await aWorkspace();
    await other.api.post('/links', { url: `${A}?utm_source=other` });
    const empty = {
      utm_source: [],
      utm_medium: [],
      utm_campaign: [],
      utm_term: [],
      utm_content: [],
    };
    expect((await api.get('/utm-values')).body).to.deep.equal(empty);

    for (const source of ['rare', 'news', 'news', '']) {
      await api.post('/links', { url: `${A}?utm_source=${source}` });
    }
    await api.post('/qrcodes', { type: 'url', url: `${A}?utm_source=poster&utm_medium=print` });
    await api.post('/utm-templates', { name: 'T', utm_source: 'news', utm_term: 'a' });

    expect((await api.get('/utm-values')).body).to.deep.equal({
      ...empty,
      utm_source: [
        { value: 'news', count: 3 },
        { value: 'poster', count: 1 },
        { value: 'rare', count: 1 },
      ],
      utm_medium: [{ value: 'print', count: 1 }],
      utm_term: [{ value: 'a', count: 1 }],
    });
  });

  it('are at most 100 of a parameter', async () => {
    const { api } = await aWorkspace();
    await api.post(
      '/links/bulk',
      Array.from({ length: 100 }, (_, n) => ({ url: `${A}?utm_source=s${n}` })),
    );
    await api.post('/links', { url: `${A}?utm_source=s100` });
    expect((await api.get('/utm-values')).body.utm_source).to.have.length(100);
  });
});
