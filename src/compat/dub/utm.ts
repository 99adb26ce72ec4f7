import { Refusal } from '../../errors.ts';
import { UTM_FIELDS } from '../../events/utm.ts';
import { writeParameters } from '../../short-links/destination.ts';
import type { Fields } from '../peer.ts';

/** UTM parameters of Dub, whose `ref` this API does not have on links. */
export const DUB_UTM_FIELDS: readonly string[] = [...UTM_FIELDS, 'ref'];

/** Maximum length of a UTM parameter at Dub. */
const MAX_LENGTH = 255;

/** @throws Refusal `unprocessable_entity` naming each UTM parameter that is too long for Dub */
export function refuseLongUtm(fields: Fields): void {
  refuseLonger(fields, DUB_UTM_FIELDS, MAX_LENGTH);
}

/** @throws Refusal `unprocessable_entity` naming each text that is too long, without outer spaces */
export function refuseLonger(fields: Fields, names: readonly string[], max: number): void {
  const tooLong = names.filter((name) => {
    const value = fields[name];
    return typeof value === 'string' && value.trim().length > max;
  });
  if (tooLong.length === 0) return;
  const faults = tooLong.map((name) => `${name} must be at most ${max} characters long`);
  throw new Refusal('unprocessable_entity', faults.join('; '));
}

/**
 * Writes `ref` into the destination of a link, as Dub does: an empty one removes the parameter. The
 * rest of the URL is unchanged, byte for byte.
 *
 * @throws Refusal `unprocessable_entity` for a `ref` that is no text
 */
export function withRef(url: string, ref: unknown): string {
  if (ref !== null && typeof ref !== 'string') {
    throw new Refusal('unprocessable_entity', 'ref must be a text');
  }
  return writeParameters(url, ['ref'], { ref: ref ? ref.trim() : null });
}
