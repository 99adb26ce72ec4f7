import { isSealed, unseal } from '../infra/secrets.ts';

/** A job's result for its owner: passwords of records in it are opened. */
export function openPasswords(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(openPasswords);
  if (typeof result !== 'object' || result === null) return result;
  return Object.fromEntries(
    Object.entries(result).map(([name, value]) => [
      name,
      name === 'password' && isSealed(value) ? unseal(value) : value,
    ]),
  );
}
