import { SetupError } from '../scripts/embedded/servers.ts';
import { benchAnalytics } from './analytics.ts';
import { benchBulk } from './bulk.ts';
import { benchClickHouse } from './clickhouse.ts';
import { benchCluster } from './cluster.ts';
import { benchCosts } from './costs.ts';
import { benchExports } from './exports.ts';
import { benchImports } from './imports.ts';
import { benchLists } from './lists.ts';
import { benchLookups } from './lookups.ts';
import { benchMemory } from './memory.ts';
import { benchMixed } from './mixed.ts';
import { benchPressure } from './pressure.ts';
import { benchQr } from './qr.ts';
import { benchRedirect } from './redirect.ts';
import { benchRedirectProcesses } from './redirect-processes.ts';
import type { Bench, BenchOptions, Name, Outcome, Row } from './rows.ts';
import { versions } from './service.ts';
import { benchStart } from './start.ts';
import { benchSustained } from './sustained.ts';
import { benchTenants } from './tenants.ts';
import { benchVisits } from './visits.ts';
import { benchWebhooks } from './webhooks.ts';

/*
 * The process of one benchmark, started by main.ts with its name and options as arguments. Its rows
 * are sent back.
 */

const BENCHES: Record<Name, Bench> = {
  redirect: benchRedirect,
  mixed: benchMixed,
  costs: benchCosts,
  start: benchStart,
  sustained: benchSustained,
  bulk: benchBulk,
  imports: benchImports,
  visits: benchVisits,
  lists: benchLists,
  memory: benchMemory,
  qr: benchQr,
  exports: benchExports,
  analytics: benchAnalytics,
  clickhouse: benchClickHouse,
  webhooks: benchWebhooks,
  tenants: benchTenants,
  pressure: benchPressure,
  cluster: benchCluster,
  processes: benchRedirectProcesses,
  lookups: benchLookups,
};

// Servers that it started end with it, also if the terminal or main.ts ends it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(1));
}
process.on('disconnect', () => process.exit(1));

const [name, options] = process.argv.slice(2);
try {
  const rows = await BENCHES[name as Name](JSON.parse(options!) as BenchOptions);
  finish({ rows, versions });
} catch (error) {
  if (error instanceof SetupError) {
    finish({ rows: [skippedRow(name!, error.message)], versions });
  } else {
    console.error(error);
    process.exit(1);
  }
}

function finish(outcome: Outcome): void {
  process.send!(outcome, () => process.exit(0));
}

function skippedRow(what: string, skipped: string): Row {
  return { what, unit: '', better: 'more', ours: [], skipped };
}
