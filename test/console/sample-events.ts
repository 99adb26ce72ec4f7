import type { EventRow } from '../../src/events/event.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from '../support/events.ts';
import type { World } from '../support/world.ts';

const DAY_MS = 86_400_000;
const DAYS = 70;

/** Country, region and city, the most frequent first. */
const PLACES = [
  ['DE', 'DE-BE', 'Berlin', 'EU'],
  ['US', 'US-NY', 'New York', 'NA'],
  ['FR', 'FR-IDF', 'Paris', 'EU'],
  ['BR', 'BR-SP', 'São Paulo', 'SA'],
  ['IN', 'IN-KA', 'Bengaluru', 'AS'],
  ['JP', 'JP-13', 'Tokyo', 'AS'],
  ['GB', 'GB-LND', 'London', 'EU'],
  ['SG', 'SG-01', 'Singapore', 'AS'],
  ['KE', 'KE-30', 'Nairobi', 'AF'],
  ['AU', 'AU-NSW', 'Sydney', 'OC'],
  ['CA', 'CA-ON', 'Toronto', 'NA'],
  ['ES', 'ES-MD', 'Madrid', 'EU'],
] as const;
const REFERERS = [
  '(direct)',
  'news.example',
  'social.example',
  'search.example',
  'blog.example',
  'mail.example',
];
const BROWSERS = ['Chrome', 'Mobile Safari', 'Firefox', 'Edge', 'Safari'];
const SYSTEMS = ['Android', 'iOS', 'Windows', 'macOS', 'Linux'];
const DEVICES = ['Mobile', 'Desktop', 'Tablet'];
const CAMPAIGNS = ['spring', 'launch', 'newsletter'];

/** Picks a value, the first ones more often, and always the same for the same number. */
const pick = <T>(values: readonly T[], n: number): T =>
  values[Math.floor(values.length * ((((n * 2_654_435_761) >>> 8) % 1_000) / 1_000) ** 2)]!;

/**
 * Adds the same clicks, scans, leads and sales of ten weeks in every run, for some links and a QR
 * code.
 */
export async function addSampleEvents(world: World, linkIds: string[], qrcodeId: string) {
  for (const months of [0, 1, 2, 3]) {
    await db().raw(
      'SELECT ensure_events_partition((current_date - make_interval(months => ?::int))::date)',
      [months],
    );
  }
  const rows: EventRow[] = [];
  // The last hours stay empty, so that no count depends on the time of the run.
  const end = Date.now() - 3 * 3_600_000;
  for (let day = 0; day < DAYS; day += 1) {
    const many = Math.round(25 + 12 * Math.sin(day / 3.2) + (DAYS - day) * 0.35);
    for (let n = 0; n < many; n += 1) rows.push(sample(world, linkIds, qrcodeId, day, n, end));
  }
  await db().transaction((trx) => eventsStore().append(trx, rows));
}

function sample(
  { projectId, domain }: World,
  linkIds: string[],
  qrcodeId: string,
  day: number,
  n: number,
  end: number,
): EventRow {
  const seed = day * 131 + n * 17 + 1;
  const [country, region, city, continent] = pick(PLACES, seed);
  const referer = pick(REFERERS, seed * 3);
  const event =
    n % 11 === 3 ? 'scan' : n % 13 === 5 ? 'lead' : n % 29 === 7 ? 'sale' : ('click' as const);
  const at = pick([0, 1, 2, 3, 4], seed * 5);
  return anEvent(projectId, {
    id: newId('event'),
    occurred_at: new Date(end - day * DAY_MS - ((seed * 7_919) % 80_000) * 1_000).toISOString(),
    event,
    link_id: event === 'scan' ? qrcodeId : linkIds[at % linkIds.length]!,
    domain,
    key: event === 'scan' ? 'code' : `link-${at % linkIds.length}`,
    via: event === 'scan' ? 'qr' : 'link',
    visitor: (event === 'click' || event === 'scan') && n % 3 !== 0 ? 'new' : null,
    url: `https://example.com/${at}?utm_source=${pick(CAMPAIGNS, seed * 11)}&utm_medium=mail`,
    continent,
    country,
    region,
    city,
    device: pick(DEVICES, seed * 7),
    browser: pick(BROWSERS, seed * 13),
    os: pick(SYSTEMS, seed * 19),
    referer,
    referer_url: referer === '(direct)' ? referer : `https://${referer}/post/${seed % 9}`,
    ...(event === 'lead' && { event_name: 'Sign up' }),
    ...(event === 'sale' && { event_name: 'Purchase', amount_cents: 990 + (seed % 7) * 500 }),
  });
}
