import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Limits of a caller to some links and QR codes of the workspace: a record must be inside of all
 * that are set.
 */
export interface Limits {
  folderIds?: readonly string[] | undefined;
  /** Names of domains. */
  domains?: readonly string[] | undefined;
  /** Id of the person who has created the record. */
  userId?: string | undefined;
}

const current = new AsyncLocalStorage<Limits | undefined>();

/** Runs a function, and everything that it awaits, within limits; `undefined` for none. */
export const withinLimits = <Result>(limits: Limits | undefined, act: () => Result): Result =>
  current.run(limits, act);

/** Returns the limits of the running request or job; `undefined` for none. */
export const currentLimits = (): Limits | undefined => current.getStore();

/** Reads the parts of an answer within limits, since they are produced while it is sent. */
export const partsWithin = <Part>(
  limits: Limits | undefined,
  parts: AsyncIterable<Part>,
): AsyncIterable<Part> => ({
  [Symbol.asyncIterator]() {
    const iterator = parts[Symbol.asyncIterator]();
    const end = async () => (await iterator.return?.()) ?? { done: true, value: undefined };
    return {
      next: () => withinLimits(limits, () => iterator.next()),
      return: () => withinLimits(limits, end),
    };
  },
});
