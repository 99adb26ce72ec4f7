/** Lines in which a server says why it ends; those after them often only follow from it. */
const CAUSE = /\b(?:FATAL|PANIC|ERROR): |\*\*\* FATAL |Fatal error|No space left/;
/** Begins Postgres's FATAL answer to clients that connect before it is ready, such as our own readiness check. */
const NOT_YET = 'the database system is ';
const SHOWN_LINES = 4;
/** Postgres has no room for its shared memory, as in a container with little of it. */
const NO_SHARED_MEMORY = 'could not resize shared memory segment';

/** The output of a server in one line: from the first cause of its end on, else its last lines. */
export function summaryOf(log: string): string {
  const lines = log.trim().split('\n');
  const noMemory = lines.find((line) => line.includes(NO_SHARED_MEMORY));
  if (noMemory !== undefined) {
    const reason = noMemory.slice(noMemory.indexOf(NO_SHARED_MEMORY));
    return `${reason}. Give /dev/shm 64 MB or more ("docker run --shm-size=64m", "mount -o remount,size=64m /dev/shm").`;
  }
  const first = lines.findIndex((line) => CAUSE.test(line) && !line.includes(NOT_YET));
  const shown = first === -1 ? lines.slice(-SHOWN_LINES) : lines.slice(first, first + SHOWN_LINES);
  return shown.join(' / ') || '(empty)';
}
