import type { Log } from '../src/infra/log.ts';
import { drawApart } from '../src/qrcodes/draw-apart.ts';
import { pictureRenderer } from '../src/qrcodes/draw-picture.ts';
import { qr } from '../src/queues/qr.ts';
import { serve } from '../src/queues/worker.ts';

export default (_log?: Log, isShared = false) => {
  if (isShared) return serve(qr, { 'qr.render': pictureRenderer(drawApart) });
  const loading = import('../src/qrcodes/render/picture.ts');
  const render = pictureRenderer(async (...args) => (await loading).drawPicture(...args));
  return serve(qr, { 'qr.render': render });
};
