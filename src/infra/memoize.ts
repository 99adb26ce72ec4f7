/** Where results are remembered: a Map, a WeakMap or an LRUCache. */
interface Results<Key, Result> {
  get(key: Key): Result | undefined;
  set(key: Key, result: Result): unknown;
}

/** Returns a function that calls `make` for a key only while `results` has none. */
export function memoize<Key, Result>(
  make: (key: Key) => Result,
  results: Results<Key, NoInfer<Result>>,
): (key: Key) => Result {
  return (key) => {
    let result = results.get(key);
    if (result === undefined) {
      result = make(key);
      results.set(key, result);
    }
    return result;
  };
}

/** Returns a function that calls `make` at its first call only. */
export function once<Result extends object>(make: () => Result): () => Result {
  let result: Result | undefined;
  return () => {
    result ??= make();
    return result;
  };
}
