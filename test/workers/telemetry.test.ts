import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { freePorts } from '../../scripts/ports.ts';
import { eventually } from '../support/eventually.ts';
import { OneProcess } from '../support/one-process.ts';
import { aWorkspace, type World } from '../support/world.ts';

type Attributes = { key: string; value: Record<string, unknown> }[];

interface Span {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attributes;
}

interface Resource {
  resource: { attributes: Attributes };
  scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  scopeMetrics: { metrics: { name: string; histogram?: object; sum?: object; gauge?: object }[] }[];
}

const valueOf = (attributes: Attributes, key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

/** Receives the exports of OpenTelemetry (OTLP over HTTP, as JSON). */
class Collector {
  readonly spans: Span[] = [];
  /** Names of metrics with their services. */
  readonly metrics = new Set<string>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.#take(JSON.parse(Buffer.concat(parts).toString()) as Record<string, Resource[]>);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => {
      collector.#server.listen(0, '127.0.0.1', resolve);
    });
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #take({ resourceSpans = [], resourceMetrics = [] }: Record<string, Resource[]>): void {
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(valueOf(resource.attributes, 'service.name'));
      for (const { spans } of scopeSpans) {
        this.spans.push(...spans.map((span) => ({ ...span, service })));
      }
    }
    for (const { resource, scopeMetrics } of resourceMetrics) {
      const service = String(valueOf(resource.attributes, 'service.name'));
      for (const { metrics } of scopeMetrics) {
        for (const { name } of metrics) this.metrics.add(`${service} ${name}`);
      }
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe('telemetry', function () {
  let collector: Collector;
  let processes: OneProcess[];
  let apiPort: number;
  let redirectPort: number;
  let workspace: World;

  before(async () => {
    collector = await Collector.start();
    [apiPort = 0, redirectPort = 0] = await freePorts(2);
    const settings = {
      HEALTH_PORT: '0',
      API_PORT: String(apiPort),
      REDIRECT_PORT: String(redirectPort),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      TRACED_REDIRECTS: '3',
    };
    processes = ['api', 'redirect', 'worker_writes'].map((name) => new OneProcess(name, settings));
    await Promise.all(processes.map((one) => one.logged('ready')));
    workspace = await aWorkspace();
  });

  after(async () => {
    await Promise.all(processes.map((one) => one.stop()));
    await collector.stop();
  });

  /** Sends a write as part of a trace. */
  async function write(traceId: string, number: number): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${apiPort}/tags`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${workspace.apiKey}`,
        'content-type': 'application/json',
        'x-request-id': `traced-${number}`,
        traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
      },
      body: JSON.stringify({ name: `traced ${number}` }),
    });
    expect(answer.status).to.equal(201);
  }

  it('sends the metrics of every process', async () => {
    await eventually(() => {
      expect([...collector.metrics]).to.include.members([
        'shortlinks-api shortlinks_http_request_duration_seconds',
        'shortlinks-redirect shortlinks_redirects_total',
        'shortlinks-worker_writes shortlinks_queue_jobs',
        'shortlinks-worker_writes process_resident_memory_bytes',
      ]);
    });
  });

  it('traces one redirect of so many', async () => {
    for (let i = 0; i < 6; i += 1) await fetch(`http://127.0.0.1:${redirectPort}/none-${i}`);
    await processes[1]!.stop();
    const spans = collector.spans.filter(({ service }) => service === 'shortlinks-redirect');
    expect(spans.map(({ name }) => name)).to.deep.equal(['GET redirect', 'GET redirect']);
    expect(valueOf(spans[0]!.attributes, 'http.response.status_code')).to.equal(404);
  });

  it('traces a write from the request over its job to the worker, as part of the caller’s trace', async () => {
    // The shared worker, which sends no traces, takes some of the jobs.
    const traces = Array.from({ length: 20 }, (_, at) => (at + 1).toString(16).padStart(32, 'a'));
    for (const [at, traceId] of traces.entries()) await write(traceId, at);
    await Promise.all(processes.map((one) => one.stop()));
    const ofTrace = (traceId: string) => collector.spans.filter((one) => one.traceId === traceId);
    for (const [at, traceId] of traces.entries()) {
      const [request, job] = ['POST /tags', 'add tag.create'].map((name) =>
        ofTrace(traceId).find((one) => one.name === name),
      );
      expect(request).to.include({ service: 'shortlinks-api', parentSpanId: '00f067aa0ba902b7' });
      expect(valueOf(request!.attributes, 'http.response.status_code')).to.equal(201);
      expect(valueOf(request!.attributes, 'shortlinks.request.id')).to.equal(`traced-${at}`);
      expect(job).to.include({ service: 'shortlinks-api', parentSpanId: request!.spanId });
    }
    const done = collector.spans.filter(({ name }) => name === 'process tag.create');
    expect(done).to.have.length.above(0);
    for (const span of done) {
      expect(span.service).to.equal('shortlinks-worker_writes');
      const added = ofTrace(span.traceId).find(({ spanId }) => spanId === span.parentSpanId);
      expect(added?.name).to.equal('add tag.create');
    }
  });
});
