import { config } from '../src/config.ts';
import { pluralOf } from '../src/events/kinds.ts';
import { ClickHouse } from '../src/events/store/clickhouse/connection.ts';
import { MOVED_KINDS } from '../src/events/store/clickhouse/schema.ts';
import { clickhouseStore } from '../src/events/store/clickhouse/store.ts';
import { moveToClickHouse, moveToPostgres } from '../src/events/store/clickhouse/transfer.ts';
import { eventsStore } from '../src/events/store/index.ts';
import { pendingBlocks } from '../src/events/store/postgres/build-blocks.ts';
import { db, rows } from '../src/infra/db.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { type Command, required, slugOf, UsageError } from './cli-options.ts';

const MOVES = { clickhouse: moveToClickHouse, postgres: moveToPostgres };

const isPlace = (text: string): text is keyof typeof MOVES => Object.hasOwn(MOVES, text);

/** A period that contains every visit. */
const EVER = { start: new Date(0), end: new Date('9999-01-01') };

/** Commands about blocks and the storage of events. */
export const EVENT_COMMANDS: Record<string, Command> = {
  'blocks rebuild': {
    summary: 'Let the workers derive the blocks of a workspace from its events again',
    usage: '--workspace acme',
    async run(options) {
      await eventsStore().rebuild(await workspaceId(db(), slugOf(options, 'workspace')));
      return pendingBlocks(db());
    },
  },
  'blocks pending': {
    summary: 'List workspaces with blocks to be built',
    usage: '',
    run: () => pendingBlocks(db()),
  },
  'events move': {
    summary: 'Move clicks, scans and views to the ClickHouse of EVENTS_URL, or back to Postgres',
    usage: '--to clickhouse|postgres [--workspace acme]',
    async run(options, log) {
      const to = required(options, 'to');
      if (!isPlace(to)) throw new UsageError('--to must be one of clickhouse, postgres');
      const { EVENTS_URL } = config();
      if (EVENTS_URL === '') throw new UsageError('EVENTS_URL is required');
      const slug = options['workspace'] === undefined ? null : slugOf(options, 'workspace');
      const workspaces = await rows<{ id: string; slug: string }>(
        db(),
        'SELECT id, slug FROM workspaces WHERE :slug::text IS NULL OR slug = :slug ORDER BY id',
        { slug },
      );
      const [clickhouse, store] = [new ClickHouse(EVENTS_URL), clickhouseStore(EVENTS_URL)];
      const count = async (projectId: string) => {
        const span = { ...EVER, granularity: 'month' as const, timezone: 'UTC' };
        const filter = { traffic: 'all' as const };
        const asked = { projectId, span, filter, events: MOVED_KINDS };
        const numbers = await store.totals(asked);
        return MOVED_KINDS.reduce((sum, kind) => sum + numbers[pluralOf(kind)]!, 0);
      };
      const moves: { workspace: string; moved: number; before: number; after: number }[] = [];
      try {
        for (const { id, slug: workspace } of workspaces) {
          const before = await count(id);
          const moved = await MOVES[to](clickhouse, id);
          moves.push({ workspace, moved, before, after: await count(id) });
          log(`${workspace}: ${moved} moved`);
        }
      } finally {
        await Promise.all([clickhouse.close(), store.close()]);
      }
      const less = moves.find(({ before, after }) => after < before);
      if (less !== undefined) {
        throw new Error(`${less.workspace} has ${less.after} visits after ${less.before} before`);
      }
      return moves;
    },
  },
};
