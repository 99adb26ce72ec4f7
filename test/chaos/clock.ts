import { existsSync } from 'node:fs';

/** Debian's library that moves the clock of a program and its threads. */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

export const canMoveClocks = (): boolean => existsSync(FAKETIME);

/**
 * Environment of a program with a clock that can be set wrong; timers are not concerned.
 *
 * @param file says by how much: "+0", "-2h", "+40d"
 */
export const clockSettings = (file: string): Record<string, string> => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DONT_RESET: '1',
});
