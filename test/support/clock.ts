import { mock } from 'node:test';

/**
 * Acts while the clock of this process stands at a time, as on a machine whose clock is wrong; other
 * processes and the database keep theirs.
 */
export async function atTime<Result>(time: Date, act: () => Promise<Result>): Promise<Result> {
  mock.timers.enable({ apis: ['Date'], now: time });
  try {
    return await act();
  } finally {
    mock.timers.reset();
  }
}
