import { expect } from 'chai';
import fc from 'fast-check';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson, type Person } from '../support/people.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Compares lists, counts and groups under random limits with a filter in plain code. The records
 * are in every combination of folder, domain and person.
 */

interface Place {
  folderId: string | null;
  domain: string;
  userId: string;
}
interface Made extends Place {
  id: string;
  kind: 'links' | 'qrcodes';
  tags: string[];
  isDeleted: boolean;
  clicks: number;
}
interface Limits {
  folderIds?: string[];
  domains?: string[];
  own?: boolean;
}
type Counts = Record<string, number>;

const RUNS = 40;

const countsOf = (values: readonly (string | null)[]): Counts => {
  const counts: Counts = {};
  for (const value of values) if (value !== null) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

describe('lists of a caller with random limits', () => {
  let world: World;
  let people: Person[];
  let folderIds: string[];
  let domains: string[];
  let tags: { id: string; name: string }[];
  const made: Made[] = [];
  /** A key of each person, whose limits change. */
  const keys: { id: string; api: ApiClient; userId: string }[] = [];

  before(async () => {
    world = await aWorkspace();
    const { api } = world;
    people = [
      await aPerson({ in: { ...world, role: 'member' } }),
      await aPerson({ in: { ...world, role: 'member' } }),
    ];
    const folder = async (name: string) => (await api.post('/folders', { name })).body.id as string;
    folderIds = [await folder('A'), await folder('B'), await folder('C')];
    domains = [world.domain, 'localhost'];
    tags = [
      (await api.post('/tags', { name: 'red' })).body,
      (await api.post('/tags', { name: 'blue' })).body,
    ];
    for (const person of people) {
      for (const folderId of [...folderIds, null]) {
        for (const domain of domains) await create(person, { folderId, domain });
      }
      const { key, id } = (await api.post('/keys', { name: 'limited', scopes: ['*'] })).body;
      await db()('api_keys').where({ id }).update({ user_id: person.userId });
      keys.push({ id, api: new ApiClient(key), userId: person.userId });
    }
    const clicks = made.reduce((sum, record) => sum + record.clicks, 0);
    await eventually(async () => {
      expect((await api.get('/analytics')).body.clicks).to.equal(clicks);
    }, 60_000);
  });

  /** Creates two links, one of which is deleted, and a QR code in a place; visits the first. */
  async function create(person: Person, place: Omit<Place, 'userId'>) {
    const at = made.length;
    const tag = tags[at % 3];
    const fields = { ...place, tagIds: tag === undefined ? [] : [tag.id], title: `record ${at}` };
    const url = `https://example.com/${at}`;
    const record = async (path: Made['kind'], body: object) => {
      const { status, body: created } = await person.api.post(`/${path}`, { ...fields, ...body });
      expect(status, JSON.stringify(created)).to.equal(201);
      const one = { ...place, kind: path, userId: person.userId, id: created.id as string };
      const names = tag === undefined ? [] : [tag.id];
      made.push({ ...one, tags: names, isDeleted: false, clicks: 0 });
      return { made: made.at(-1)!, key: created.key as string };
    };
    const visited = await record('links', { url });
    await record('qrcodes', { type: 'url', url });
    const deleted = await record('links', { url });
    await person.api.delete(`/links/${deleted.made.id}`);
    deleted.made.isDeleted = true;
    const agent = { userAgent: browser(at), host: place.domain };
    expect((await world.visit(`/${visited.key}`, agent)).status).to.equal(302);
    visited.made.clicks = 1;
  }

  const isInside = (record: Place, { folderIds: ids, domains: names, own }: Limits, me: string) =>
    (ids === undefined || (record.folderId !== null && ids.includes(record.folderId))) &&
    (names === undefined || names.includes(record.domain)) &&
    (own !== true || record.userId === me);

  async function compare(
    { api, userId }: Pick<(typeof keys)[number], 'api' | 'userId'>,
    limits: Limits,
  ) {
    const inside = made.filter((record) => isInside(record, limits, userId));
    const get = async (path: string, query: Record<string, string | number | boolean> = {}) => {
      const { status, body } = await api.get(path, query);
      expect(status, `${path} ${JSON.stringify(body)}`).to.equal(200);
      return body;
    };
    const ids = (records: { id: string }[]) => records.map(({ id }) => id).toSorted();
    for (const kind of ['links', 'qrcodes'] as const) {
      const expected = inside.filter((record) => record.kind === kind && !record.isDeleted);
      for (const sort of ['createdAt', 'lastClicked']) {
        const listed = await get(`/${kind}`, { pageSize: 100, sort });
        expect(ids(listed), kind).to.deep.equal(ids(expected));
      }
      expect(ids(await get(`/${kind}`, { query: 'record', pageSize: 100 }))).to.deep.equal(
        ids(expected),
      );
      expect(await get(`/${kind}/count`)).to.equal(expected.length);
      const groups = {
        folder: ['folderId', expected.map(({ folderId }) => folderId)],
        domain: ['domain', expected.map(({ domain }) => domain)],
        tag: ['tagId', expected.flatMap((record) => record.tags)],
      } as const;
      for (const [groupBy, [field, values]] of Object.entries(groups)) {
        const rows: { _count: number }[] = await get(`/${kind}/count`, { groupBy });
        const counted = Object.fromEntries(
          rows.map((row) => [row[field as keyof typeof row], row._count]),
        );
        expect(counted, `${kind} by ${groupBy}`).to.deep.equal(countsOf(values));
      }
    }
    const deleted = inside.filter(({ isDeleted }) => isDeleted);
    expect(ids(await get('/trash', { pageSize: 100 }))).to.deep.equal(ids(deleted));
    const visited = inside.filter(({ clicks }) => clicks > 0);
    expect((await get('/analytics')).clicks).to.equal(visited.length);
    expect((await get('/analytics', { interval: 'all_unfiltered' })).clicks).to.equal(
      visited.length,
    );
    expect(ids(await get('/analytics', { groupBy: 'top_links' }))).to.deep.equal(ids(visited));
    const byFolder: { id: string; clicks: number }[] = await get('/analytics', {
      groupBy: 'top_folders',
    });
    expect(Object.fromEntries(byFolder.map(({ id, clicks }) => [id, clicks]))).to.deep.equal(
      countsOf(visited.map(({ folderId }) => folderId)),
    );
    const events: { link: { id: string } }[] = await get('/events');
    expect(ids(events.map(({ link }) => link))).to.deep.equal(ids(visited));
    const csv = (await api.download('/links/export')).bytes.toString();
    expect(csv.trimEnd().split('\r\n')).to.have.length(
      1 + inside.filter(({ kind, isDeleted }) => kind === 'links' && !isDeleted).length,
    );
    const { usage } = await get('/workspace');
    const remaining = inside.filter(({ isDeleted }) => !isDeleted);
    expect(usage.links + usage.qrcodes).to.equal(remaining.length);
    expect(usage.eventsThisMonth).to.equal(visited.length);
  }

  it('have exactly the records inside', async () => {
    const limitsOf = (own: fc.Arbitrary<boolean>) =>
      fc
        .record(
          {
            folderIds: fc.subarray(folderIds, { minLength: 1 }),
            domains: fc.subarray(domains, { minLength: 1 }),
            own,
          },
          { requiredKeys: [] },
        )
        .filter(({ folderIds: ids, domains: names, own: isOwn }) =>
          [ids, names, isOwn || undefined].some((part) => part !== undefined),
        );
    await fc.assert(
      fc.asyncProperty(limitsOf(fc.boolean()), fc.nat(1), async (limits, at) => {
        const key = keys[at]!;
        const { status } = await world.api.patch(`/keys/${key.id}`, { limits });
        expect(status).to.equal(200);
        await compare(key, limits);
      }),
      { numRuns: RUNS },
    );
  });
});
