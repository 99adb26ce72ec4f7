import { isSealed, unseal } from '../infra/secrets.ts';

const SEALED = new Set(['password', 'secret']);

/** A job's result for its owner: passwords of records and secrets of webhooks in it are opened. */
export function openSealed(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(openSealed);
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      SEALED.has(name) && isSealed(value) ? unseal(value) : value,
    ]),
  );
}
