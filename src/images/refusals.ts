import { Refusal } from '../errors.ts';

/** Maximum number of pixels that are decoded, because a small file may claim to be a huge image. */
export const MAX_PIXELS = 25_000_000;

/** Maximum wait for other drawings and decodings, in ms; shorter than requests wait. */
export const WAIT_MS = 10_000;
const RETRY_S = 10;

/** @param message completes "<field> …" */
export const refuse = (message: string) => new Refusal('unprocessable_entity', message);

/** Makes the refusal of an image that the decoder rejects, from the decoder's reason. */
export const refuseUnreadable = (reason: string): Refusal =>
  /pixel limit/i.test(reason)
    ? refuse(`must not have more than ${MAX_PIXELS / 1_000_000} million pixels`)
    : refuse('must be an image whose file is not damaged');

/** Makes the refusal of an image that cannot be drawn or decoded now. */
export const busy = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service is busy with other images; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );
