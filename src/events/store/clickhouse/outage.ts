/**
 * Codes of errors of a server that cannot reach another one or does not have its tables yet:
 * UNKNOWN_TABLE to NO_REPLICA_HAS_PART.
 */
const OF_OTHERS = ['32', '60', '209', '210', '279', '285', '286', '289', '319'];

/**
 * Reads the code of a server error. Old servers omit the error name from which the client library
 * derives it.
 */
function codeOf(error: unknown): string | undefined {
  const { code, type, message } = error as { code?: string; type?: string; message?: string };
  return type === undefined ? /^Code: (\d+)/.exec(message ?? '')?.[1] : code;
}

/**
 * Returns true for an error after which another node may be tried: this one does not answer, or
 * cannot reach the others.
 */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || OF_OTHERS.includes(code);
}

/** Returns true for an error about a missing table. */
export const isWithoutTable = (error: unknown): boolean => codeOf(error) === '60';

/** Removes the parts of the statement that the error message of a server repeats. */
export function withoutData(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const { type } = error as { type?: string };
  return new Error(
    `ClickHouse refused a statement: ${type === undefined ? code : `${code} ${type}`}`,
  );
}
