import { constants, setPriority } from 'node:os';
import run from './draw-thread.ts';

/*
 * The thread of `drawInBackground`. Linux schedules threads by priorities of their own, so this
 * affects neither the process nor the redirects on the same machine. Elsewhere it would be the
 * priority of the whole process.
 */

if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);

export default run;
