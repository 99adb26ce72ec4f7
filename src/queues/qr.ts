import type { Picture } from '../qrcodes/pictures.ts';
import { defineQueue, type Job } from './queue.ts';

/**
 * Pictures to be drawn. The id of a job is the name of its picture, so that one that is under way is not drawn
 * twice; whoever waits for it hears of it on the channel of all API processes.
 */
export const qr = defineQueue<{
  'qr.render': Job<Picture, undefined>;
}>('qr', { attempts: 3, keepFailed: false });
