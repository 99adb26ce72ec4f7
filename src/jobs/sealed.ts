import { isSealed, seal, unseal } from '../infra/secrets.ts';

/*
 * Jobs and their results are plain text in Redis and Postgres: passwords, secrets and inputs that were refused are
 * encrypted in them, and opened only in the answer to their owner.
 */

const SEALED = new Set(['password', 'secret', 'key', 'url']);

/** The input of a bulk request, encrypted: what is refused may hold a secret in any field. */
export const sealInput = (sent: unknown): string => seal(JSON.stringify(sent));

/** The members of a list that {@link sealInput} was given, each encrypted by itself. */
export const sealEach = (sealed: string): string[] =>
  (JSON.parse(unseal(sealed)) as unknown[]).map(sealInput);

/** An item of a bulk answer that was refused, with its input opened. */
export function openInput<Item extends object>(item: Item): Item {
  const opened = Object.entries(item).map(([name, value]: [string, unknown]) => [
    name,
    isSealed(value) ? (JSON.parse(unseal(value)) as unknown) : value,
  ]);
  return Object.fromEntries(opened) as Item;
}

/** The result of a job as its request would have answered it, with everything opened that is sealed. */
export function openSealed(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(openSealed);
  if (typeof result !== 'object' || result === null) return result;
  if ('error' in result) return openInput(result);
  if ('isReplayed' in result && 'answer' in result) return result.answer;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      SEALED.has(name) && isSealed(value) ? openText(value) : value,
    ]),
  );
}

/** Callers' own texts, such as destinations, may begin as sealed ones do: what was not sealed here stays as it is. */
function openText(text: string): string {
  try {
    return unseal(text);
  } catch {
    return text;
  }
}
