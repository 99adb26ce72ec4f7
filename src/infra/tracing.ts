import { AsyncLocalStorage } from 'node:async_hooks';

/** Values that describe a span, by the names of OpenTelemetry's semantic conventions. */
export type Attributes = Record<string, string | number>;

/** A timed part of what a request causes. */
export interface Span {
  /** Identifies it to its children, in other processes too: a `traceparent` (W3C Trace Context). */
  readonly context: string;
  /** @param more known at its end, as `name` may be */
  end(more?: { name?: string; attributes?: Attributes; isFailed?: boolean }): void;
}

/** Records spans; `otel.ts` has one that sends them to a collector. */
export interface Tracer {
  start(
    name: string,
    options: {
      kind: 'server' | 'producer' | 'consumer';
      /** The context of the span that caused it; without one it is the first of its trace. */
      parent?: string | undefined;
      attributes?: Attributes;
    },
  ): Span;
}

// One per process: set at its start, before the first span.
let tracer: Tracer | undefined;
const current = new AsyncLocalStorage<string>();

/** From now on spans are recorded. */
export function setTracer(started: Tracer): void {
  tracer = started;
}

/** Begins a span; `undefined` where none are recorded. */
export const startSpan: (...args: Parameters<Tracer['start']>) => Span | undefined = (...args) =>
  tracer?.start(...args);

/** Runs what belongs to a span, so that `currentTrace` is its context. */
export const withinSpan = <Result>(span: Span | undefined, act: () => Result): Result =>
  span === undefined ? act() : current.run(span.context, act);

/** The context of the span that the caller belongs to; `undefined` where there is none. */
export const currentTrace = (): string | undefined =>
  tracer === undefined ? undefined : current.getStore();
