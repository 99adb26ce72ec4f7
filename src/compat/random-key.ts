import { customAlphabet } from 'nanoid';
import { Refusal } from '../errors.ts';

const MIN_LENGTH = 3;
const MAX_LENGTH = 190;
const draw = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/**
 * Generates a random key of the length that a client of another service requests.
 *
 * @param field name of the length in that service
 * @throws Refusal `unprocessable_entity`
 */
export function keyOfLength(length: unknown, field: string): string {
  if (
    typeof length !== 'number' ||
    !Number.isInteger(length) ||
    length < MIN_LENGTH ||
    length > MAX_LENGTH
  ) {
    throw new Refusal(
      'unprocessable_entity',
      `${field} must be a whole number from ${MIN_LENGTH} to ${MAX_LENGTH}`,
    );
  }
  return draw(length);
}
