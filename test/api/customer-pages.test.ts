import { expect } from 'chai';
import fc from 'fast-check';
import { type CustomerListQuery, listCustomers } from '../../src/customers/list.ts';
import { db } from '../../src/infra/db.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** More than a walk reads, so that pages come from both steps. */
const CUSTOMERS = 20_000;

interface Row {
  id: string;
  externalId: string;
  name: string | null;
  email: string | null;
  country: string | null;
  firstClickAt: number;
  leads: number;
  sales: number;
  saleAmount: number;
  lastSeenAt: number;
}

/** A row as Postgres returns it. */
type Stored = Omit<Row, 'firstClickAt' | 'lastSeenAt'> &
  Record<'firstClickAt' | 'lastSeenAt', Date | null>;

type Filters = Partial<
  Record<'search' | 'country' | 'minSaleAmount' | 'maxSaleAmount' | 'seenSince', string>
>;

/** Customers with many equal values. Newer ones are from another country, and have sales. */
async function seed(projectId: string): Promise<void> {
  await db().raw(
    `INSERT INTO customers (project_id, id, external_id, name, email, country, first_click_at)
     SELECT :projectId, 'cus_' || lpad(n::text, 6, '0'), 'user-' || n,
            CASE WHEN n % 10 > 0 THEN (ARRAY['Ada Li', 'Zoë Müller', 'JO %_', '田中'])[1 + n * 7 % 4] END,
            CASE WHEN n % 3 > 0 THEN 'p' || n % 50 || '@example.com' END,
            CASE WHEN n % 2000 = 0 THEN 'IS' WHEN n > 3500 THEN 'FR' WHEN n % 9 > 0 THEN 'DE' END,
            CASE WHEN n > 2500 THEN now() - n % 20 * interval '1 day' END
       FROM generate_series(1, ${CUSTOMERS}) AS n`,
    { projectId },
  );
  await db().raw(
    `INSERT INTO customer_counters
            (project_id, customer_id, leads, sales, sale_amount_cents, last_seen_at)
     SELECT project_id, id, n % 4, CASE WHEN n > 3000 THEN n % 3 ELSE 0 END,
            CASE WHEN n > 3000 THEN n % 3 * 100 ELSE 0 END,
            first_click_at + n % 2 * interval '1 hour'
       FROM (SELECT *, right(id, 6)::int AS n FROM customers WHERE project_id = :projectId) AS c`,
    { projectId },
  );
  await db().raw('ANALYZE customers, customer_counters');
}

const SEARCHES = [
  'a',
  'A',
  'p',
  '%',
  '~',
  '田',
  'zo',
  'LI',
  'ül',
  'MÜ',
  'ë ',
  '田中',
  '%_',
  '@E',
  '7-',
  '99',
  'ada',
  'müller',
  '@p9',
  'ser-1999',
  '15999',
  'example',
  'o %',
  'p4@',
  'nobody',
];

const VALUES: Record<CustomerListQuery['sortBy'], (row: Row) => string | number> = {
  createdAt: ({ id }) => id,
  saleAmount: ({ saleAmount }) => saleAmount,
  sales: ({ sales }) => sales,
  leads: ({ leads }) => leads,
  lastSeenAt: ({ lastSeenAt }) => lastSeenAt,
  firstClick: ({ firstClickAt }) => firstClickAt,
  country: ({ country }) => country ?? '',
};

const SORTS = Object.keys(VALUES) as CustomerListQuery['sortBy'][];

function matches(row: Row, filters: Filters): boolean {
  const { search, country, minSaleAmount, maxSaleAmount, seenSince } = filters;
  const texts = [row.name, row.email, row.externalId].map((text) => text?.toLowerCase() ?? '');
  return (
    (search === undefined || texts.some((text) => text.includes(search.toLowerCase()))) &&
    (country === undefined || country.split(',').includes(row.country ?? 'Unknown')) &&
    (minSaleAmount === undefined || row.saleAmount >= Number(minSaleAmount)) &&
    (maxSaleAmount === undefined || row.saleAmount <= Number(maxSaleAmount)) &&
    (seenSince === undefined || row.lastSeenAt >= Date.parse(seenSince))
  );
}

describe(`pages of ${CUSTOMERS} customers`, () => {
  let world: World;
  let all: Row[];

  before(async () => {
    world = await aWorkspace();
    await seed(world.projectId);
    const { rows } = await db().raw(
      `SELECT c.id, c.external_id AS "externalId", c.name, c.email, c.country,
              c.first_click_at AS "firstClickAt", t.leads, t.sales,
              t.sale_amount_cents AS "saleAmount", t.last_seen_at AS "lastSeenAt"
         FROM customers c JOIN customer_counters t
           ON t.project_id = c.project_id AND t.customer_id = c.id WHERE c.project_id = ?`,
      [world.projectId],
    );
    all = rows.map((row: Stored) => ({
      ...row,
      firstClickAt: row.firstClickAt?.getTime() ?? -1,
      lastSeenAt: row.lastSeenAt?.getTime() ?? -1,
    }));
  });

  const expected = (filters: Filters, sortBy: CustomerListQuery['sortBy'], sortOrder: string) => {
    const sign = sortOrder === 'asc' ? 1 : -1;
    const value = VALUES[sortBy];
    const compare = (a: string | number, b: string | number) => (a < b ? -1 : Number(a > b));
    return all
      .filter((row) => matches(row, filters))
      .toSorted((a, b) => sign * (compare(value(a), value(b)) || compare(a.id, b.id)))
      .map(({ id }) => id);
  };

  it('are those of a plain filter and sort, with any filters, order and cursor', async () => {
    const rarely = <Value>(...values: Value[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
    const filters = fc.record({
      search: fc.option(fc.constantFrom(...SEARCHES), { nil: undefined }),
      country: rarely('IS', 'DE', 'FR', 'Unknown', 'IS,FR', 'Unknown,FR', 'JP'),
      minSaleAmount: rarely('0', '1', '200', '201'),
      maxSaleAmount: rarely('-1', '0', '100'),
      seenSince: rarely(0.5, 10, 30).map(
        (days) => days && new Date(Date.now() - days * 86_400_000).toISOString(),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom(...SORTS),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 7, 100),
        async (some, sortBy, sortOrder, pageSize) => {
          const given = Object.fromEntries(
            Object.entries(some).filter(([, value]) => value !== undefined),
          ) as Filters;
          const ids = expected(given, sortBy, sortOrder);
          const query: Record<string, string> = {
            ...given,
            sortBy,
            sortOrder,
            pageSize: `${pageSize}`,
          };
          const page = async (where: object) => {
            const answer = await world.api.get('/customers', { ...query, ...where });
            expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
            const found = (answer.body as { id: string }[]).map(({ id }) => id);
            return { found, after: answer.headers.get('x-next-cursor') };
          };
          const first = await page({});
          expect(first.found).to.deep.equal(ids.slice(0, pageSize));
          expect(first.after === null).to.equal(ids.length <= pageSize);
          if (first.after === null) return;
          const second = await page({ after: first.after });
          expect(second.found).to.deep.equal(ids.slice(pageSize, 2 * pageSize));
          expect((await page({ page: '2' })).found).to.deep.equal(second.found);
          const far = Math.floor((ids.length - 1) / pageSize);
          expect((await page({ page: `${far + 1}` })).found).to.deep.equal(
            ids.slice(far * pageSize),
          );
        },
      ),
      { numRuns: 80 },
    );
  });

  it('are read without reading all customers, whatever the filter and the order', async () => {
    const filters: Partial<CustomerListQuery>[] = [
      {},
      { country: ['IS'] },
      { country: ['JP'] },
      { search: 'ab' },
      { search: '~' },
      { search: '田中 ' },
    ];
    for (const filter of filters) {
      for (const sortBy of SORTS) {
        for (const sortOrder of ['asc', 'desc'] as const) {
          const query = { ...filter, sortBy, sortOrder, page: 1, pageSize: 10 };
          const read = await rowsRead(() => listCustomers(world.projectId, query));
          // A walk reads 2,000 rows of each table, and as many to see whether others follow.
          expect(read, JSON.stringify(query)).to.be.below(6_500);
        }
      }
    }
  });
});

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Counts the rows of tables that the queries of an action read. */
async function rowsRead(act: () => Promise<unknown>): Promise<number> {
  const queries: { sql: string; bindings: unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => queries.push(query);
  db().on('query', note);
  await act();
  db().removeListener('query', note);
  let sum = 0;
  for (const { sql, bindings } of queries) {
    const { rows } = await db().raw(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${sql.replaceAll(/\$\d+/g, '?')}`,
      bindings as never,
    );
    sum += rowsOf(rows[0]['QUERY PLAN'][0].Plan);
  }
  expect(queries).not.to.deep.equal([]);
  return sum;
}

function rowsOf(plan: Plan): number {
  const own =
    plan['Relation Name'] === undefined
      ? 0
      : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), own);
}
