import { Refusal } from '../errors.ts';

/** Most pixels that are decoded: a small file may claim to be a very large picture. */
export const MAX_PIXELS = 25_000_000;

/** Longest wait for others that are drawn or decoded, in ms: shorter than requests wait. */
export const WAIT_MS = 10_000;
const RETRY_S = 10;

/** @param message completes "<field> …" */
export const refuse = (message: string) => new Refusal('unprocessable_entity', message);

/** The refusal of an image that the decoder does not read, by what the decoder says. */
export const refuseUnreadable = (reason: string): Refusal =>
  /pixel limit/i.test(reason)
    ? refuse(`must not have more than ${MAX_PIXELS / 1_000_000} million pixels`)
    : refuse('must be an image whose file is not damaged');

/** The refusal of an image that cannot be drawn or decoded now. */
export const busy = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service is busy with other images; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );
