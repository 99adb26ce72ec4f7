import {
  CLICKHOUSE_COSTS,
  COSTS,
  type Costs,
  PARTS,
  type Part,
  PROCESS_MB,
  SIZES,
  VISIT_RATES,
} from './costs.ts';

/*
 * Processor time, memory and disk of an installation, from measured costs and what it is asked to do. A part's processor time is the
 * sum of its costs; nothing else is assumed but that batches of visits are larger where visits come closer together.
 */

/** Load of an installation, as numbers of a month of 30 days. */
export interface Workload {
  visits: number;
  /** Links that exist. */
  links: number;
  /** Links that are created or changed. */
  writes: number;
  /** Questions to analytics. */
  questions: number;
  /** Deliveries to webhooks. */
  deliveries: number;
  /** Rate of the busiest minutes, as a multiple of the average. */
  peak: number;
  /** Share of the visits whose link is not in the memory of the redirect process. */
  misses: number;
  /** Where visits are kept. */
  store: 'postgres' | 'clickhouse';
  /** Visits that a question to ClickHouse reads. */
  visitsPerQuestion: number;
  /** Months for which visits are kept. */
  months: number;
}

/** Few visits, of few links, with few misses. */
export const DEFAULTS: Workload = {
  visits: 1e6,
  links: 1e5,
  writes: 0,
  questions: 0,
  deliveries: 0,
  peak: 4,
  misses: 0,
  store: 'postgres',
  visitsPerQuestion: 1e6,
  months: 12,
};

/** The machines that can be had. */
export interface Machines {
  /** Cores of a machine for processes of the service. */
  cores: number;
  /** Of the largest server for Postgres, and for ClickHouse: cores, and disk in TB. */
  serverCores: number;
  serverDisk: number;
}

const MONTH_SECONDS = 30 * 86_400;
/** Share of a core, or of all of a server's, that is planned for at peak: beyond it waiting times rise steeply. */
export const PLANNED = 0.6;
const GB = 1e9;

/** Parts of which any number may run. */
const COPIED: ReadonlySet<Part> = new Set([
  'redirect',
  'worker_clicks',
  'worker_webhooks',
  'api',
  'worker_writes',
]);
/** Servers that use several cores. */
const MANY_CORES: ReadonlySet<Part> = new Set(['postgres', 'clickhouse']);

/** Number of processes, by part. */
type Counts = Record<Part, number>;

/** The processor costs of a visit at a rate, in µs: those between measured rates lie on a line, by processor time a second. */
export function visitMicros(costs: readonly number[], perSecond: number): number {
  if (perSecond <= VISIT_RATES[0]) return costs[0]!;
  for (let n = 1; n < VISIT_RATES.length; n += 1) {
    const [low, high] = [VISIT_RATES[n - 1]!, VISIT_RATES[n]!];
    if (perSecond > high) continue;
    const [from, to] = [low * costs[n - 1]!, high * costs[n]!];
    return (from + ((to - from) * (perSecond - low)) / (high - low)) / perSecond;
  }
  return costs.at(-1)!;
}

/** Load of a second. */
export type Load = Pick<Workload, 'visits' | 'writes' | 'questions' | 'deliveries'>;

/** The load at a multiple of the average rates. */
export function loadOf(workload: Workload, factor = 1): Load {
  const perSecond = (count: number) => (count * factor) / MONTH_SECONDS;
  const { visits, writes, questions, deliveries } = workload;
  return {
    visits: perSecond(visits),
    writes: perSecond(writes),
    questions: perSecond(questions),
    deliveries: perSecond(deliveries),
  };
}

/** The costs of a part where visits are kept in that store. */
function costsOf(part: Part, { store, visitsPerQuestion }: Workload): Costs {
  const costs = COSTS[part];
  const other = CLICKHOUSE_COSTS[part];
  if (store === 'postgres' || other === undefined) return costs;
  const { visit, question, questionPerMillionVisits = 0 } = other;
  return {
    ...costs,
    ...(visit !== undefined && {
      visit: [visit, visit, visit] as const,
    }),
    ...(question !== undefined && {
      question: question + (questionPerMillionVisits * visitsPerQuestion) / 1e6,
    }),
  };
}

/** Processor seconds a second of all processes of a part together. */
export function processorOf(part: Part, load: Load, counts: Counts, workload: Workload): number {
  const { idle, visit, miss = 0, write = 0, question = 0, delivery = 0 } = costsOf(part, workload);
  if (part === 'clickhouse' && workload.store === 'postgres') return 0;
  // Batches are made by redirect processes; a worker_clicks stores those that wait together.
  const makers =
    part === 'redirect' || part.startsWith('redis') ? counts.redirect : counts.worker_clicks;
  const micros =
    load.visits *
      ((visit ? visitMicros(visit, load.visits / makers) : 0) + miss * workload.misses) +
    load.writes * write +
    load.questions * question +
    load.deliveries * delivery;
  return (idle * counts[part]) / 1e3 + micros / 1e6;
}

/** Numbers of processes that take no more than the planned share of a core each, at peak. */
function countsFor(workload: Workload): Counts {
  const counts = Object.fromEntries(PARTS.map((part) => [part, 1])) as Counts;
  const load = loadOf(workload, workload.peak);
  for (const part of PARTS) {
    if (!COPIED.has(part)) continue;
    while (processorOf(part, load, counts, workload) > PLANNED * counts[part]) counts[part] += 1;
  }
  return counts;
}

/** A part, with what it takes. */
export interface PartPlan {
  part: Part;
  /** Processes, or servers. */
  count: number;
  /** Processor seconds a second, of all of them. */
  average: number;
  peak: number;
  memoryGb: number;
  diskGb: number;
  /** Megabits a second at peak, in and out. */
  megabits: number;
  /** Visits a month at which it has its planned share, with everything else in proportion; `null` where another one can be added. */
  fullAt: number | null;
  /** The resource that is used up then. */
  fullOf: string;
}

/** Machines of a kind: each has these cores and this memory. */
export interface MachinePlan {
  kind: string;
  count: number;
  cores: number;
  memoryGb: number;
  diskGb: number;
}

/** An installation for a workload. */
export interface Plan {
  load: Load;
  parts: PartPlan[];
  /** The first part that cannot take more. */
  first: PartPlan;
  /** Machines for processes, for Postgres, for both Redis and for ClickHouse. */
  machines: MachinePlan[];
}

const isUsed = (part: Part, { store }: Workload): boolean =>
  part !== 'clickhouse' || store === 'clickhouse';

/** Works out what an installation takes. */
export function planFor(workload: Workload, machines: Machines): Plan {
  const counts = countsFor(workload);
  const [average, peak] = [loadOf(workload), loadOf(workload, workload.peak)];
  const parts = PARTS.filter((part) => isUsed(part, workload)).map((part): PartPlan => {
    const memoryGb = memoryOf(part, workload, counts);
    const diskGb = diskOf(part, workload);
    return {
      part,
      count: counts[part],
      average: processorOf(part, average, counts, workload),
      peak: processorOf(part, peak, counts, workload),
      memoryGb,
      diskGb,
      megabits: (bytesPerSecond(part, peak) * 8) / 1e6,
      ...limitOf(part, workload, machines, diskGb),
    };
  });
  const limited = parts.filter(({ fullAt }) => fullAt !== null);
  return {
    load: average,
    parts,
    first: limited.toSorted((a, b) => a.fullAt! - b.fullAt!)[0]!,
    machines: machinesFor(parts, machines),
  };
}

/** GB of memory that a part needs, all of its processes together. */
function memoryOf(part: Part, { links, visits, peak }: Workload, counts: Counts): number {
  const own = ((PROCESS_MB[part] ?? 0) * counts[part]) / 1e3;
  if (part === 'redirect') {
    return own + (counts[part] * Math.min(links, REMEMBERED) * SIZES.linkInMemory) / GB;
  }
  if (part === 'redis_lookups') return (links * SIZES.linkInRedis) / GB;
  if (part === 'redis_queues') {
    const perSecond = (visits * peak) / MONTH_SECONDS;
    return (perSecond * QUEUED_SECONDS * SIZES.visitInQueue) / GB;
  }
  // Indexes that every visit and every write goes through; the rest may be on disk.
  if (part === 'postgres') return (links * SIZES.linkInPostgres * INDEXED) / GB;
  return own;
}

/** Default of REDIRECT_CACHE_ENTRIES. */
const REMEMBERED = 1_000_000;
/** Time at peak for which visits may wait in Redis, in seconds: an hour without worker_clicks, or without Postgres. */
const QUEUED_SECONDS = 3_600;
/** Share of a link's bytes in Postgres that are indexes, about. */
const INDEXED = 0.4;

/** GB on disk after the time for which visits are kept. */
function diskOf(part: Part, { links, visits, months, store }: Workload): number {
  const kept = visits * months;
  const { linkInPostgres, visitInPostgres, visitInBlocks, visitInClickHouse } = SIZES;
  if (part === 'clickhouse') return (kept * visitInClickHouse) / GB;
  if (part !== 'postgres') return 0;
  const visitBytes = store === 'postgres' ? visitInPostgres + visitInBlocks : 0;
  return (links * linkInPostgres + kept * visitBytes) / GB;
}

function bytesPerSecond(part: Part, { visits }: Load): number {
  if (part === 'redirect') return visits * (SIZES.visitOnNetwork + SIZES.visitThroughQueue);
  if (part === 'redis_queues') return visits * SIZES.visitThroughQueue * 2;
  if (part === 'worker_clicks') return visits * (SIZES.visitThroughQueue + SIZES.visitInLog);
  if (part === 'postgres') return visits * SIZES.visitInLog;
  return 0;
}

/** The load at which a part of which there is one has its planned share of the processor, or its disk is full. */
function limitOf(
  part: Part,
  workload: Workload,
  { serverCores, serverDisk }: Machines,
  diskGb: number,
): Pick<PartPlan, 'fullAt' | 'fullOf'> {
  if (COPIED.has(part)) return { fullAt: null, fullOf: '' };
  const cores = MANY_CORES.has(part) ? serverCores : 1;
  const isWithin = (factor: number) => {
    const scaled = scale(workload, factor);
    const counts = countsFor(scaled);
    return processorOf(part, loadOf(scaled, scaled.peak), counts, scaled) <= PLANNED * cores;
  };
  let [low, high] = [0, 1];
  while (isWithin(high) && high < 1e12) [low, high] = [high, high * 2];
  for (let n = 0; n < 30; n += 1) {
    const middle = (low + high) / 2;
    if (isWithin(middle)) low = middle;
    else high = middle;
  }
  // Links take the same whatever the number of visits.
  const linksGb = diskOf(part, { ...workload, visits: 0 });
  const visitsGb = diskGb - linksGb;
  const byDisk = visitsGb > 0 ? Math.max(0, serverDisk * 1e3 - linksGb) / visitsGb : Infinity;
  return {
    fullAt: workload.visits * Math.min(low, byDisk),
    fullOf: byDisk < low ? 'disk' : cores === 1 ? 'its core' : 'its cores',
  };
}

/** Machines for processes, which share them, and for servers. */
function machinesFor(parts: readonly PartPlan[], { cores }: Machines): MachinePlan[] {
  const kinds: Record<string, (part: Part) => boolean> = {
    processes: (part) => PROCESS_MB[part] !== undefined,
    Redis: (part) => part.startsWith('redis'),
    Postgres: (part) => part === 'postgres',
    ClickHouse: (part) => part === 'clickhouse',
  };
  return Object.entries(kinds).flatMap(([kind, isOne]) => {
    const some = parts.filter(({ part }) => isOne(part));
    if (some.length === 0) return [];
    const sum = (figure: 'peak' | 'memoryGb' | 'diskGb') =>
      some.reduce((total, part) => total + part[figure], 0);
    const needed = Math.max(1, Math.ceil(sum('peak') / PLANNED));
    const count = kind === 'processes' ? Math.ceil(needed / cores) : 1;
    return [
      {
        kind,
        count,
        cores: count > 1 ? cores : needed,
        memoryGb: sum('memoryGb') / count,
        diskGb: sum('diskGb'),
      },
    ];
  });
}

/** A multiple of a workload. */
const scale = (workload: Workload, factor: number): Workload => ({
  ...workload,
  visits: workload.visits * factor,
  writes: workload.writes * factor,
  questions: workload.questions * factor,
  deliveries: workload.deliveries * factor,
});
