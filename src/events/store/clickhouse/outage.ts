/** Errors of a server that does not reach another one, or has not its tables yet: UNKNOWN_TABLE to NO_REPLICA_HAS_PART. */
const OF_OTHERS = ['32', '60', '209', '210', '279', '285', '286', '289', '319'];

/** The number of an error that a server has answered; old ones don't write its name, by which the client knows it. */
function codeOf(error: unknown): string | undefined {
  const { code, type, message } = error as { code?: string; type?: string; message?: string };
  return type === undefined ? /^Code: (\d+)/.exec(message ?? '')?.[1] : code;
}

/** True for an error after which another node may be asked: this one does not answer, or does not reach the others. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || OF_OTHERS.includes(code);
}

/** True for an error of a server that has no such table. */
export const isWithoutTable = (error: unknown): boolean => codeOf(error) === '60';

/** The error of a server without the parts of the statement that its message repeats. */
export function withoutData(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  const { type } = error as { type?: string };
  return new Error(
    `ClickHouse refused a statement: ${type === undefined ? code : `${code} ${type}`}`,
  );
}
