import { AsyncLocalStorage } from 'node:async_hooks';

/** Values that describe a span, by the names of OpenTelemetry's semantic conventions. */
export type Attributes = Record<string, string | number>;

/** A timed operation that belongs to a request. */
export interface Span {
  /**
   * Identifies the span to its children, including those in other processes: a `traceparent` (W3C
   * Trace Context).
   */
  readonly context: string;
  /** @param more values known only at the end, possibly including `name` */
  end(more?: { name?: string; attributes?: Attributes; isFailed?: boolean }): void;
}

/** Records spans; the implementation in `otel.ts` sends them to a collector. */
export interface Tracer {
  start(
    name: string,
    options: {
      kind: 'server' | 'producer' | 'consumer';
      /** Context of the parent span; absent for the first span of a trace. */
      parent?: string | undefined;
      attributes?: Attributes;
    },
  ): Span;
}

// One per process: set at its start, before the first span.
let tracer: Tracer | undefined;
const current = new AsyncLocalStorage<string>();

/** Sets the tracer, from when on spans are recorded. */
export function setTracer(started: Tracer): void {
  tracer = started;
}

/** Starts a span; `undefined` if none are recorded. */
export const startSpan: (...args: Parameters<Tracer['start']>) => Span | undefined = (...args) =>
  tracer?.start(...args);

/** Runs a function within a span, so that `currentTrace` returns its context. */
export const withinSpan = <Result>(span: Span | undefined, act: () => Result): Result =>
  span === undefined ? act() : current.run(span.context, act);

/** Returns the context of the current span; `undefined` if there is none. */
export const currentTrace = (): string | undefined =>
  tracer === undefined ? undefined : current.getStore();
