import { expect } from 'chai';
import fc from 'fast-check';
import { sendEach } from '../../src/destinations/kind.ts';
import type { Destination } from '../../src/destinations/model.ts';
import { healthAfter, outcomeOf } from '../../src/destinations/outcome.ts';
import { probeSpan, rotated, withProbes } from '../../src/destinations/probes.ts';
import { Receipt, SendFailure } from '../../src/destinations/receipt.ts';
import type { SentEvent } from '../../src/destinations/sent-event.ts';

const BATCH = 100;
const MAX_ATTEMPTS = 20;
const NEVER = new AbortController().signal;

/** The answer of the receiver to an event, whenever it is sent. */
type Fate = 'accepted' | 'dropped' | 'malformed' | 'blocked';
const FATES: readonly Fate[] = ['accepted', 'dropped', 'malformed', 'blocked'];

type Step =
  | { kind: 'arrive'; fate: Fate; count: number }
  /** Pauses, while events still arrive; resumes, while it is paused. */
  | { kind: 'pause' | 'resume' | 'attempt' }
  /** After some requests of an attempt, the receiver answers 503, or from the first one 404. */
  | { kind: 'outage'; after: number }
  | { kind: 'gone'; attempts: number };

const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('arrive' as const),
        fate: fc.constantFrom(...FATES),
        count: fc.integer({ min: 1, max: 40 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('attempt' as const) }) },
    fc.record({ kind: fc.constantFrom('pause' as const, 'resume' as const) }),
    fc.record({ kind: fc.constant('outage' as const), after: fc.nat(40) }),
    fc.record({ kind: fc.constant('gone' as const), attempts: fc.integer({ min: 1, max: 5 }) }),
  ),
  { maxLength: 12 },
);

/** A destination in memory, whose queue is read and whose outcomes are judged as in the worker. */
class Model {
  readonly row = {
    status: 'active',
    failures: 0,
    failing_since: null,
    refused_attempts: 0,
    given_up: 0,
    last_sent_at: null,
  } as unknown as Destination;
  readonly fates = new Map<string, Fate>();
  readonly arrived = new Set<string>();
  readonly givenUp = new Set<string>();
  queue: SentEvent[] = [];
  /** Attempts since the receiver processed an event. */
  vainAttempts = 0;
  mostRequests = 0;

  arrive(fate: Fate, count: number) {
    for (let n = 0; n < count; n += 1) {
      const id = String(this.fates.size);
      this.fates.set(id, fate);
      this.queue.push({ id } as SentEvent);
    }
  }

  #read(): SentEvent[] {
    const oldest = this.queue.slice(0, BATCH);
    const span = probeSpan(this.row.refused_attempts);
    if (span === undefined) return oldest;
    const probes = this.queue.toReversed().slice(span.offset, span.offset + span.limit);
    return withProbes(probes, oldest, ({ id }) => id);
  }

  /** Runs an attempt, during which the receiver answers with a status after some requests. */
  async attempt(outage?: { status: 404 | 503; after: number }) {
    if (this.row.status !== 'active' || this.queue.length === 0) return;
    const receipt = new Receipt();
    let requests = 0;
    const send = async (event: SentEvent) => {
      requests += 1;
      const isOut = outage !== undefined && requests > outage.after;
      await Promise.resolve();
      if (isOut) {
        throw new SendFailure('out', outage.status === 404 ? { refused: 'receiver' } : {});
      }
      this.#answer(event, receipt);
    };
    let failure: SendFailure | undefined;
    try {
      await sendEach(this.#read(), NEVER, receipt, send);
    } catch (error) {
      failure = error as SendFailure;
    }
    const outcome = outcomeOf(this.row, receipt, failure);
    if (!receipt.isProven) this.mostRequests = Math.max(this.mostRequests, requests);
    this.vainAttempts = receipt.isProven ? 0 : this.vainAttempts + 1;
    for (const { event } of outcome.givenUp) this.givenUp.add(event.id);
    const done = new Set(
      [...outcome.accepted, ...outcome.givenUp.map(({ event }) => event)].map(({ id }) => id),
    );
    this.queue = this.queue.filter(({ id }) => !done.has(id));
    if (outcome.accepted.length > 0) this.row.last_sent_at = new Date();
    const health = healthAfter(this.row, outcome);
    Object.assign(this.row, health);
    if (health.status === 'disabled') {
      expect(this.vainAttempts).to.be.at.least(MAX_ATTEMPTS);
    }
  }

  #answer(event: SentEvent, receipt: Receipt) {
    const fate = this.fates.get(event.id)!;
    if (fate === 'malformed') throw new SendFailure('malformed', { refused: 'event' });
    if (fate === 'blocked') throw new SendFailure('blocked', { refused: 'receiver' });
    if (fate === 'dropped') receipt.drop([event], 'dropped');
    else {
      this.arrived.add(event.id);
      receipt.accept([event]);
    }
  }

  async take(step: Step) {
    if (step.kind === 'arrive') this.arrive(step.fate, step.count);
    else if (step.kind === 'attempt') await this.attempt();
    else if (step.kind === 'outage') await this.attempt({ status: 503, after: step.after });
    else if (step.kind === 'gone') {
      for (let n = 0; n < step.attempts; n += 1) await this.attempt({ status: 404, after: 0 });
    } else if (this.row.status !== 'disabled') {
      this.row.status = step.kind === 'pause' ? 'paused' : 'active';
    }
  }

  /** Runs attempts until nothing waits, or the destination is disabled. */
  async finish() {
    if (this.row.status === 'paused') this.row.status = 'active';
    while (this.row.status === 'active' && this.queue.length > 0) await this.attempt();
  }
}

const ids = (model: Model, fate: Fate) =>
  [...model.fates].filter(([, one]) => one === fate).map(([id]) => id);

/** Checks that everything that the receiver accepts arrived, and that nothing of it was given up. */
function expectArrived(model: Model) {
  const acceptable = ids(model, 'accepted');
  expect(acceptable.filter((id) => model.givenUp.has(id))).to.deep.equal([]);
  expect(acceptable.filter((id) => !model.arrived.has(id))).to.deep.equal([]);
  expect(model.mostRequests).to.be.below(MAX_ATTEMPTS);
}

describe('queues of destinations', () => {
  it('deliver what is accepted, and disable only what accepts nothing in 20 attempts', () =>
    fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const model = new Model();
        for (const step of all) {
          // More than the attempts before it is disabled can look at.
          if (step.kind === 'arrive' && model.queue.length + step.count > 190) continue;
          await model.take(step);
        }
        await model.finish();
        if (model.row.status === 'disabled') {
          Object.assign(model.row, { status: 'active', refused_attempts: 0, given_up: 0 });
          model.arrive('accepted', 1);
          await model.finish();
        }
        expectArrived(model);
      }),
      { numRuns: 500 },
    ));

  for (const fate of ['blocked', 'malformed'] as const) {
    it(`deliver what waits behind more ${fate} events than a batch has`, async () => {
      const model = new Model();
      model.arrive(fate, 2 * BATCH);
      model.arrive('accepted', 70);
      await model.finish();
      expect(model.row.status).to.equal('active');
      expectArrived(model);
      expect(model.givenUp.size).to.equal(2 * BATCH);
    });
  }

  it('try each event of a page first in one of the attempts', () => {
    const page = Array.from({ length: 95 }, (_, n) => n);
    const tried = new Set<number>();
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const batch = rotated(page, attempts);
      expect(batch.toSorted((a, b) => a - b)).to.deep.equal(page);
      for (const n of batch.slice(0, 10)) tried.add(n);
    }
    expect(tried.size).to.equal(page.length);
    expect(rotated([], 3)).to.deep.equal([]);
  });

  it('say nothing about the receiver with events that are too old', () => {
    const { row } = new Model();
    const receipt = new Receipt();
    receipt.expire([{ id: '1' } as SentEvent]);
    const outcome = outcomeOf(row, receipt, undefined);
    expect(outcome.expired).to.have.length(1);
    expect(healthAfter(row, outcome)).to.deep.equal({});
  });
});
