import { totalmem } from 'node:os';

/** Memory below which a machine counts as small, in bytes: 2 GB is small, 4 GB is not. */
const SMALL_BYTES = 3 * 2 ** 30;

/**
 * Returns the memory that all processes can use together, in bytes: of the machine, or of the
 * container if it is limited.
 */
export const machineMemory = (): number =>
  // Without a limit this is 0, or more than the machine has.
  Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());

/** Returns true on a machine, or in a container, with little memory. */
export const isSmallMachine = (): boolean => machineMemory() < SMALL_BYTES;
