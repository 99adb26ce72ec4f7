import {
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import type { Config } from '../config.ts';
import type { Log } from './log.ts';
import { registry } from './metrics.ts';
import { setTracer, type Tracer } from './tracing.ts';
import { VERSION } from './version.ts';

/*
 * Sends spans and metrics to a collector. This is the only file that loads OpenTelemetry, and it is
 * loaded only if there is a collector. The exporters read their address and other variables from
 * the environment.
 */

const KINDS = {
  server: SpanKind.SERVER,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Time limit for the final export when the process ends, in ms. */
const FLUSH_MS = 2_000;

/**
 * Starts sending spans and metrics.
 *
 * @param name name of the process in the Procfile
 * @returns a function that sends the rest
 */
export function startTelemetry(
  name: string,
  { OTEL_TRACES_SAMPLER_ARG: share, OTEL_METRIC_EXPORT_INTERVAL: exportIntervalMillis }: Config,
  log: Log,
): { stop(): Promise<void> } {
  const tell = (message: string) =>
    log.warn({ reason: message }, 'OpenTelemetry reported a problem');
  const ignore = () => {};
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const resource = resourceFromAttributes({
    'service.namespace': 'shortlinks',
    'service.name': `shortlinks-${name}`,
    'service.version': VERSION,
    'process.pid': process.pid,
  }).merge(detectResources({ detectors: [envDetector] }));
  const spans = new TracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })],
  });
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(),
        exportIntervalMillis,
        exportTimeoutMillis: Math.min(exportIntervalMillis, 30_000),
        metricProducers: [
          {
            async collect() {
              const scopeMetrics = [{ scope: { name: 'shortlinks' }, metrics: await allMetrics() }];
              return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
            },
          },
        ],
      }),
    ],
  });
  setTracer(tracerOf(spans));
  return {
    async stop() {
      const timeout = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
      await Promise.race([Promise.allSettled([spans.shutdown(), metrics.shutdown()]), timeout]);
    },
  };
}

function tracerOf(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('shortlinks', VERSION);
  return {
    start(name, { kind, parent, attributes = {} }) {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        context: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
        end({ name: finalName, attributes: more, isFailed = false } = {}) {
          if (finalName !== undefined) span.updateName(finalName);
          if (more !== undefined) span.setAttributes(more);
          if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Parses a `traceparent` to a context; a malformed one counts as absent (W3C Trace Context). */
function contextOf(parent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '0'] = TRACE_PARENT.exec(parent ?? '') ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : ROOT_CONTEXT;
}

/** Time as seconds and the remaining nanoseconds. */
type Time = [seconds: number, nanoseconds: number];

const STARTED: Time = [Math.floor(performance.timeOrigin / 1_000), 0];

/** Reads all metrics of the process, the same as in `/metrics`. */
async function allMetrics(): Promise<MetricData[]> {
  const now = Date.now();
  const endTime: Time = [Math.floor(now / 1_000), (now % 1_000) * 1e6];
  const metrics = await registry.getMetricsAsJSON();
  return metrics.flatMap((metric) => {
    const data = metricData(metric, endTime);
    return data === undefined ? [] : [data];
  });
}

function metricData(
  { name, help, type, values }: MetricObjectWithValues<MetricValue<string>>,
  endTime: Time,
): MetricData | undefined {
  const base = {
    descriptor: {
      name,
      description: help,
      unit: name.includes('_seconds') ? 's' : name.includes('_bytes') ? 'By' : '1',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () =>
    values.map(({ labels, value }) => ({
      startTime: STARTED,
      endTime,
      attributes: attributesOf(labels),
      value,
    }));
  switch (String(type)) {
    case 'counter':
      return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...base, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram':
      return {
        ...base,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramPoints(values as MetricValueWithName<string>[], endTime),
      };
    default:
      return undefined;
  }
}

const attributesOf = (labels: object): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([label, value]) => [label, String(value)]));

/**
 * Converts the histograms of one metric. Prometheus' buckets are cumulative, OpenTelemetry's are
 * not.
 */
function histogramPoints(values: MetricValueWithName<string>[], endTime: Time) {
  const byLabels = new Map<
    string,
    { attributes: Record<string, string>; buckets: [le: number, count: number][]; sum: number }
  >();
  for (const { metricName = '', labels, value } of values) {
    const { le, ...attributes } = attributesOf(labels);
    const key = JSON.stringify(attributes);
    const point = byLabels.get(key) ?? { attributes, buckets: [], sum: 0 };
    byLabels.set(key, point);
    if (metricName.endsWith('_sum')) point.sum = value;
    else if (le !== undefined) {
      point.buckets.push([le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value]);
    }
  }
  return [...byLabels.values()].map(({ attributes, buckets, sum }) => {
    const sorted = buckets.toSorted(([a], [b]) => a - b);
    const counts = sorted.map(([, count], at) => count - (sorted[at - 1]?.[1] ?? 0));
    return {
      startTime: STARTED,
      endTime,
      attributes,
      value: {
        buckets: { boundaries: sorted.slice(0, -1).map(([le]) => le), counts },
        sum,
        count: sorted.at(-1)?.[1] ?? 0,
      },
    };
  });
}
