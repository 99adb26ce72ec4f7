/** Creates a function that runs tasks in order, a number of them at the same time. */
export function inTurn(atOnce: number) {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async <Result>(task: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
