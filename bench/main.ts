import { cpus, totalmem } from 'node:os';
import { SetupError } from '../scripts/embedded/servers.ts';
import { benchAnalytics } from './analytics.ts';
import { benchBulk } from './bulk.ts';
import { benchImports } from './imports.ts';
import { benchLists } from './lists.ts';
import { benchMemory } from './memory.ts';
import { benchPressure } from './pressure.ts';
import { benchQr } from './qr.ts';
import { benchRedirect } from './redirect.ts';
import { benchTenants } from './tenants.ts';
import { benchVisits } from './visits.ts';
import { benchWebhooks } from './webhooks.ts';

const BENCHES: Record<string, () => Promise<void>> = {
  redirect: benchRedirect,
  bulk: benchBulk,
  imports: benchImports,
  visits: benchVisits,
  lists: benchLists,
  memory: benchMemory,
  qr: benchQr,
  analytics: benchAnalytics,
  webhooks: benchWebhooks,
  tenants: benchTenants,
  pressure: benchPressure,
};

const name = process.argv[2] ?? '';
const bench = BENCHES[name];
if (bench === undefined) {
  console.error(`Usage: npm run bench -- ${Object.keys(BENCHES).join('|')}`);
  process.exit(1);
}
const [cpu] = cpus();
console.log(
  `Machine: ${cpus().length} × ${cpu?.model ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `Node ${process.version}, ${process.platform}. Servers, service and load share it.`,
);
try {
  await bench();
  process.exit(0);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
