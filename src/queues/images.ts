import type { ImageRef } from '../images/name.ts';
import { defineQueue, type Job } from './queue.ts';

/** Images to be fetched. The id of a job of a preview is the image's name, so that one is not fetched twice at once. */
export const images = defineQueue<{
  /** Keeps an image for a workspace or, without one, for a day. */
  'image.keep': Job<{ source: string }, ImageRef>;
  /** Reads an image into the cache, at the size of a preview. */
  'image.preview': Job<{ url: string }, undefined>;
}>('images', { attempts: 2, keepFailed: false });
