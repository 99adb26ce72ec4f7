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
 * Computes processor time, memory and disk of an installation from measured costs and a workload.
 * The processor time of a part is the sum of its costs; the only other assumption is that batches
 * of visits grow with the rate.
 */

/** Load of an installation, per month of 30 days. */
export interface Workload {
  visits: number;
  /** Number of existing links. */
  links: number;
  /** Number of created or changed links. */
  writes: number;
  /** Number of analytics queries. */
  questions: number;
  /** Number of webhook deliveries. */
  deliveries: number;
  /** Rate of the busiest minutes, as a multiple of the average. */
  peak: number;
  /** Share of the visits whose link is not in the memory of the redirect process. */
  misses: number;
  /** Store of visits. */
  store: 'postgres' | 'clickhouse';
  /** Number of visits that a query to ClickHouse reads. */
  visitsPerQuestion: number;
  /** Retention of visits, in months. */
  months: number;
}

/** Defaults: few visits of few links, with few misses. */
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

/** The available machines. */
export interface Machines {
  /** Cores of a machine for processes of the service. */
  cores: number;
  /** Cores of the largest server for Postgres or ClickHouse, and its disk in TB. */
  serverCores: number;
  serverDisk: number;
}

const MONTH_SECONDS = 30 * 86_400;
/**
 * Planned share of a core at peak, or of all cores of a server: beyond it, waiting times rise
 * steeply.
 */
export const PLANNED = 0.6;
const GB = 1e9;

/** Parts with any number of instances. */
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

/**
 * The processor time of a visit at a rate, in µs. Between measured rates, processor time a second
 * is interpolated linearly.
 */
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

/** Load per second. */
export type Load = Pick<Workload, 'visits' | 'writes' | 'questions' | 'deliveries'>;

/** Returns the load at a multiple of the average rates. */
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

/** Returns the costs of a part with a store of visits. */
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

/** Processor seconds a second of all processes of a part. */
export function processorOf(part: Part, load: Load, counts: Counts, workload: Workload): number {
  const { idle, visit, miss = 0, write = 0, question = 0, delivery = 0 } = costsOf(part, workload);
  if (part === 'clickhouse' && workload.store === 'postgres') return 0;
  // Redirect processes form batches; a worker_clicks stores waiting batches together.
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

/** Returns numbers of processes at which none exceeds the planned share of a core at peak. */
function countsFor(workload: Workload): Counts {
  const counts = Object.fromEntries(PARTS.map((part) => [part, 1])) as Counts;
  const load = loadOf(workload, workload.peak);
  for (const part of PARTS) {
    if (!COPIED.has(part)) continue;
    while (processorOf(part, load, counts, workload) > PLANNED * counts[part]) counts[part] += 1;
  }
  return counts;
}

/** A part with its needs. */
export interface PartPlan {
  part: Part;
  /** Number of processes or servers. */
  count: number;
  /** Processor seconds a second, of all of them. */
  average: number;
  peak: number;
  memoryGb: number;
  diskGb: number;
  /** Network traffic at peak, in and out, in Mbit/s. */
  megabits: number;
  /**
   * Visits a month at which it reaches its planned share, with everything else in proportion;
   * `null` if another instance can be added.
   */
  fullAt: number | null;
  /** The resource that is exhausted then. */
  fullOf: string;
}

/** Machines of one kind, each with these cores and this memory. */
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
  /** The part that reaches its limit first. */
  first: PartPlan;
  /** Machines for processes, for Postgres, for both Redis and for ClickHouse. */
  machines: MachinePlan[];
}

const isUsed = (part: Part, { store }: Workload): boolean =>
  part !== 'clickhouse' || store === 'clickhouse';

/** Plans an installation for a workload. */
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

/** Memory of all processes of a part, in GB. */
function memoryOf(part: Part, { links, visits, peak }: Workload, counts: Counts): number {
  const processGb = ((PROCESS_MB[part] ?? 0) * counts[part]) / 1e3;
  if (part === 'redirect') {
    return processGb + (counts[part] * Math.min(links, REMEMBERED) * SIZES.linkInMemory) / GB;
  }
  if (part === 'redis_lookups') return (links * SIZES.linkInRedis) / GB;
  if (part === 'redis_queues') {
    const perSecond = (visits * peak) / MONTH_SECONDS;
    return (perSecond * QUEUED_SECONDS * SIZES.visitInQueue) / GB;
  }
  // Indexes that every visit and every write uses; the rest may be on disk.
  if (part === 'postgres') return (links * SIZES.linkInPostgres * INDEXED) / GB;
  return processGb;
}

/** Default of REDIRECT_CACHE_ENTRIES. */
const REMEMBERED = 1_000_000;
/**
 * Time at peak for which visits may wait in Redis, in seconds: an hour without worker_clicks or
 * Postgres.
 */
const QUEUED_SECONDS = 3_600;
/** Approximate share of indexes in the size of a link in Postgres. */
const INDEXED = 0.4;

/** Disk usage once visits reach their retention, in GB. */
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

/**
 * Returns the load at which a part with a single instance reaches its planned processor share, or
 * its disk is full.
 */
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
  // Links take the same space whatever the number of visits.
  const linksGb = diskOf(part, { ...workload, visits: 0 });
  const visitsGb = diskGb - linksGb;
  const byDisk = visitsGb > 0 ? Math.max(0, serverDisk * 1e3 - linksGb) / visitsGb : Infinity;
  return {
    fullAt: workload.visits * Math.min(low, byDisk),
    fullOf: byDisk < low ? 'disk' : cores === 1 ? 'its core' : 'its cores',
  };
}

/** Plans machines that processes share, and machines for servers. */
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

/** Multiplies a workload. */
const scale = (workload: Workload, factor: number): Workload => ({
  ...workload,
  visits: workload.visits * factor,
  writes: workload.writes * factor,
  questions: workload.questions * factor,
  deliveries: workload.deliveries * factor,
});
