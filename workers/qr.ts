import { renderPicture } from '../src/qrcodes/draw-picture.ts';
import { qr } from '../src/queues/qr.ts';
import { serve } from '../src/queues/queue.ts';

export default () => serve(qr, { 'qr.render': renderPicture });
