/*
 * Creates a year of events for the benchmark of analytics, in a separate database that is kept:
 *
 *   npm run bench:seed -- --events 10000000
 *
 * They are inserted directly into the table; blocks and sums are then derived from them.
 */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildBlocksOf } from '../src/events/store/postgres/build-blocks.ts';
import { db, execute } from '../src/infra/db.ts';
import { thousands } from './figures.ts';
import { type BenchService, seedLinks, withService } from './service.ts';

/** Folder of the seeded database. */
export const SEEDED = path.resolve('.data-bench');

const LINKS = 10_000;
const DAYS = 365;
/** Rows per statement. */
const CHUNK = 500_000;

/** Countries by frequency; other countries share the rest. */
const COUNTRIES =
  'US IN BR DE GB FR JP MX ID ES IT CA NL PL TR AU KR TH VN PH AR CO ZA SE BE CH AT PT GR CZ RO HU ' +
  'DK FI NO IE NZ CL PE EG MA NG KE GH TN DZ SA AE IL QA KW OM JO LB IQ PK BD LK NP MM KH LA MY SG';

/** Skewed random values: smaller numbers are more frequent. */
const skewed = (count: number, power = 3) => `floor(${count} * power(random(), ${power}))::int`;

async function seed({ projectId }: BenchService, count: number): Promise<void> {
  await db().raw(
    `SELECT ensure_events_partition((current_date - make_interval(months => back))::date) FROM generate_series(0, 13) AS back`,
  );
  const indexes = await dropIndexes();
  for (let done = 0; done < count; done += CHUNK) {
    await insert(projectId, done, Math.min(CHUNK, count - done), count);
    process.stdout.write(`\r${thousands(Math.min(done + CHUNK, count))} events`);
  }
  console.log('\nindexes …');
  await db().raw("SET maintenance_work_mem = '1GB'");
  for (const definition of indexes) await db().raw(definition);
}

/** Creates as many QR codes as links, with similar ids. */
async function seedQrCodes({ projectId, domainId }: BenchService): Promise<void> {
  await db().raw(
    `INSERT INTO qrcodes (project_id, id, user_id, domain_id, key, type, url, content, design)
     SELECT project_id, 'qr_' || right(id, 24), user_id, :domainId, 'q' || key, 'url', url, '{}', '{}'
       FROM links WHERE project_id = :projectId`,
    { projectId, domainId },
  );
}

async function dropIndexes(): Promise<string[]> {
  const { rows } = await db().raw<{ rows: { name: string; definition: string }[] }>(
    `SELECT c.relname AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = 'events'::regclass AND NOT i.indisprimary`,
  );
  for (const { name } of rows) await db().raw('DROP INDEX ??', [name]);
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '));
}

async function insert(projectId: string, first: number, rows: number, all: number): Promise<void> {
  await db().raw(
    `INSERT INTO events (project_id, occurred_at, id, event, link_id, domain, key, url, continent, country, region, city,
                         device, browser, os, referer, referer_url, via, ip, page_id, event_name, amount_cents,
                         visitor)
     SELECT CAST(:projectId AS text), date_trunc('day', now()) - interval '${DAYS} days' + (n + random()) / CAST(:all AS float8) * interval '${DAYS} days',
            'evt_' || lpad(n::text, 24, '0'), kind.event,
            CASE WHEN kind.event = 'scan' THEN 'qr_' ELSE 'link_' END || lpad(link::text, 24, '0'),
            CASE WHEN link % 5 = 0 THEN 'go.bench.test' ELSE 'localhost' END, 'k' || link,
            'https://example.com/landing/' || link || '\\?campaign=autumn&visitor=' || n % 3, '', country,
            country || '-' || city % 20, 'City ' || city,
            (ARRAY['Mobile','Desktop','Tablet'])[1 + ${skewed(3, 2)}],
            (ARRAY['Chrome','Mobile Safari','Safari','Edge','Firefox','Samsung Internet','Opera','WebKit','Silk','Yandex'])[1 + ${skewed(10)}],
            (ARRAY['Android','iOS','Windows','macOS','Linux','Chrome OS'])[1 + ${skewed(6, 2)}],
            CASE WHEN site < 120 THEN '(direct)' ELSE 'site' || site || '.example' END,
            CASE WHEN site < 120 THEN '(direct)' ELSE 'https://site' || site || '.example/post/' || ${skewed(40)} END,
            CASE WHEN random() < 0.1 THEN 'qr' ELSE 'link' END, '192.0.2.0',
            CASE WHEN kind.event = 'view' THEN 'page_' || ${skewed(50)} END,
            CASE kind.event WHEN 'lead' THEN 'Sign up' WHEN 'sale' THEN 'Purchase' END,
            CASE WHEN kind.event = 'sale' THEN ${skewed(20_000, 2)} END,
            CASE WHEN kind.event IN ('click', 'scan', 'view') AND random() < 0.7 THEN 'new' END
       FROM (SELECT n, ${skewed(LINKS)} AS link, ${skewed(500, 2)} AS site, ${skewed(2_000)} AS city, random() AS dice
               FROM generate_series(:first::bigint, :last::bigint) AS n) AS drawn
      CROSS JOIN LATERAL (SELECT (string_to_array('${COUNTRIES}', ' '))[1 + city % ${COUNTRIES.split(' ').length}] AS country) AS there
      CROSS JOIN LATERAL (SELECT CASE WHEN dice < 0.86 THEN 'click' WHEN dice < 0.93 THEN 'scan' WHEN dice < 0.96 THEN 'view'
                                      WHEN dice < 0.99 THEN 'lead' ELSE 'sale' END AS event) AS kind`,
    { projectId, first, last: first + rows - 1, all } as unknown as Record<string, string>,
  );
}

async function main(argv: string[]): Promise<void> {
  const { values } = parseArgs({ args: argv, options: { events: { type: 'string' } } });
  const count = Number(values.events ?? '10000000');
  if (!Number.isInteger(count) || count < 1) throw new Error('--events must be a whole number');
  await withService(async (service) => {
    const { rows } = await db().raw<{ rows: object[] }>('SELECT 1 FROM events LIMIT 1');
    if (rows.length > 0) throw new Error(`${SEEDED} has events already: remove it first`);
    let began = performance.now();
    const seconds = () => {
      const passed = Math.round((performance.now() - began) / 1000);
      began = performance.now();
      return passed;
    };
    await seedLinks(service, LINKS);
    await seedQrCodes(service);
    await seed(service, count);
    console.log(`${thousands(count)} events in ${seconds()} s`);
    await db().raw(
      `INSERT INTO counters (project_id, record_id, visits)
       SELECT project_id, link_id, count(*) FROM events GROUP BY 1, 2`,
    );
    await execute(db(), 'INSERT INTO events_stored (project_id, count) VALUES (?, ?)', [
      service.projectId,
      count,
    ]);
    await buildBlocksOf(service.projectId, Infinity);
    console.log(`blocks and sums built in ${seconds()} s`);
    await db().raw('VACUUM ANALYZE');
    console.log(`vacuumed in ${seconds()} s`);
    const { rows: sizes } = await db().raw<{
      rows: [{ events: string; sums: string; blocks: string }];
    }>(
      `SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid)) FILTER (WHERE relname LIKE 'events%')) AS events,
              pg_size_pretty(sum(pg_total_relation_size(c.oid)) FILTER (WHERE relname IN ('event_block_sums', 'event_block_counts', 'event_values'))) AS sums,
              pg_size_pretty(sum(pg_total_relation_size(c.oid)) FILTER (WHERE relname IN ('event_blocks', 'event_block_columns'))) AS blocks
         FROM pg_class c WHERE relkind = 'r'`,
    );
    console.log(
      `on disk: events ${sizes[0].events}, sums with their values ${sizes[0].sums}, blocks ${sizes[0].blocks}`,
    );
  }, SEEDED);
}

if (import.meta.url === `file://${process.argv[1]}`) {
  await main(process.argv.slice(2));
  process.exit(0);
}
