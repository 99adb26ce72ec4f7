import { openSync, readSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, register } from 'prom-client';
import { VERSION } from './version.ts';

/** All metrics of this process; `/metrics` prints them in the Prometheus text format. */
export const registry = register;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Exports a gauge that is measured when it is scraped.
 *
 * @param measure sets or removes its values
 */
export function exportGauge<Label extends string = never>(
  { name, help, labelNames = [] }: { name: string; help: string; labelNames?: Label[] },
  measure: (gauge: Gauge<Label>) => void | Promise<void>,
): void {
  const gauge: Gauge<Label> = new Gauge({
    name,
    help,
    labelNames,
    collect: () => measure(gauge),
  });
}

/**
 * Interval at which an idle process notices that its event loop was delayed, in ms. A delay may have
 * begun so much earlier than it is noticed.
 */
const LATENESS_SAMPLE_MS = 500;
/** Interval of the samples of `nodejs_eventloop_lag_*`, in ms: each wakes an idle process. */
const LAG_SAMPLE_MS = 1_000;
/** Shortest time between two readings of the processor's clock, which is a system call, in ms. */
const PROCESSOR_SAMPLE_MS = 20;

/** Exports metrics of the process itself: memory, CPU, event loop. */
export function startProcessMetrics(): void {
  collectDefaultMetrics({ eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
  new Gauge({
    name: 'shortlinks_build_info',
    help: 'Always 1; the label is the version of the service',
    labelNames: ['version'],
  }).set({ version: VERSION }, 1);
  const loop = watchLoop();
  const gauge = (name: string, help: string, takeMs: () => number) =>
    exportGauge({ name, help: `${help} since the last scrape, in seconds` }, (loopGauge) =>
      loopGauge.set(takeMs() / 1_000),
    );
  gauge(
    'shortlinks_event_loop_delay_max_seconds',
    'Longest delay of the event loop for any reason',
    loop.takeDelay,
  );
  gauge(
    'shortlinks_event_loop_blocked_max_seconds',
    'Longest time for which computation in this process blocked its event loop',
    loop.takeBlocked,
  );
}

/** Longest delays of the event loop since the last reading, in ms. */
interface LoopWatch {
  delay: number;
  blocked: number;
}

const watches: LoopWatch[] = [];

/**
 * Watches the event loop, once for all watchers.
 *
 * A turn of the loop, without its wait for events, took long: either the process computed, or other
 * programs used the processor. The process computed for no longer than the turn and no longer than
 * the processor time that it used meanwhile. A timer that is late shows a delay outside of turns:
 * the process was stopped, or had to wait for the processor when an event arrived.
 *
 * @returns functions that return the maximum of each since their last call, in ms
 */
export function watchLoop(): { takeDelay: () => number; takeBlocked: () => number } {
  if (watches.length === 0) {
    watchTurns();
    watchLateness();
  }
  const watch: LoopWatch = { delay: 0, blocked: 0 };
  watches.push(watch);
  const take = (name: keyof LoopWatch) => () => {
    const delay = watch[name];
    watch[name] = 0;
    return delay;
  };
  return { takeDelay: take('delay'), takeBlocked: take('blocked') };
}

function note(delay: number, blocked: number): void {
  for (const watch of watches) {
    watch.delay = Math.max(watch.delay, delay);
    watch.blocked = Math.max(watch.blocked, blocked);
  }
}

/**
 * Measures each turn of the event loop. An immediate without a reference runs at the end of every
 * turn and wakes no idle process, unlike a timer.
 */
function watchTurns(): void {
  const processorMs = processorClock();
  let [lastTime, lastIdle] = [performance.now(), performance.nodeTiming.idleTime];
  let [cpuTime, lastCpu] = [lastTime, processorMs()];
  const endTurn = (): void => {
    const [time, idle] = [performance.now(), performance.nodeTiming.idleTime];
    const turn = time - lastTime - (idle - lastIdle);
    if (time - cpuTime >= PROCESSOR_SAMPLE_MS) {
      const cpu = processorMs();
      note(turn, Math.min(turn, cpu - lastCpu));
      [cpuTime, lastCpu] = [time, cpu];
    }
    [lastTime, lastIdle] = [time, idle];
    setImmediate(endTurn).unref();
  };
  setImmediate(endTurn).unref();
}

function watchLateness(): void {
  let lastTime = performance.now();
  setInterval(() => {
    const time = performance.now();
    note(Math.max(0, time - lastTime - LATENESS_SAMPLE_MS), 0);
    lastTime = time;
  }, LATENESS_SAMPLE_MS).unref();
}

/**
 * Returns a function that reads the processor time of the main thread, in ms. Only Linux separates
 * it from the threads for compression, hashing and garbage collection; on other systems it is the
 * time of all threads.
 */
function processorClock(): () => number {
  let file: number;
  try {
    file = openSync('/proc/self/schedstat', 'r');
  } catch {
    return () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
  }
  const text = Buffer.alloc(64);
  return () => {
    const length = readSync(file, text, 0, text.length, 0);
    return Number.parseInt(text.toString('latin1', 0, length), 10) / 1e6;
  };
}

export const httpRequests = new Histogram({
  name: 'shortlinks_http_request_duration_seconds',
  help: 'Requests that the API answered, by method, route and status, in seconds',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: SECONDS,
});

export const redirects = new Counter({
  name: 'shortlinks_redirects_total',
  help: 'Requests that the redirect server answered, by outcome',
  labelNames: ['outcome'] as const,
});

export const lookups = new Counter({
  name: 'shortlinks_lookups_total',
  help: 'Look-ups of host and key, by the store that answered; refused: too many waited for Postgres',
  labelNames: ['from'] as const,
});

export const rememberedLinks = new Gauge({
  name: 'shortlinks_lookup_memory_entries',
  help: 'Links in the memory of a redirect process',
});

export const visitsRecorded = new Counter({
  name: 'shortlinks_visits_recorded_total',
  help: 'Visits stored before their answer, by place: the queue or the spool file',
  labelNames: ['where'] as const,
});

export const spoolAge = new Gauge({
  name: 'shortlinks_spool_age_seconds',
  help: 'Age of the oldest item that a process has spooled to disk for the queue, by kind (visits, jobs), in seconds; 0 if there is none',
  labelNames: ['kind'] as const,
});

export const heldVisits = new Gauge({
  name: 'shortlinks_visits_held',
  help: 'Visits that wait in memory because neither the queue nor the disk accepts them',
});

export const visitsNotRecorded = new Counter({
  name: 'shortlinks_visits_not_recorded_total',
  help: 'Visits that were answered but not counted, because memory was full',
});

export const jobSeconds = new Histogram({
  name: 'shortlinks_job_duration_seconds',
  help: 'Jobs that ended, by queue, name and outcome (done, refused, fault), in seconds',
  labelNames: ['queue', 'job_name', 'outcome'] as const,
  buckets: SECONDS,
});

export const deadLetters = new Counter({
  name: 'shortlinks_dead_letters_total',
  help: 'Jobs that failed for good after all their attempts, and visits that the database refused',
  // Not `job`, which Prometheus adds to every series as the name of the scrape target.
  labelNames: ['queue', 'job_name'] as const,
});

export const queueDepth = new Gauge({
  name: 'shortlinks_queue_jobs',
  help: 'Jobs in a queue, by state',
  labelNames: ['queue', 'state'] as const,
});

export const visitLag = new Histogram({
  name: 'shortlinks_visit_lag_seconds',
  help: 'From the visit to the committed event, in seconds',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60],
});

export const visitsProcessed = new Counter({
  name: 'shortlinks_visits_processed_total',
  help: 'Visits that left the pipeline, by outcome (stored, repeat, rejected, malformed, or the reason for which they were dropped)',
  labelNames: ['outcome'] as const,
});

export const liveStreams = new Gauge({
  name: 'shortlinks_live_streams',
  help: 'Clients that watch the events of a workspace',
});

export const liveDropped = new Counter({
  name: 'shortlinks_live_events_dropped_total',
  help: 'Events that were not sent to a client that watches, because it reads too slowly or there were too many',
});

export const ratesAge = new Gauge({
  name: 'shortlinks_exchange_rates_age_seconds',
  help: 'Age of the exchange rates, in seconds',
});

export const webhookAttempts = new Counter({
  name: 'shortlinks_webhook_attempts_total',
  help: 'Requests to receivers of webhooks, by outcome: delivered or failed',
  labelNames: ['outcome'] as const,
});

export const destinationEvents = new Counter({
  name: 'shortlinks_destination_events_total',
  help: 'Events for destinations, by type of the destination and outcome: sent, refused or failed',
  labelNames: ['type', 'outcome'] as const,
});

export const emptyBlocks = new Gauge({
  name: 'shortlinks_empty_event_blocks',
  help: 'Blocks of events to be built; queries read their events one by one until then',
});

export const standbyLag = new Gauge({
  name: 'shortlinks_standby_lag_seconds',
  help: 'Longest time by which a standby may lag behind the primary, in seconds; infinite while it does not answer',
  labelNames: ['standby'] as const,
});

export const laggingReads = new Counter({
  name: 'shortlinks_lagging_reads_total',
  help: 'Reads that may lag, by the server that answered: standby, primary, or primary after a standby failed',
  labelNames: ['server'] as const,
});
