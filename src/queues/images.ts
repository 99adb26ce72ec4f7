import type { MadeImage } from '../images/name.ts';
import type { HandedOver } from '../infra/kept.ts';
import { defineQueue, type Job } from './definition.ts';

/** Images to be fetched. The id of a job of a preview is the image's name, so that one is not fetched twice at once. */
export const images = defineQueue<{
  /** Keeps an image for a workspace or, without one, for minutes. */
  'image.keep': Job<{ source: string }, MadeImage>;
  /** Reads an image into the cache, at the size of a preview. */
  'image.preview': Job<{ url: string }, HandedOver | undefined>;
}>('images', { attempts: 2, keepFailed: false });
