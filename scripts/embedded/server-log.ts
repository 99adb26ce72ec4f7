/**
 * Lines in which a server reports the cause of its end; later lines are often only consequences.
 */
const CAUSE = /\b(?:FATAL|PANIC|ERROR): |\*\*\* FATAL |Fatal error|No space left/;
/**
 * Start of Postgres's FATAL answer to clients that connect too early, such as the readiness check.
 */
const NOT_YET = 'the database system is ';
const SHOWN_LINES = 4;
/** Postgres has too little shared memory, as in a small container. */
const NO_SHARED_MEMORY = 'could not resize shared memory segment';

/**
 * Summarizes the output of a server in one line: from the first cause of its end, or else its last
 * lines.
 */
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
