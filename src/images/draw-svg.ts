import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { keep } from '../infra/kept.ts';
import { cacheRedis } from '../infra/redis.ts';
import { refuseUnreadable } from './refusals.ts';
import { oneAtATime, runLimited } from './run-limited.ts';

const SVG_PROCESS = {
  file: fileURLToPath(new URL('./svg-process.js', import.meta.url)),
  maxAnswer: 32 * 1024 * 1024,
  readable: 'an SVG that can be drawn',
  refusalOf: refuseUnreadable,
};
/** Time for which a drawn SVG is cached if there is space, in s. */
const KEEP_SECONDS = { strangers: 300, workspaces: 3_600 };

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
  return oneAtATime(async () => {
    // Another request may have drawn it meanwhile.
    const early = await find();
    if (early !== null) return early;
    const png = await runLimited(SVG_PROCESS, svg);
    const budget = isOfNobody ? 'strangers' : 'workspaces';
    await keep(cacheRedis(), name, png, { budget, seconds: KEEP_SECONDS[budget] });
    return png;
  }, isOfNobody);
}
