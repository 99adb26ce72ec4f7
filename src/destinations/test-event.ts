import { config } from '../config.ts';
import { db, execute } from '../infra/db.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import { sampleOf } from '../webhooks/kinds.ts';
import { kindOf } from './kinds.ts';
import type { Destination, DestinationTest } from './model.ts';
import { toReason } from './outcome.ts';
import { Receipt, SendFailure } from './receipt.ts';
import type { SentEvent } from './sent-event.ts';
import { failureOf, targetOf } from './target.ts';

/*
 * A test event goes to the receiver as a click does, beside the queue: it is sent once, and its
 * result changes neither the queue nor the health of the destination.
 */

/** Key of the short link of test events. */
const TEST_KEY = 'test-event';
/** The single request of a test is not left out when the process is to end. */
const NEVER = new AbortController().signal;
/** Maximum length of the stored part of a response. */
const MAX_RESPONSE = 1_000;

/** Builds a test that is to be run. */
export const newTest = (id: string): DestinationTest => ({
  id,
  state: 'pending',
  createdAt: new Date().toISOString(),
  durationMs: null,
  status: null,
  response: null,
  error: null,
});

/** Builds a click that nobody made. */
function testEvent(id: string): SentEvent {
  const domain = config().DEFAULT_SHORT_DOMAIN;
  const shortLink = shortLinkOf(domain, TEST_KEY);
  const { click } = sampleOf('link.clicked') as { click: Record<string, unknown> };
  return {
    id,
    isTest: true,
    kind: 'visit',
    isCode: false,
    type: 'link.clicked',
    at: new Date(),
    name: '',
    visitorId: '0000000000000001',
    shortLink,
    url: shortLink,
    domain,
    key: TEST_KEY,
    linkId: '',
    destination: '',
    referrer: '',
    country: '',
    region: '',
    city: '',
    device: '',
    browser: '',
    os: '',
    ip: '',
    variant: '',
    click: { ...click, id },
  };
}

/** Sends the test event of a destination, and stores the result. */
export async function runTest(destination: Destination): Promise<void> {
  const test = destination.test!;
  const target = targetOf(destination);
  const startedAt = performance.now();
  let response: { status: number; body: Buffer } | undefined;
  let error: string | undefined = 'The test event could not be sent';
  try {
    const onResponse = (latest: { status: number; body: Buffer }) => void (response = latest);
    error = await errorOf(
      destination,
      { ...target, stopping: NEVER, onResponse },
      testEvent(test.id),
    );
  } finally {
    // Also after a fault, since the test would otherwise run again before every batch.
    await storeTest(destination, {
      ...test,
      state: error === undefined ? 'succeeded' : 'failed',
      durationMs: Math.round(performance.now() - startedAt),
      status: response?.status ?? null,
      response:
        response === undefined ? null : withoutSecret(response.body.toString(), target.secret),
      error: error === undefined ? null : toReason(withoutSecret(error, target.secret)),
    });
  }
}

/** Sends an event. @returns the reason if the receiver did not accept it */
async function errorOf(
  { type }: Destination,
  target: Parameters<typeof failureOf>[1],
  event: SentEvent,
): Promise<string | undefined> {
  const kind = kindOf(type);
  const receipt = new Receipt();
  try {
    await kind.validate?.(target, event);
  } catch (failure) {
    if (failure instanceof SendFailure) return failure.message;
    throw failure;
  }
  const failure = await failureOf(kind, target, [event], receipt);
  return failure?.message ?? receipt.refusals[0]?.failure.message ?? receipt.dropped[0]?.reason;
}

/** Cuts a text of the receiver, which may repeat the request with the secret. */
function withoutSecret(text: string, secret: string | null): string {
  const forms =
    secret === null
      ? []
      : [
          secret,
          encodeURIComponent(secret),
          new URLSearchParams({ '': secret }).toString().slice(1),
          JSON.stringify(secret).slice(1, -1),
        ];
  return forms
    .reduce((clean, form) => clean.replaceAll(form, '[secret]'), text)
    .slice(0, MAX_RESPONSE)
    .replaceAll('\0', '')
    .toWellFormed();
}

/** Stores the result, unless another test was requested meanwhile. */
async function storeTest({ project_id, id }: Destination, test: DestinationTest): Promise<void> {
  await execute(
    db(),
    `UPDATE destinations SET test = :test
      WHERE project_id = :project_id AND id = :id AND test->>'id' = :testId`,
    { project_id, id, testId: test.id, test: JSON.stringify(test) },
  );
}
