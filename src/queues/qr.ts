import type { HandedOver } from '../infra/kept.ts';
import type { Picture } from '../qrcodes/pictures.ts';
import { defineQueue, type Job } from './definition.ts';

/**
 * Pictures to be drawn. The id of a job is the name of its picture, so that one that is under way is not drawn
 * twice; all API processes get the outcome on their channel.
 */
export const qr = defineQueue<{
  'qr.render': Job<Picture, HandedOver | undefined>;
}>('qr', { attempts: 3, keepFailed: false });
