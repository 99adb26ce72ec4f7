import { expect } from 'chai';
import fc from 'fast-check';
import type { Destination } from '../../src/destinations/model.ts';
import { healthAfter, outcomeOf } from '../../src/destinations/outcome.ts';
import { MAX_REFUSALS, Receipt, SendFailure } from '../../src/destinations/receipt.ts';
import type { SentEvent } from '../../src/destinations/sent-event.ts';

const FATES = ['accept', 'drop', 'event', 'receiver', 'wait'] as const;
type Fate = (typeof FATES)[number];

const row = (fields: Partial<Destination>) =>
  ({
    status: 'active',
    failures: 0,
    failing_since: null,
    refused_attempts: 0,
    given_up: 0,
    last_sent_at: null,
    ...fields,
  }) as Destination;

/** Notes the fates of a batch, of which those that wait ended with a failure. */
function batch(history: Destination, fates: readonly Fate[]) {
  const receipt = new Receipt();
  for (const [n, fate] of fates.entries()) {
    const event = { id: String(n) } as SentEvent;
    if (fate === 'accept') receipt.accept([event]);
    else if (fate === 'drop') receipt.drop([event], 'dropped');
    else if (fate !== 'wait') receipt.refuse([event], new SendFailure(fate, { refused: fate }));
  }
  const failure = fates.includes('wait') ? new SendFailure('down') : undefined;
  const outcome = outcomeOf(history, receipt, failure);
  const done = [...outcome.accepted, ...outcome.givenUp.map(({ event }) => event)];
  return { outcome, ids: done.map(({ id }) => id), health: healthAfter(history, outcome) };
}

describe('outcomes of events for destinations', () => {
  const fates = fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 15 });
  const histories = fc.record({
    refused_attempts: fc.nat(25),
    given_up: fc.nat(MAX_REFUSALS),
    last_sent_at: fc.constantFrom(null, new Date(0)),
  });

  it('name each event at most once, and leave some waiting only with a failure', () => {
    fc.assert(
      fc.property(histories, fates, (history, of) => {
        const { outcome, ids } = batch(row(history), of);
        expect(new Set(ids).size).to.equal(ids.length);
        if (ids.length < of.length) expect(outcome.failure).not.to.equal(undefined);
        for (const { reason } of outcome.givenUp) expect(reason).not.to.equal('');
      }),
    );
  });

  it('never disable a destination that accepts an event, or that cannot be reached', () => {
    fc.assert(
      fc.property(histories, fates, (history, of) => {
        const { health } = batch(row(history), of);
        if (of.includes('accept') || of.includes('wait')) expect(health.status).to.equal(undefined);
      }),
    );
  });

  it('give up at most ten events in a row, of a receiver that accepts none', () => {
    fc.assert(
      fc.property(fc.array(fates, { minLength: 1, maxLength: 60 }), (batches) => {
        const history = row({ last_sent_at: new Date(0) });
        for (const of of batches) {
          const refused = of.map((fate) =>
            fate === 'accept' || fate === 'drop' ? 'receiver' : fate,
          );
          Object.assign(history, batch(history, refused).health);
          expect(history.given_up).to.be.at.most(MAX_REFUSALS);
        }
      }),
    );
  });

  it('disable a destination whose receiver refuses everything for more than an hour', () => {
    const history = row({});
    let ms = 0;
    let attempts = 0;
    while (history.status === 'active') {
      const { health } = batch(history, ['receiver', 'receiver']);
      ms += health.retry_at ? health.retry_at.getTime() - Date.now() : 0;
      attempts += 1;
      Object.assign(history, health);
    }
    expect(attempts).to.equal(20);
    expect(ms).to.be.greaterThan(3_600_000);
  });
});
