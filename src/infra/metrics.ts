import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** All metrics of this process; `/metrics` prints them in the Prometheus text format. */
export const registry = new Registry();

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Starts the figures of the process itself: memory, CPU, event loop. */
export function startProcessMetrics(): void {
  collectDefaultMetrics({ register: registry });
}

export const httpRequests = new Histogram({
  name: 'http_request_seconds',
  help: 'Requests that the API answered, by method, route and status, in seconds',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: SECONDS,
  registers: [registry],
});

export const redirects = new Counter({
  name: 'redirects_total',
  help: 'Requests that the redirect server answered, by outcome',
  labelNames: ['outcome'] as const,
  registers: [registry],
});

export const lookups = new Counter({
  name: 'lookups_total',
  help: 'Look-ups of host and key, by the store that answered',
  labelNames: ['from'] as const,
  registers: [registry],
});

export const rememberedLinks = new Gauge({
  name: 'lookup_remembered_links',
  help: 'Links in the memory of a redirect process',
  registers: [registry],
});

export const visitsRecorded = new Counter({
  name: 'visits_recorded_total',
  help: 'Visits made safe before their answer, by where: the queue or the spool file',
  labelNames: ['where'] as const,
  registers: [registry],
});

export const jobSeconds = new Histogram({
  name: 'job_seconds',
  help: 'Jobs that ended, by queue, name and outcome (done, refused, fault), in seconds',
  labelNames: ['queue', 'job', 'outcome'] as const,
  buckets: SECONDS,
  registers: [registry],
});

export const deadLetters = new Counter({
  name: 'dead_letters_total',
  help: 'Jobs that failed for good after all their attempts',
  labelNames: ['queue', 'job'] as const,
  registers: [registry],
});

export const queueDepth = new Gauge({
  name: 'queue_depth',
  help: 'Jobs in a queue, by state',
  labelNames: ['queue', 'state'] as const,
  registers: [registry],
});

export const visitLag = new Histogram({
  name: 'visit_lag_seconds',
  help: 'From the visit to the committed event, in seconds',
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60],
  registers: [registry],
});

export const visitsProcessed = new Counter({
  name: 'visits_processed_total',
  help: 'Visits that left the pipeline, by outcome (stored, or the reason for which they were dropped)',
  labelNames: ['outcome'] as const,
  registers: [registry],
});

export const ratesAge = new Gauge({
  name: 'rates_age_days',
  help: 'Age of the exchange rates, in days',
  registers: [registry],
});

export const webhookAttempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Requests to receivers of webhooks, by outcome: delivered or failed',
  labelNames: ['outcome'] as const,
  registers: [registry],
});
