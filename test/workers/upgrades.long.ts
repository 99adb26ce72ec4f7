import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import * as twins from '../../migrations/0014_name_twins.ts';
import * as names from '../../migrations/0015_name_keys.ts';
import * as users from '../../migrations/0020_users.ts';
import * as invitations from '../../migrations/0021_invitations_and_audit.ts';
import * as imports from '../../migrations/0022_imports.ts';
import * as peers from '../../migrations/0025_imports_from_peers.ts';
import * as variants from '../../migrations/0029_test_variants.ts';
import * as utm from '../../migrations/0030_utm_and_site_files.ts';
import * as checks from '../../migrations/0031_destination_checks.ts';
import * as mail from '../../migrations/0032_mail.ts';
import * as hosts from '../../migrations/0033_host_blocklist.ts';
import * as reports from '../../migrations/0034_abuse_reports.ts';
import * as destinations from '../../migrations/0036_all_destinations.ts';
import * as packed from '../../migrations/0039_packed_rollups.ts';
import * as compact from '../../migrations/0040_compact_rollups.ts';
import * as verified from '../../migrations/0048_verified_addresses.ts';
import * as invitationMails from '../../migrations/0050_invitation_mails.ts';
import * as search from '../../migrations/0052_search.ts';
import * as clientsOfDub from '../../migrations/0054_clients_of_dub.ts';
import * as spellings from '../../migrations/0055_key_spellings.ts';
import * as conflict from '../../migrations/0056_query_conflict.ts';
import * as shlinkPaths from '../../migrations/0057_yourls_signatures_and_shlink_paths.ts';
import * as templatesOfDub from '../../migrations/0058_utm_templates_of_dub.ts';
import * as eventSums from '../../migrations/0059_event_sums.ts';
import * as excluded from '../../migrations/0060_excluded_networks.ts';
import * as nameKeys from '../../migrations/0061_name_keys_of_cities.ts';
import * as visitors from '../../migrations/0063_visitors.ts';
import * as leftOut from '../../migrations/0064_left_out.ts';
import * as suspects from '../../migrations/0065_suspects.ts';
import * as withoutEvents from '../../migrations/0067_counts_without_events.ts';
import * as guardsOfVisitors from '../../migrations/0068_guards_of_visitors.ts';
import * as pagesOfCodes from '../../migrations/0070_pages_of_codes.ts';
import * as qrcodeExports from '../../migrations/0071_qrcode_exports.ts';
import * as shortIndexes from '../../migrations/0072_short_event_indexes.ts';
import * as templateNames from '../../migrations/0076_template_names.ts';
import * as exportSizes from '../../migrations/0077_export_sizes.ts';
import * as codesOfFiles from '../../migrations/0078_codes_of_files.ts';
import * as fonts from '../../migrations/0079_fonts.ts';
import * as refunds from '../../migrations/0082_refunds.ts';
import * as mergedCustomers from '../../migrations/0083_merged_customers.ts';
import * as laterConversions from '../../migrations/0084_later_conversions.ts';
import * as oauth from '../../migrations/0085_oauth.ts';
import * as payments from '../../migrations/0086_payments.ts';
import * as webhookScopes from '../../migrations/0087_webhook_scopes.ts';
import * as publishableKeys from '../../migrations/0088_publishable_keys.ts';
import * as eventDestinations from '../../migrations/0089_destinations.ts';
import * as recordHistory from '../../migrations/0090_record_history.ts';
import * as trash from '../../migrations/0091_trash.ts';
import * as unknownPrivacy from '../../migrations/0092_unknown_privacy.ts';
import * as scheduledChanges from '../../migrations/0093_scheduled_changes.ts';
import * as destinationTests from '../../migrations/0094_destination_tests.ts';
import * as passwordResets from '../../migrations/0096_password_resets.ts';
import * as secondFactors from '../../migrations/0097_second_factors.ts';
import * as mappedMembers from '../../migrations/0098_mapped_members.ts';
import * as defaultTemplate from '../../migrations/0100_default_template.ts';
import * as limits from '../../migrations/0101_limits.ts';
import * as limitedLists from '../../migrations/0102_limited_lists.ts';
import * as utmRules from '../../migrations/0103_utm_rules.ts';
import * as sharedReports from '../../migrations/0104_shared_reports.ts';
import * as endedLimits from '../../migrations/0108_ended_limits.ts';
import * as reportMails from '../../migrations/0109_report_mails.ts';
import * as icons from '../../migrations/0110_icons.ts';
import * as bulkChanges from '../../migrations/0111_bulk_changes.ts';
import * as customerCounters from '../../migrations/0112_customer_counters.ts';
import * as passkeys from '../../migrations/0114_passkeys.ts';
import * as languages from '../../migrations/0115_languages.ts';
import * as letterPairs from '../../migrations/0116_letter_pairs.ts';
import { type Servers, startServers } from '../../scripts/embedded/servers.ts';
import { migrateEntries, migrateLatest, migrateTo } from '../../scripts/migrations.ts';
import { COLUMNS } from '../../src/events/columns.ts';
import type { EventRow } from '../../src/events/event.ts';
import { insertEvents, noteStored } from '../../src/events/store/postgres/append.ts';
import { Counts } from '../../src/events/store/postgres/counts.ts';
import { KeptCounter } from '../../src/events/store/postgres/keep-counts.ts';
import { QUARTER_MS } from '../../src/events/store/postgres/quarters.ts';
import { connectDb, type Knex } from '../../src/infra/db.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import { createWorkspace } from '../../src/workspaces/commands.ts';
import { browser } from '../support/browser.ts';
import { createDatabase, dropDatabase } from '../support/databases.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { unpacked } from '../support/packed-counts.ts';
import { expectKept, fillEmptyTables, rowsOf } from '../support/rows.ts';
import { schemaOf } from '../support/schema.ts';
import { type Service, startService } from '../support/service.ts';
import { withoutServers } from '../support/without-servers.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

/*
 * Upgrades databases that earlier commits created (see test/data/upgrades/README.md) as an operator
 * does: by starting the new service on them. Afterwards, all records must exist, be counted, and
 * remain usable.
 */

const SECRET_KEY = 'the-key-of-the-upgrade-fixtures-0123456789';
/**
 * Releases of the changelog, each with its last migration and the commit of its initial database.
 * The database was created by the release itself, or by the previous release and then migrated.
 * Empty tables get a row.
 */
const RELEASES = [
  ['0.1.0', '0003', '9399ecf'],
  ['0.2.0', '0004', '9399ecf'],
  ['0.3.0', '0009', '6ae9048'],
  ['0.4.0', '0022', '153d90c'],
  ['0.5.0', '0024', '153d90c'],
] as const;
const COMMITS = ['9399ecf', '6ae9048', '153d90c'];
const TABLES = ['links', 'qrcodes', 'tags', 'folders', 'domains', 'customers', 'webhooks'] as const;
const BUILD_MS = 60_000;
const TEST_MS = 600_000;
/** Number of events that an earlier version stored; UPGRADE_EVENTS asks for more. */
const OLD_EVENTS = Number(process.env['UPGRADE_EVENTS']) || 50_000;

/** Migrations after {@link search} that change the schema, in their order. */
const AFTER_SEARCH = [
  clientsOfDub,
  spellings,
  conflict,
  shlinkPaths,
  templatesOfDub,
  eventSums,
  excluded,
  nameKeys,
  visitors,
  leftOut,
  suspects,
  withoutEvents,
  guardsOfVisitors,
  pagesOfCodes,
  qrcodeExports,
  shortIndexes,
  templateNames,
  exportSizes,
  codesOfFiles,
  fonts,
  refunds,
  mergedCustomers,
  laterConversions,
  oauth,
  payments,
  webhookScopes,
  publishableKeys,
  eventDestinations,
  recordHistory,
  trash,
  unknownPrivacy,
  scheduledChanges,
  destinationTests,
  passwordResets,
  secondFactors,
  mappedMembers,
  defaultTemplate,
  limits,
  limitedLists,
  utmRules,
  sharedReports,
  endedLimits,
  reportMails,
  icons,
  bulkChanges,
  customerCounters,
  passkeys,
  languages,
  letterPairs,
];

/** Cities as an earlier version stored them. */
const DISTRICTS: readonly (readonly [country: string, region: string, city: string])[] = [
  ['DE', 'State of Berlin', 'Berlin'],
  ['DE', 'State of Berlin', 'Berlin (Bezirk Mitte)'],
  ['DE', 'State of Berlin', 'Berlin (Bezirk Tempelhof-Schoneberg)'],
  ['US', 'Connecticut', 'Berlin'],
  ['CH', 'Zurich', 'Zurich (Zurich (Kreis 1) / Hochschulen)'],
  ['CH', 'Zurich', 'Zurich (Zurich (Kreis 4))'],
  ['DE', 'Bavaria', 'Munich'],
  ['DE', 'Bavaria', 'Munich (Moosach)'],
  ['DE', 'Region (North)', 'Munich (Moosach)'],
  ['Unknown', 'Unknown', 'Unknown'],
];

interface TableCounts {
  events: number;
  /** Rows by table; `undefined` for tables that a later version added. */
  records: Record<string, number | undefined>;
}

describe('an upgrade', function () {
  let fresh: string[];

  before(async () => {
    await withDatabase('upgrade_fresh', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      fresh = await schemaOf(database);
    });
  });

  it('keeps tags whose names differed before', async () => {
    await withDatabase('upgrade_names', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      const { id: projectId } = await createWorkspace(database, { slug: 'names', plan: 'free' });
      // The order of columns depends on the order of migrations.
      for (const { down } of AFTER_SEARCH.toReversed()) await database.transaction(down);
      await search.down(database);
      await names.down(database);
      const written = ['Ärger', 'A\u0308rger', 'ärger', 'other'];
      await database('tags').insert(
        written.map((name, n) => ({ project_id: projectId, id: `tag_${n}`, name, color: 'red' })),
      );
      await twins.up(database);
      await names.up(database);
      // A database that already has the later migration stays unchanged.
      await twins.up(database);
      await search.up(database);
      for (const { up } of AFTER_SEARCH) await database.transaction(up);
      expect(await schemaOf(database)).to.deep.equal(fresh);
      const rows = await database('tags').orderBy('id').select('name', 'name_key');
      expect(rows).to.deep.equal([
        { name: 'Ärger', name_key: 'ärger' },
        { name: 'Ärger', name_key: 'ärger tag_1' },
        { name: 'ärger', name_key: 'ärger tag_2' },
        { name: 'other', name_key: 'other' },
      ]);
    });
  });

  it('packs the rollups of events that retention has deleted', async () => {
    await withDatabase('upgrade_packed', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      const { id: projectId } = await createWorkspace(database, { slug: 'packed', plan: 'free' });
      const long = 'x'.repeat(500);
      const urls = ['', '?utm_source=mail', '?a=1', `page?utm_term=${long}&utm_source=a#b`, long];
      const events = Array.from({ length: 90 }, (_, n) =>
        anEvent(projectId, {
          id: `evt_${n}`,
          occurred_at: new Date(Date.UTC(2025, n % 5, 1 + (n % 17), n % 24, n)).toISOString(),
          event: n % 7 === 0 ? 'sale' : 'click',
          amount_cents: n % 7 === 0 ? n : null,
          country: n % 2 === 0 ? 'DE' : 'FR',
          url: `https://example.com/${urls[n % 5]}`,
        }),
      );
      await keepCounts(database, projectId, events);
      await database.transaction(passkeys.down);
      await database.transaction(utmRules.down);
      await database.transaction(secondFactors.down);
      await database.transaction(destinationTests.down);
      await database.transaction(unknownPrivacy.down);
      await database.transaction(eventDestinations.down);
      await database.transaction(refunds.down);
      await database.transaction(pagesOfCodes.down);
      await database.transaction(withoutEvents.down);
      await database.transaction(suspects.down);
      await database.transaction(visitors.down);
      await database.transaction(eventSums.down);
      const counts = async () => (await database.raw(UNPACKED)).rows as UnpackedCount[];
      await database.transaction((trx) => compact.down(trx));
      const expected = await counts();
      expect(expected).to.have.length.above(100);
      await packed.down(database);
      for (const { dimension, event, bucket, quarter, value, n, amount } of expected) {
        const at = new Date(bucket.getTime() + (quarter ?? 0) * 900_000);
        const old = { project_id: projectId, domain: 'x.test', dimension, event };
        // Earlier versions stored digests of texts too long for an index, and the texts in a
        // separate table.
        const parts = value.split('\t').map((part) => (part.length > 400 ? digestOf(part) : part));
        for (const part of value.split('\t')) {
          if (part.length <= 400) continue;
          const text = { project_id: projectId, id: digestOf(part), value: part };
          await database('long_values').insert(text).onConflict().ignore();
        }
        const counted = { value: parts.join('\t'), count: n, amount_cents: amount };
        const step = quarter === null ? 'd' : 'q';
        await database('rollups').insert({ ...old, ...counted, step, bucket: at });
      }
      const from = new Date('2025-04-01T00:00:00Z');
      await database('workspaces').where({ id: projectId }).update({ events_from: from });
      await packed.up(database);
      expect(await counts()).to.deep.equal(expected.filter(({ bucket }) => bucket < from));
      expect(await database('rollup_rebuilds').pluck('project_id')).to.deep.equal([projectId]);
      const months = await database('rollups').where({ step: 'm', dimension: 'all' });
      const ofMonths = months.flatMap((row) => row.counts.map(Number)) as number[];
      expect(ofMonths.reduce((sum, n) => sum + n)).to.equal(
        events.filter(({ occurred_at }) => new Date(occurred_at) < from).length,
      );
      const stored = () => database('rollups').orderBy(['bucket', 'step', 'dimension', 'event']);
      const asArrays = await stored();
      await database.transaction((trx) => compact.up(trx));
      const asBytes = await stored();
      expect(asBytes).to.have.length(asArrays.length);
      await database.transaction((trx) => compact.down(trx));
      expect(await stored()).to.deep.equal(asArrays);
      await database.transaction((trx) => compact.up(trx));
      expect(await stored()).to.deep.equal(asBytes);
      await database.transaction(eventSums.up);
      const keptRows = database('kept_counts').orderBy(['bucket', 'step', 'dimension', 'event']);
      const columns = ['project_id', 'owner as domain', 'dimension', 'event', 'step', 'bucket'];
      expect(await keptRows.select(...columns, 'counts', 'quarters')).to.deep.equal(asBytes);
      await database.transaction(visitors.up);
      await database.transaction(suspects.up);
      await database.transaction(withoutEvents.up);
      await database.transaction(pagesOfCodes.up);
      await database.transaction(refunds.up);
      await database.transaction(eventDestinations.up);
      await database.transaction(unknownPrivacy.up);
      await database.transaction(destinationTests.up);
      await database.transaction(secondFactors.up);
      await database.transaction(utmRules.up);
      await database.transaction(passkeys.up);
      expect(await schemaOf(database)).to.deep.equal(fresh);
    });
  });

  it('keeps the counts of deleted events when rollups of all events end', async () => {
    await withDatabase('upgrade_kept', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      const { id: projectId } = await createWorkspace(database, { slug: 'kept', plan: 'free' });
      const at = (time: string, fields: Partial<EventRow> = {}) =>
        anEvent(projectId, {
          id: time,
          occurred_at: `2025-${time}:00.000Z`,
          link_id: 'link_rolled',
          country: 'DE',
          region: 'DE-BE',
          city: 'Berlin',
          ...fields,
        });
      const sale: Partial<EventRow> = {
        event: 'sale',
        url: 'https://example.com/?utm_source=mail#top',
        event_name: 'Order',
        page_id: 'page_a',
        variant: 'B',
      };
      const merged = [
        at('01-05T08:00', { event: 'scan', country: 'FR' }),
        at('01-31T23:59', { url: 'https://example.com/a' }),
        at('02-10T10:20', { ...sale, amount_cents: 700 }),
        at('03-31T23:59', { link_id: null }),
      ];
      const unmerged = [
        at('01-05T08:01', { event: 'scan', country: 'FR' }),
        at('02-10T10:21', { ...sale, amount_cents: 2 ** 40 }),
        at('02-10T15:00', { domain: 'y.test' }),
      ];
      // Retention would delete these next. Only one of their links has rollups of its own.
      const late = [
        at('02-10T10:29', { ...sale, amount_cents: 500 }),
        at('02-10T10:28', { ...sale, amount_cents: 1, link_id: 'link_few', country: 'JP' }),
        at('03-02T00:00', { link_id: null }),
      ];
      const stored = [at('04-01T00:00'), at('05-31T12:00', { ...sale, amount_cents: 9 })];
      const rowsOfEvents = async (events: readonly EventRow[]): Promise<KeptRow[]> => {
        await keepCounts(database, projectId, events, ['link_rolled']);
        const rows = (await database('kept_counts').select(KEPT_COLUMNS)) as KeptRow[];
        await database('kept_counts').delete();
        // Days that a version before 0.5.0 counted have no quarter-hours of destinations.
        return rows.map((row) =>
          row.dimension === 'url' && row.bucket.getTime() === Date.UTC(2025, 0, 31)
            ? { ...row, quarters: null }
            : row,
        );
      };
      const expected = [...(await rowsOfEvents(merged)), ...(await rowsOfEvents(unmerged))];
      const rolled = await rowsOfEvents([...merged, ...late, stored[0]!]);
      const added = await rowsOfEvents([...unmerged, stored[1]!]);
      const later = await rowsOfEvents(stored);
      const { visitor: _, suspect: __, privacy: ___, ...columns } = COLUMNS;
      const kept = async () => sumsOf((await database('kept_counts')) as KeptRow[]);

      await database.transaction(passkeys.down);
      await database.transaction(utmRules.down);
      await database.transaction(secondFactors.down);
      await database.transaction(destinationTests.down);
      await database.transaction(unknownPrivacy.down);
      await database.transaction(eventDestinations.down);
      await database.transaction(refunds.down);
      await database.transaction(pagesOfCodes.down);
      await database.transaction(withoutEvents.down);
      await database.transaction(suspects.down);
      await database.transaction(visitors.down);
      await database.transaction(eventSums.down);
      const events_from = new Date('2025-04-01T00:00:00Z');
      await database('workspaces').where({ id: projectId }).update({ events_from });
      await database('counters').insert([
        { project_id: projectId, record_id: 'link_few' },
        { project_id: projectId, record_id: 'link_rolled', rolled_from: new Date('2025-01-01') },
      ]);
      await database.transaction((trx) => insertEvents(trx, [...late, ...stored], columns));
      for (const { is_record, owner, ...row } of rolled) {
        const [table, key] = is_record ? ['record_rollups', 'record_id'] : ['rollups', 'domain'];
        await database(table).insert({ ...row, [key]: owner });
      }
      for (const { step, counts, quarters, ...row } of added) {
        const delta = { ...row, counts: quarters ?? counts };
        if (step === 'd') await database('rollup_deltas').insert(delta);
      }
      await database.transaction(eventSums.up);
      expect(await kept()).to.deep.equal(sumsOf(expected));
      for (const table of ['rollups', 'record_rollups', 'rollup_deltas']) {
        expect(await countOf(database, table), table).to.equal(0);
      }
      const name = { project_id: projectId, record_id: 'link_1', domain: '', key: '', url: '' };
      const refused = await database('record_names')
        .insert({ ...name, named_at: new Date() })
        .catch(({ message }: Error) => message);
      expect(refused).to.contain('retention waits until all processes run the new version');

      // Retention of the new version deletes the events of two more months.
      await database('kept_counts').insert(later);
      await database('events').where('occurred_at', '>=', events_from).delete();
      const withLater = sumsOf([...expected, ...later]);
      expect(await kept()).to.deep.equal(withLater);
      await database.transaction(async (trx) => {
        // In that zone, May begins in April, which is shorter.
        await trx.raw("SET LOCAL TIME ZONE 'America/New_York'");
        await eventSums.down(trx);
      });
      expect(await database('workspaces').pluck('events_from')).to.deep.equal([
        new Date('2025-06-01T00:00:00Z'),
      ]);
      await database.transaction(eventSums.up);
      expect(await kept()).to.deep.equal(withLater);
      await database.transaction(visitors.up);
      await database.transaction(suspects.up);
      await database.transaction(withoutEvents.up);
      await database.transaction(pagesOfCodes.up);
      await database.transaction(refunds.up);
      await database.transaction(eventDestinations.up);
      await database.transaction(unknownPrivacy.up);
      await database.transaction(destinationTests.up);
      await database.transaction(secondFactors.up);
      await database.transaction(utmRules.up);
      await database.transaction(passkeys.up);
      expect(await schemaOf(database)).to.deep.equal(fresh);
    });
  });

  it('does not lose visitors, suspects and refunds to processes of versions that know none', async () => {
    await withDatabase('upgrade_visitors', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      await database.transaction(passkeys.down);
      await database.transaction(utmRules.down);
      await database.transaction(secondFactors.down);
      await database.transaction(destinationTests.down);
      await database.transaction(unknownPrivacy.down);
      await database.transaction(eventDestinations.down);
      await database.transaction(refunds.down);
      await database.transaction(pagesOfCodes.down);
      await database.transaction(withoutEvents.down);
      await database.transaction(suspects.down);
      await database.transaction(visitors.down);
      const { id: project_id } = await createWorkspace(database, { slug: 'old', plan: 'free' });
      const kept = {
        project_id,
        is_record: false,
        owner: 'x.test',
        dimension: 'all',
        event: 'click',
        step: 'd',
        bucket: new Date('2025-01-05T00:00:00Z'),
        counts: Buffer.of(1, 0, 2),
      };
      /** Statements of the previous version. */
      const build = (id: number) =>
        database('event_blocks')
          .where({ project_id, id, claim: 7 })
          .update({ size: 1, claim: null });
      const insertSum = () =>
        database('event_block_sums').insert({ project_id, blocks: 16 }).returning('id');
      const claimed = { project_id, to_at: new Date(), claim: 7 };
      const insertBlock = async (from: string) => {
        const block = { ...claimed, from_at: new Date(from) };
        const [row] = await database('event_blocks').insert(block).returning('id');
        return row!.id as number;
      };
      const first = await insertBlock('2025-01-01');
      expect(await build(first)).to.equal(1);
      await insertSum();
      await database('kept_counts').insert(kept);
      await database('event_batches').insert({ id: 1 });

      await database.transaction(visitors.up);
      await database.transaction(suspects.up);
      await database.transaction(withoutEvents.up);
      await database.transaction(pagesOfCodes.up);
      await database.transaction(refunds.up);
      await database.transaction(eventDestinations.up);
      await database.transaction(unknownPrivacy.up);
      await database.transaction(destinationTests.up);
      await database.transaction(secondFactors.up);
      await database.transaction(utmRules.up);
      await database.transaction(passkeys.up);
      expect(await schemaOf(database)).to.deep.equal(fresh);
      const sizeOf = async (id: number) => {
        const [block] = await database('event_blocks').where({ project_id, id });
        return block!.size as number | null;
      };
      expect(await sizeOf(first)).to.equal(1);
      const second = await insertBlock('2025-01-02');
      expect(await build(second)).to.equal(0);
      expect(await sizeOf(second)).to.equal(null);
      for (const format of [2, 3]) {
        const earlier = { size: 1, claim: null, format };
        await database('event_blocks').where({ project_id, id: second }).update(earlier);
        expect(await sizeOf(second)).to.equal(null);
      }
      const current = { size: 1, claim: null, format: 4 };
      await database('event_blocks').where({ project_id, id: second }).update(current);
      expect(await sizeOf(second)).to.equal(1);
      // Emptied by an event of the previous version, which then builds it.
      await database('event_blocks').where({ project_id }).update({ size: null, claim: 7 });
      for (const id of [first, second]) {
        expect(await build(id)).to.equal(0);
        expect(await sizeOf(id)).to.equal(null);
      }
      for (const insert of [
        insertSum(),
        database('kept_counts').insert(kept),
        database('event_batches').insert({ id: 2 }),
        database('event_block_sums').insert({ project_id, blocks: 16, format: 3 }),
        database('event_batches').insert({ id: 2, format: 2 }),
      ]) {
        const refused = await insert.then(
          () => 'nothing',
          ({ message }: Error) => message,
        );
        expect(refused).to.contain('wait until all processes run the new version');
      }
      expect(await countOf(database, 'kept_counts')).to.equal(1);
    });
  });

  it('counts cities as one whose districts an earlier version stored', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-upgrade-'));
    const { visitor: _, suspect: __, privacy: ___, ...columns } = COLUMNS;
    await withDatabase('upgrade_cities', async (url, database) => {
      await migrateTo(url, migrationsUpTo('0060'));
      const { id: projectId } = await createWorkspace(database, { slug: 'cities', plan: 'pro' });
      await database('workspaces').update({ retention_days: 0 });
      const eventsFrom = (start: string, count: number) =>
        Array.from({ length: count }, (_, n) => {
          const [country, region, city] = DISTRICTS[(n * 7) % DISTRICTS.length]!;
          return anEvent(projectId, {
            id: `${start} ${n}`,
            occurred_at: new Date(Date.parse(start) + n * 1_000).toISOString(),
            country,
            region,
            city,
            ...(n % 99 === 0 ? { event: 'sale', amount_cents: n } : {}),
          });
        });
      const deleted = eventsFrom('2026-01-05T08:00:00Z', 1_000);
      const stored = eventsFrom('2026-03-05T08:00:00Z', OLD_EVENTS);
      await database.transaction(async (trx) => {
        for (let at = 0; at < stored.length; at += 50_000) {
          await insertEvents(trx, stored.slice(at, at + 50_000), columns);
        }
        await noteStored(trx, [[projectId, stored.length]]);
      });
      const servers = await startServers({
        dataDir: folder,
        env: { ...withoutServers(), DATABASE_URL: url, SECRET_KEY },
      });
      const service = await startService(
        servers,
        { CACHE_REDIS_URL: servers.redisUrl, DATA_DIR: folder, LOG_LEVEL: 'error' },
        'Procfile.small',
      );
      const { apiKey } = await createApiKey(database, {
        workspace: 'cities',
        name: 'test',
        scopes: ['*'],
      });
      await keepCounts(database, projectId, deleted);
      const ask = async (query: string) => {
        const answer = await fetch(`${service.apiUrl}/analytics?interval=all&${query}`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        expect(answer.status, query).to.equal(200);
        return answer.json();
      };
      const kept = async () => ({
        rows: (await rowsOf(database)).get('kept_counts'),
        events: await countOf(database, 'events'),
      });
      const before = await kept();

      const everyCityIsCounted = async (events: readonly EventRow[]) => {
        const all = [...deleted, ...events];
        for (const kind of ['click', 'sale'] as const) {
          const ofKind = all.filter(({ event }) => event === kind);
          const expected = new Map<string, number>();
          for (const { country, region, city } of ofKind) {
            const name = [country, region, city.replace(/ \(.*$/, '')].join(' / ');
            expected.set(name, (expected.get(name) ?? 0) + 1);
          }
          const rows: Record<string, string | number>[] = await ask(
            `groupBy=cities&event=${kind}s`,
          );
          const counted = rows.map((row): [string, number] => [
            [row['country'], row['region'], row['city']].join(' / '),
            Number(row[`${kind}s`]),
          ]);
          expect(counted).to.have.length(expected.size);
          expect(new Map(counted)).to.deep.equal(expected);
          expect(await ask(`groupBy=count`)).to.include({ [`${kind}s`]: ofKind.length });
        }
        // Filters count stored events only.
        const inBerlin = events.filter(
          ({ event, city }) => event === 'click' && city.startsWith('Berlin'),
        ).length;
        for (const city of ['Berlin', 'BÉRLIN', 'Berlin (Bezirk Mitte)']) {
          const { clicks } = await ask(`groupBy=count&city=${encodeURIComponent(city)}`);
          expect(clicks, city).to.equal(inBerlin);
        }
      };
      try {
        await everyCityIsCounted(stored);
        await eventually(
          async () => {
            const sizes = await database('event_blocks').pluck('size');
            expect(sizes).to.not.include(null).and.not.deep.equal([]);
          },
          (BUILD_MS * OLD_EVENTS) / 50_000,
        );
        await everyCityIsCounted(stored);
        // A worker of the earlier version goes on until it is stopped.
        const late = eventsFrom('2026-04-05T08:00:00Z', 20);
        await database.transaction((trx) => insertEvents(trx, late, columns));
        await everyCityIsCounted([...stored, ...late]);
        expect(await kept()).to.deep.equal({ ...before, events: before.events + late.length });
      } finally {
        await service.runner.stop();
        await servers.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }).timeout((TEST_MS * OLD_EVENTS) / 50_000);

  it('can be taken back where there are viewers, whom earlier versions don’t know', async () => {
    await withDatabase('upgrade_viewers', async (url, database) => {
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      const { id: project_id } = await createWorkspace(database, { slug: 'roles', plan: 'free' });
      for (const role of ['member', 'viewer']) {
        await database('users').insert({
          id: role,
          email: `${role}@people.test`,
          name: role,
          password_hash: 'hash',
        });
        await database('workspace_users').insert({ project_id, user_id: role, role });
      }
      const migrations = [
        users,
        invitations,
        imports,
        peers,
        variants,
        utm,
        checks,
        mail,
        hosts,
        reports,
        destinations,
        packed,
        compact,
        verified,
        invitationMails,
        search,
        ...AFTER_SEARCH,
      ];
      // Each migration runs in a separate transaction.
      for (const { down } of migrations.toReversed()) await database.transaction(down);
      expect(await rolesOf(database)).to.deep.equal(['member', 'owner']);
      expect(await countOf(database, 'users')).to.equal(3);
      for (const { up } of migrations) await database.transaction(up);
      expect(await schemaOf(database)).to.deep.equal(fresh);
      expect(await rolesOf(database)).to.deep.equal(['member', 'owner']);
    });
  });

  it('takes addresses for proven that the operator or a provider vouched for', async () => {
    await withDatabase('upgrade_addresses', async (url, database) => {
      await migrateTo(url, migrationsUpTo('0047'));
      const at = (day: string) => new Date(`2026-01-${day}T00:00:00Z`);
      const created_at = at('01');
      const workspace = { id: 'proj_a', slug: 'a', name: 'a', plan: 'free' };
      await database('workspaces').insert({ ...workspace, created_at });
      const user = (id: string, columns: object = {}) =>
        database('users').insert({
          id,
          email: `${id}@people.test`,
          name: id,
          password_hash: 'hash',
          created_at: at('02'),
          ...columns,
        });
      const linked = (user_id: string, day: string) =>
        database('user_identities').insert({
          issuer: 'https://provider.test',
          subject: user_id,
          user_id,
          created_at: at(day),
        });
      await user('operator', { is_operator: true });
      await user('without-password', { password_hash: null });
      await user('with-workspace', { created_at });
      await database('workspace_users').insert({
        project_id: 'proj_a',
        user_id: 'with-workspace',
        role: 'owner',
      });
      await user('by-command');
      await database('audit_log').insert({
        project_id: 'proj_a',
        id: 'a',
        action: 'member.create',
        target_kind: 'member',
        target_id: 'by-command',
      });
      await user('by-provider', { password_hash: 'chosen later', password_version: 1 });
      await linked('by-provider', '02');
      await user('linked-later');
      await linked('linked-later', '03');
      await user('by-invitation');
      await database('workspace_users').insert({
        project_id: 'proj_a',
        user_id: 'by-invitation',
        role: 'member',
      });
      for (const user_id of ['linked-later', 'by-provider', 'by-invitation']) {
        await database('sessions').insert({
          id: `of-${user_id}`,
          user_id,
          hash: user_id,
          method: 'password',
          user_agent: '',
          network: '',
          expires_at: new Date(Date.now() + 86_400_000),
        });
      }
      await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
      const unproven = await database('users').whereNull('email_verified_at').pluck('id');
      expect(unproven).to.deep.equal(['by-invitation']);
      // The password of an account that was linked later may belong to another person.
      const without = await database('users').whereNull('password_hash').pluck('id');
      expect(without).to.have.members(['without-password', 'linked-later']);
      const ended = await database('sessions').whereNotNull('ended_at').pluck('id');
      expect(ended).to.deep.equal(['of-linked-later']);
      expect(await countOf(database, 'workspace_users')).to.equal(2);
    });
  });

  for (const [version, last, commit] of RELEASES) {
    it(`from release ${version} keeps every row of every table`, async () => {
      await withDatabase(`upgrade_${last}`, async (url, database) => {
        await restore(url, commit);
        await migrateTo(url, migrationsUpTo(last));
        await fillEmptyTables(database);
        const before = await rowsOf(database);
        expect(before.get('links')?.length).to.be.at.least(9);
        await migrateLatest({ databaseUrl: url, secretKey: SECRET_KEY });
        await migrateEntries(url);
        expect(await schemaOf(database)).to.deep.equal(fresh);
        const after = await rowsOf(database);
        for (const [table, rows] of before) {
          if (after.has(table)) expectKept(table, rows, after.get(table)!);
        }
        const clicks = after.get('events')!.filter(({ event }) => event === 'click');
        expect(clicks).to.have.length.of.at.least(100);
      });
    });
  }

  for (const commit of COMMITS) {
    describe(`from ${commit}`, () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-upgrade-'));
      const name = `upgrade_${commit}`;
      let old: TableCounts;
      let database: Knex;
      let servers: Servers;
      let settings: Record<string, string>;
      let service: Service;
      let apiKey: string;
      let projectId: string;

      before(async () => {
        const url = await createDatabase(name);
        await restore(url, commit);
        database = connectDb(url, 2, 'test');
        old = await countsOf(database);
        servers = await startServers({
          dataDir: folder,
          env: { ...withoutServers(), DATABASE_URL: url, SECRET_KEY },
        });
        settings = {
          CACHE_REDIS_URL: servers.redisUrl,
          DATA_DIR: folder,
          LOG_LEVEL: 'error',
        };
        service = await startService(servers, settings, 'Procfile.small');
        const key = await createApiKey(database, {
          workspace: 'acme',
          name: 'test',
          scopes: ['*'],
        });
        apiKey = key.apiKey;
        projectId = (await database('workspaces').where({ slug: 'acme' }).first('id')).id;
      });

      after(async () => {
        await service?.runner.stop();
        await servers?.stop();
        await database?.destroy();
        await dropDatabase(name);
        rmSync(folder, { recursive: true, force: true });
      });

      // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
      async function get(route: string): Promise<any> {
        const answer = await fetch(service.apiUrl + route, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        expect(answer.status, route).to.equal(200);
        return answer.json();
      }

      async function sql<Row>(query: string): Promise<Row[]> {
        const { rows } = await database.raw<{ rows: Row[] }>(query, { projectId });
        return rows;
      }

      /** Expects analytics to equal the counts of the events. */
      async function everyEventIsCounted(): Promise<void> {
        const ask = (groupBy: string) => get(`/analytics?groupBy=${groupBy}&interval=all`);
        const groups: [groupBy: string, field: string, value: string][] = [
          ['countries', 'country', 'country'],
          ['devices', 'device', 'device'],
          ['browsers', 'browser', 'browser'],
          ['os', 'os', 'os'],
          // Earlier versions stored districts.
          ['cities', 'city', "split_part(city, ' (', 1)"],
          ['referers', 'referer', 'referer'],
          ['top_urls', 'url', "split_part(split_part(url, '#', 1), chr(63), 1)"],
          ['top_links', 'id', 'link_id'],
        ];
        const [{ clicks, leads, sales }] = (await sql(
          `SELECT count(*) FILTER (WHERE event = 'click') AS clicks, count(*) FILTER (WHERE event = 'lead') AS leads,
                    count(*) FILTER (WHERE event = 'sale') AS sales FROM events WHERE project_id = :projectId`,
        )) as [{ clicks: number; leads: number; sales: number }];
        expect(clicks).to.be.at.least(700);
        expect(await ask('count')).to.include({ clicks, leads, sales });
        const series = (await ask('timeseries')) as { clicks: number }[];
        expect(series.reduce((sum, bucket) => sum + bucket.clicks, 0)).to.equal(clicks);
        for (const [groupBy, field, column] of groups) {
          const expected = await sql<{ value: string; count: number }>(
            `SELECT ${column} AS value, count(*) FROM events
                WHERE project_id = :projectId AND event = 'click' AND ${column} IS NOT NULL GROUP BY 1`,
          );
          const answered = (await ask(groupBy)) as Record<string, string & number>[];
          const found = new Map<string, number>();
          for (const row of answered) {
            found.set(row[field]!, (found.get(row[field]!) ?? 0) + row['clicks']!);
          }
          expect(found, groupBy).to.deep.equal(
            new Map(expected.map(({ value, count }) => [value, count])),
          );
        }
        const part = await get('/analytics?groupBy=count&interval=all&url=example.com/0');
        const [{ count }] = (await sql(
          `SELECT count(*) FROM events
              WHERE project_id = :projectId AND event = 'click' AND url LIKE '%example.com/0%'`,
        )) as [{ count: number }];
        expect(part.clicks).to.equal(count);
      }

      it('results in the schema of a new database', async () => {
        expect(await schemaOf(database)).to.deep.equal(fresh);
      });

      it('keeps every record and its secrets', async () => {
        const now = await countsOf(database);
        expect(now.events).to.equal(old.events);
        for (const [table, count] of Object.entries(old.records)) {
          if (count !== undefined) expect(now.records[table], table).to.equal(count);
        }
        const links = await get('/links?pageSize=100');
        expect(links).to.have.length(9);
        expect(links.find(({ key }: { key: string }) => key === 'key-7').password).to.equal(
          'open sesame',
        );
      });

      it('counts every event in every group, before and after blocks are built', async () => {
        await everyEventIsCounted();
        await eventually(async () => {
          const sizes = await database('event_blocks')
            .where({ project_id: projectId })
            .pluck('size');
          expect(sizes).to.not.include(null).and.not.deep.equal([]);
        }, BUILD_MS);
        await everyEventIsCounted();
      });

      // One database is enough, since all are sealed alike; sealed-upgrade.long.ts covers every
      // kind of text.
      if (commit === COMMITS[0]) {
        it('keeps what is sealed readable, and ids of clicks, when SECRET_KEY is replaced', async () => {
          const next = 'the-next-key-of-the-upgrade-fixtures-0123456789';
          const env = { ...withoutServers(), DATABASE_URL: servers.databaseUrl, DATA_DIR: folder };
          const both = { SECRET_KEY: next, SECRET_KEY_OTHER: SECRET_KEY };
          const run = async (keys: Record<string, string>, ...args: string[]): Promise<string> => {
            const { stdout } = await promisify(execFile)(process.execPath, args, {
              env: { ...env, REDIS_URL: servers.redisUrl, ...keys },
            });
            return stdout;
          };
          const passwordOf = async (key: string) => {
            const links = (await get('/links?pageSize=100')) as { key: string; password: string }[];
            return links.find((link) => link.key === key)?.password;
          };
          const clickId = (keys: Record<string, string>) =>
            run(keys, '--input-type=module', '-e', CLICK_ID);
          const before = await clickId({ SECRET_KEY });
          await service.runner.stop();
          service = await startService(
            { ...servers, secretKey: next, otherSecretKey: SECRET_KEY },
            settings,
            'Procfile.small',
          );
          expect(await passwordOf('key-7')).to.equal('open sesame');
          const args = ['dist/programs/cli.js', 'secrets', 'rewrite', '--json'];
          const { rewritten, jobsLeft } = JSON.parse(await run(both, ...args));
          expect(rewritten['links.password']).to.equal(1);
          expect(jobsLeft).to.equal(0);
          const again = JSON.parse(await run(both, ...args));
          expect(new Set(Object.values(again.rewritten))).to.deep.equal(new Set([0]));
          await service.runner.stop();
          service = await startService({ ...servers, secretKey: next }, settings, 'Procfile.small');
          expect(await passwordOf('key-7')).to.equal('open sesame');
          const found = await get('/links?password=open%20sesame');
          expect(found).to.have.length(1);
          expect(await clickId({ SECRET_KEY: next })).to.equal(before);
        });
      }

      it('redirects, stores new visits and counts them', async () => {
        const { clicks } = await get('/analytics?groupBy=count&interval=all');
        const statuses = await Promise.all(
          Array.from({ length: 10 }, (_, n) => visit(service.redirectPorts[n % 2]!, n)),
        );
        expect(new Set(statuses)).to.deep.equal(new Set([302]));
        await eventually(async () => {
          const now = await get('/analytics?groupBy=count&interval=all');
          expect(now.clicks).to.equal(clicks + 10);
        });
      });
    });
  }
});

/** Script that prints the id of a click. */
const CLICK_ID = `
  const { db, closeDb } = await import('${process.cwd()}/dist/src/infra/db.js');
  const { takeLastingKeys } = await import('${process.cwd()}/dist/src/infra/secret-key.js');
  const { clickId } = await import('${process.cwd()}/dist/src/visitors/click-id.js');
  await takeLastingKeys(db());
  console.log(clickId({ target: 'link_a', ip: '192.0.2.1', userAgent: 'a', at: 0, visitId: 'b' }, 60));
  await closeDb();`;

interface UnpackedCount {
  dimension: string;
  event: string;
  bucket: Date;
  quarter: number | null;
  value: string;
  n: number;
  amount: number;
}

/** Query for the days of all rollups and their later additions, one count per row. */
const UNPACKED = `
  SELECT c.dimension, c.event, c.bucket, c.quarter, CASE WHEN c.dimension = 'all' THEN '' ELSE v.value END AS value,
         sum(c.n)::int AS n, sum(c.amount)::int AS amount
    FROM (SELECT dimension, event, bucket, n, coalesce(amount, 0) AS amount,
                 CASE WHEN dimension IN ('all', 'country', 'device', 'browser', 'os') THEN id / 96 ELSE id END AS id,
                 CASE WHEN dimension IN ('all', 'country', 'device', 'browser', 'os') THEN (id % 96)::int END AS quarter
            FROM (SELECT dimension, event, bucket, ids, counts, amounts FROM rollups WHERE step = 'd'
                   UNION ALL SELECT dimension, event, bucket, ids, counts, amounts FROM rollup_deltas) AS r,
                 unnest(ids, counts, amounts) AS u(id, n, amount)) AS c
    LEFT JOIN event_values v ON v.id = c.id
   GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`;

/** Shortens a text as the database function `rollup_value` does. */
const digestOf = (text: string): string => `\u0001${createHash('md5').update(text).digest('hex')}`;

interface KeptRow {
  project_id: string;
  is_record: boolean;
  owner: string;
  dimension: string;
  event: string;
  step: 'd' | 'm';
  bucket: Date;
  counts: Buffer;
  quarters: Buffer | null;
}

/** Columns of {@link KeptRow}, which earlier versions have too. */
const KEPT_COLUMNS = [
  'project_id',
  'is_record',
  'owner',
  'dimension',
  'event',
  'step',
  'bucket',
  'counts',
  'quarters',
] as const satisfies (keyof KeptRow)[];

/** Counts events as retention does, and keeps the counts. */
async function keepCounts(
  database: Knex,
  projectId: string,
  events: readonly EventRow[],
  records: readonly string[] = [],
): Promise<void> {
  const counter = new KeptCounter(projectId);
  for (const event of events) {
    const quarter = Math.floor(Date.parse(event.occurred_at) / QUARTER_MS);
    counter.add(event, quarter, event.link_id !== null && records.includes(event.link_id));
  }
  await database.transaction((trx) => counter.write(trx));
}

/** Adds up the rows of each period, by the ids of values and by quarter-hour. */
function sumsOf(rows: readonly KeptRow[]): Map<string, [id: number, sums: string][]> {
  const byKey = new Map<string, Counts>();
  for (const { is_record, owner, dimension, event, step, bucket, counts, quarters } of rows) {
    const key = `${is_record} ${owner} ${dimension} ${event} ${step} ${bucket.toISOString()}`;
    for (const [unit, packedCounts] of Object.entries({ counts, quarters })) {
      if (packedCounts === null) continue;
      const sums = byKey.get(`${key} ${unit}`) ?? new Counts();
      byKey.set(`${key} ${unit}`, sums);
      sums.addAll(unpacked(packedCounts));
    }
  }
  const entries = [...byKey].map(([key, sums]): [string, [number, string][]] => {
    const ofKey: [number, string][] = [];
    sums.forEach((id, count, amount) => {
      if (count !== 0 || Number(amount) !== 0) ofKey.push([id, `${count}, ${amount} cents`]);
    });
    return [key, ofKey.toSorted(([a], [b]) => a - b)];
  });
  return new Map(
    entries.filter(([, ofKey]) => ofKey.length > 0).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

async function withDatabase(
  name: string,
  work: (url: string, database: Knex) => Promise<void>,
): Promise<void> {
  const url = await createDatabase(name);
  const database = connectDb(url, 2, 'test');
  try {
    await work(url, database);
  } finally {
    await database.destroy();
    await dropDatabase(name);
  }
}

async function restore(url: string, commit: string): Promise<void> {
  const dump = gunzipSync(readFileSync(`test/data/upgrades/${commit}.sql.gz`)).toString();
  // The dump changes the search path of its session, so it uses a separate connection.
  const database = connectDb(url, 1, 'test');
  try {
    await database.raw(dump.replaceAll('?', '\\?'));
  } finally {
    await database.destroy();
  }
}

const migrationsUpTo = (last: string): string[] =>
  readdirSync('dist/programs/migrations').filter(
    (name) => name.endsWith('.js') && name.slice(0, last.length) <= last,
  );

async function countsOf(database: Knex): Promise<TableCounts> {
  const records: TableCounts['records'] = {};
  for (const table of TABLES) {
    const there = await database.schema.hasTable(table);
    records[table] = there ? await countOf(database, table) : undefined;
  }
  return { events: await countOf(database, 'events'), records };
}

/** Lists the roles of all members, sorted. */
const rolesOf = async (database: Knex): Promise<string[]> =>
  database('workspace_users').orderBy('role').pluck('role');

async function countOf(database: Knex, table: string): Promise<number> {
  const [row] = await database(table).count<{ count: number }[]>();
  return row!.count;
}

/**
 * Visits a link.
 * @returns the status
 */
function visit(port: number, visitor: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'go.acme.test', 'user-agent': browser(visitor) };
    request({ host: '127.0.0.1', port, path: '/key-0', headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}
