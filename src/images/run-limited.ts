import { type ExecFileException, execFile } from 'node:child_process';
import { Semaphore } from '../infra/semaphore.ts';
import { REFUSED } from './limited-process.ts';
import { busy, refuse, WAIT_MS } from './refusals.ts';

/**
 * Time limit of a process, in ms. It ends itself after 5 s of processor time; this is for a machine
 * on which it gets none.
 */
const BACKSTOP_MS = 60_000;

/** One process at a time, because the memory of several would add up. */
const running = new Semaphore(1);

/**
 * Waits until no other file is read in a separate process.
 *
 * @param isOfNobody true if no workspace requests it, so that it follows those of workspaces
 * @throws Refusal `service_unavailable`
 */
export const oneAtATime = <Result>(
  act: () => Promise<Result>,
  isOfNobody: boolean,
): Promise<Result> =>
  running.run(act, { rank: isOfNobody ? 1 : 0, timeout: { ms: WAIT_MS, error: busy } });

/** A program that uses `answerWithinLimits`. */
export interface LimitedProgram {
  file: string;
  /** Maximum size of an answer, in bytes. */
  maxAnswer: number;
  /** Words of refusals: an SVG that can be drawn. */
  readable: string;
  /** Makes the refusal of a file from the program's reason. */
  refusalOf(reason: string): Error;
}

/**
 * Answers a file in a separate process.
 *
 * @throws Refusal `unprocessable_entity` for a file that is refused, or needs too much memory or
 * processor time; `service_unavailable` when it cannot be read now
 */
export function runLimited(program: LimitedProgram, file: Buffer | string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [program.file],
      // Empty environment, because the process reads untrusted files.
      {
        encoding: 'buffer',
        env: {},
        timeout: BACKSTOP_MS,
        killSignal: 'SIGKILL',
        maxBuffer: program.maxAnswer,
      },
      (error, answer, stderr) => {
        if (error === null) resolve(answer);
        else reject(refusalOf(program, error, stderr.toString()));
      },
    );
    // The process may end before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(file);
  });
}

/** Explains why a process has no answer; an error that is not a Refusal is a fault. */
function refusalOf(program: LimitedProgram, error: ExecFileException, stderr: string): Error {
  const { code, signal } = error;
  if (code === REFUSED) return program.refusalOf(stderr);
  if (stderr.endsWith('limit: time')) {
    return refuse(`must be ${program.readable} within 5 s of processor time`);
  }
  if (stderr.endsWith('limit: memory') || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return refuse(`must be ${program.readable} with less memory`);
  }
  // It was ended by the time limit or by the kernel, or could not be started: memory or processes
  // are exhausted.
  const isEnded = typeof signal === 'string';
  return isEnded || error.message.startsWith('spawn ') ? busy() : error;
}
