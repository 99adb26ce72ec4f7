import { type ExecFileException, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { keep } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import { Semaphore } from '../infra/semaphore.ts';
import { busy, refuse, refuseUnreadable, WAIT_MS } from './refusals.ts';

const SVG_PROCESS = fileURLToPath(new URL('./svg-process.js', import.meta.url));
/** Exit code of the process for an SVG that cannot be drawn. */
const REFUSED = 2;
/**
 * Time limit of a drawing, in ms. The process ends itself after 5 s of processor time; this is for
 * a machine on which it gets none.
 */
const BACKSTOP_MS = 60_000;
/** Maximum size of a drawn SVG, in bytes. */
const MAX_DRAWN = 32 * 1024 * 1024;
/** Time for which a drawn SVG is cached if there is space, in s. */
const KEEP_SECONDS = { strangers: 300, workspaces: 3_600 };

/** One process at a time, because the memory of several would add up. */
const drawing = new Semaphore(1);

/**
 * Draws an SVG as a PNG, with its shapes where it consists of shapes; recent drawings are cached.
 *
 * @param isOfNobody true if no workspace requests it, so that it is drawn after those of workspaces
 * @throws Refusal `unprocessable_entity` for an SVG that cannot be drawn, or needs too much memory
 * or processor time; `service_unavailable` when it cannot be drawn now
 */
export async function drawSvg(svg: string, isOfNobody: boolean): Promise<Buffer> {
  const name = `drawn:${createHash('sha256').update(svg).digest('base64url')}`;
  const find = () => cacheRedis().getBuffer(name);
  const image = await find();
  if (image !== null) return image;
  return drawing.run(
    async () => {
      // Another request may have drawn it meanwhile.
      const early = await find();
      if (early !== null) return early;
      const png = await drawApart(svg);
      const budget = isOfNobody ? 'strangers' : 'workspaces';
      await keep(cacheRedis(), name, png, { budget, seconds: KEEP_SECONDS[budget] });
      return png;
    },
    { rank: isOfNobody ? 1 : 0, timeout: { ms: WAIT_MS, error: busy } },
  );
}

/** Draws in a separate process. */
function drawApart(svg: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [SVG_PROCESS],
      // Empty environment, because the process reads untrusted files.
      {
        encoding: 'buffer',
        env: {},
        timeout: BACKSTOP_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_DRAWN,
      },
      (error, png, stderr) => {
        if (error === null) resolve(png);
        else reject(refusalOf(error, stderr.toString()));
      },
    );
    // The process may end before it has read everything.
    child.stdin?.on('error', () => {});
    child.stdin?.end(svg);
  });
}

/** Explains why a process has drawn nothing; an error that is not a Refusal is a fault. */
function refusalOf(error: ExecFileException, stderr: string): Error {
  const { code, signal } = error;
  if (code === REFUSED) return refuseUnreadable(stderr);
  if (stderr.endsWith('limit: time')) {
    return refuse('must be an SVG that can be drawn within 5 s of processor time');
  }
  if (stderr.endsWith('limit: memory') || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return refuse('must be an SVG that can be drawn with less memory');
  }
  // It was ended by the time limit or by the kernel, or could not be started: memory or processes
  // are exhausted.
  const isEnded = typeof signal === 'string';
  return isEnded || error.message.startsWith('spawn ') ? busy() : error;
}
