import type { Express, Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import { MEBIBYTE, readBytes } from '../http/input.ts';
import type { Queues } from '../http/route.ts';
import { newId } from '../ids.ts';
import { networkOf } from '../infra/network.ts';
import { parseJson } from '../infra/parse-json.ts';
import { unseal } from '../infra/seal.ts';
import { isStorable } from '../infra/storable-text.ts';
import { findIntegration, type NamedIntegration } from '../integrations/find.ts';
import { integrationJobs, paymentJobs } from '../integrations/jobs.ts';
import type { IntegrationType } from '../integrations/model.ts';
import type { PaymentFact } from '../integrations/payment.ts';
import type { Fields } from '../integrations/read-json.ts';
import { readShopify } from '../integrations/shopify.ts';
import { isSignedByShopify, isSignedByStripe } from '../integrations/signatures.ts';
import { readStripe } from '../integrations/stripe.ts';
import { answerAccepted } from '../jobs/answer-write.ts';
import type { Admission } from './admission.ts';
import { NOBODY } from './authenticate.ts';

/*
 * Webhooks of payment processors, `POST /integrations/<type>/<id>`. Nothing of a body is read before
 * its signature is verified. Processors repeat deliveries that are not answered with 2xx, so the
 * answer is 200 once the queue has the job.
 */

/** Maximum size of a delivery, in bytes. */
const BODY_LIMIT = 2 * MEBIBYTE;
/** Maximum number of JSON values of a delivery; an order has a hundred for each article. */
const MAX_VALUES = 100_000;
/** Rights of the requests for which deliveries count. */
const NEEDS = { scope: 'conversions.write', plan: 'business', limit: 'track' } as const;

interface Processor {
  /** Header with the signature. */
  signature: string;
  isSigned(secret: string, body: Buffer, signature: string): boolean;
  /** Reads what a delivery says; nothing for types that are ignored. */
  read(body: Fields, header: (name: string) => string): PaymentFact[];
}

const PROCESSORS: Readonly<Record<IntegrationType, Processor>> = {
  stripe: {
    signature: 'stripe-signature',
    isSigned: (secret, body, signature) => isSignedByStripe(secret, body, signature, Date.now()),
    read: readStripe,
  },
  shopify: {
    signature: 'x-shopify-hmac-sha256',
    isSigned: isSignedByShopify,
    read: (body, header) => readShopify(header('x-shopify-topic'), body),
  },
};

type DeliveryRequest = Request<{ id: string }>;

/** Serves the addresses of connections to payment processors. */
export function servePaymentDeliveries(app: Express, admission: Admission, queues: Queues): void {
  for (const [type, processor] of Object.entries(PROCESSORS) as [IntegrationType, Processor][]) {
    const path = `/integrations/${type}`;
    app.post(`${path}/:id`, async (request: DeliveryRequest, response) => {
      response.locals['route'] = `${path}/{id}`;
      const body = await readBytes(request, BODY_LIMIT);
      const { id } = request.params;
      const named = isStorable(id) ? await findIntegration(type, id) : undefined;
      if (named === undefined || !isSigned(processor, named, request, body)) {
        await refuse(admission, queues, { request, response, named });
      }
      await accept(
        { type, processor, named: named!, admission, queues },
        { request, response, body },
      );
      response.json({ received: true });
    });
  }
}

function isSigned(
  { signature, isSigned: isSignedWith }: Processor,
  { projectId, secrets }: NamedIntegration,
  request: DeliveryRequest,
  body: Buffer,
): boolean {
  const context = { purpose: 'integration secret', owner: projectId } as const;
  const header = request.get(signature) ?? '';
  return secrets.some((sealed) => isSignedWith(unseal(context, sealed), body, header));
}

/**
 * Refuses a delivery of an unknown connection or with a wrong signature, which look the same. They
 * count against the limit of requests without a key.
 *
 * @throws Refusal `bad_request`, or `rate_limit_exceeded`
 */
async function refuse(
  admission: Admission,
  queues: Queues,
  {
    request,
    response,
    named,
  }: { request: DeliveryRequest; response: Response; named: NamedIntegration | undefined },
): Promise<never> {
  await admission.takePublic(networkOf(request.ip ?? ''), response);
  if (named !== undefined) note(queues, named, request.params.id, WRONG_SIGNATURE);
  throw new Refusal('bad_request', 'The signature is not of this connection and body');
}

const WRONG_SIGNATURE =
  'The signature was not made with the secret of the connection within the last five minutes';

interface Receiver {
  type: IntegrationType;
  processor: Processor;
  named: NamedIntegration;
  admission: Admission;
  queues: Queues;
}

/**
 * Queues what a delivery says about payments.
 *
 * @throws Refusal `forbidden` for a workspace whose plan has no conversions; `bad_request` for a body
 * that is not JSON; `rate_limit_exceeded`; `service_unavailable`
 */
async function accept(
  { type, processor, named, admission, queues }: Receiver,
  { request, response, body }: { request: DeliveryRequest; response: Response; body: Buffer },
): Promise<void> {
  const { projectId, workspaceSlug, plan, requestsPerMinute } = named;
  const workspace = { projectId, workspaceSlug, plan, requestsPerMinute };
  const caller = { ...NOBODY, ...workspace, scopes: [NEEDS.scope] };
  response.locals['projectId'] = projectId;
  const { id } = request.params;
  let facts: PaymentFact[];
  try {
    admission.authorize(NEEDS, caller);
    await admission.take(NEEDS, caller, queues.producer, response);
    facts = processor.read(parse(body), (name) => request.get(name) ?? '');
  } catch (thrown) {
    if (thrown instanceof Refusal) note(queues, named, id, thrown.message);
    throw thrown;
  }
  if (facts.length === 0) return note(queues, named, id, null);
  const requestId = String(response.locals['requestId']);
  const origin = { queues, caller, requestId, idempotency: undefined, ifMatch: undefined };
  await answerAccepted(origin, paymentJobs['payment.receive'], { id, type, facts });
}

/** @throws Refusal `bad_request` */
function parse(body: Buffer): Fields {
  try {
    const parsed = parseJson(body, MAX_VALUES);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Fields) : {};
  } catch {
    throw new Refusal('bad_request', `The body must be JSON with at most ${MAX_VALUES} values`);
  }
}

/** Interval of the notes about deliveries of a connection, of each kind, in ms. */
const NOTED_EVERY_MS = 60_000;
const noted = new LRUCache<string, true>({ max: 10_000, ttl: NOTED_EVERY_MS });

/**
 * Stores that a delivery came or was refused, at most once per minute and process. Not awaited;
 * errors are ignored.
 */
function note(
  { producer }: Queues,
  { projectId }: NamedIntegration,
  id: string,
  refusal: string | null,
): void {
  const key = `${id} ${refusal}`;
  if (noted.has(key)) return;
  noted.set(key, true);
  const data = { id, at: new Date().toISOString(), refusal };
  producer
    .add(integrationJobs['integration.noted'], data, { jobId: newId('job'), projectId })
    .catch(() => {});
}
