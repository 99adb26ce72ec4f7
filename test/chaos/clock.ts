import { existsSync } from 'node:fs';

/**
 * Library of the Debian package libfaketime, which shifts the clock of a program and its threads.
 */
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

export const canMoveClocks = (): boolean => existsSync(FAKETIME);

/**
 * Returns the environment of a program whose clock can be shifted; timers are not affected.
 * @param file contains the offset: "+0", "-2h", "+40d"
 */
export const clockSettings = (file: string): Record<string, string> => ({
  LD_PRELOAD: FAKETIME,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DONT_RESET: '1',
});
