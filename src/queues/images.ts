import type { ImageRef } from '../images/name.ts';
import { defineQueue, type Job } from './queue.ts';

/** Images to be fetched and kept, for a workspace or, without one, for a day. */
export const images = defineQueue<{
  'image.keep': Job<{ source: string }, ImageRef>;
}>('images', { attempts: 2 });
