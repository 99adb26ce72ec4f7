import { customAlphabet } from 'nanoid';
import { Refusal } from '../errors.ts';

const SHORTEST = 3;
const LONGEST = 190;
const draw = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/**
 * A random key of a length that a client of another service asks for.
 *
 * @param field the name of the length in that service
 * @throws Refusal `unprocessable_entity`
 */
export function keyOfLength(length: unknown, field: string): string {
  if (
    typeof length !== 'number' ||
    !Number.isInteger(length) ||
    length < SHORTEST ||
    length > LONGEST
  ) {
    throw new Refusal(
      'unprocessable_entity',
      `${field} must be a whole number from ${SHORTEST} to ${LONGEST}`,
    );
  }
  return draw(length);
}
