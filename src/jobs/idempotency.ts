import { randomUUID } from 'node:crypto';
import { Refusal } from '../errors.ts';
import { mapInSlices } from '../http/input.ts';
import type { Idempotency, Route, RouteInput } from '../http/route.ts';
import type { Upload } from '../http/upload.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { fingerprint } from '../infra/secrets.ts';
import { earlierKeyedJobId, type JobOwner, keyedJobId } from './job-ids.ts';

export const MAX_KEY_LENGTH = 255;

/** Validates an Idempotency-Key. @throws Refusal `unprocessable_entity` */
export function checkedKey(key: string | undefined): string | undefined {
  if (key === undefined || (key.length >= 1 && key.length <= MAX_KEY_LENGTH)) return key;
  throw new Refusal(
    'unprocessable_entity',
    `Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} characters long`,
  );
}

/**
 * Reads the Idempotency-Key of a POST.
 *
 * @param late see `Idempotency`
 * @param input the request as parsed by the route's schemas
 */
export async function readIdempotency(
  route: Route,
  caller: JobOwner,
  key: string | undefined,
  { params, query, body }: RouteInput,
  late: Refusal | undefined,
): Promise<Idempotency | undefined> {
  if (key === undefined) return undefined;
  const contents = { path: route.path, params, query, body: await contentsOf(route, body) };
  return {
    jobId: keyedJobId(caller, key),
    earlierJobId: earlierKeyedJobId(caller.projectId, key),
    keyed: { fingerprint: fingerprint(canonicalJson(contents)), request: randomUUID() },
    late,
  };
}

/**
 * The contents of a body for its fingerprint, without values that mean the same as an absent field.
 * Items that are validated one by one are represented by their fingerprints as sent, since
 * validating all of them here would delay other requests.
 */
async function contentsOf(
  { bodyCheck, upload, defaults = {} }: Route,
  body: unknown,
): Promise<unknown> {
  if (upload !== undefined) return (body as Upload).sha256;
  if (bodyCheck === undefined || !Array.isArray(body)) return withoutDefaults(body, defaults);
  return mapInSlices(body as unknown[], (part) =>
    fingerprint(canonicalJson(withoutDefaults(part, defaults))),
  );
}

function withoutDefaults(value: unknown, defaults: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(
      ([name, member]) =>
        member !== null &&
        member !== undefined &&
        !(Array.isArray(member) && member.length === 0) &&
        member !== defaults[name],
    ),
  );
}
