import { totalmem } from 'node:os';

/** Memory below which a machine counts as small, in bytes: one with 2 GB does, one with 4 GB doesn't. */
const SMALL_BYTES = 3 * 2 ** 30;

/** Memory that all processes may use together, in bytes: that of the machine, or of the container where that is limited. */
export const machineMemory = (): number =>
  // 0, or more than there is, where there is no limit.
  Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** True on a machine, or in a container, where memory is scarcer than the processor. */
export const isSmallMachine = (): boolean => machineMemory() < SMALL_BYTES;
