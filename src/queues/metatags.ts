import { defineQueue, type Job } from './queue.ts';

/** Questions about pages of the web, which only a look at them can answer. */
export const metatags = defineQueue<{
  /** Which of these addresses may be shown in a frame of ours. */
  'pages.framing': Job<{ urls: string[] }, string[]>;
}>('metatags', { attempts: 2 });
