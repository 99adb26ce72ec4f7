import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import { memoize } from '../infra/memoize.ts';

/** Name of WeChat's browser process, which isbot takes for a tool. */
const WECHAT_PROCESS = /process\/tools/i;

/**
 * True for user agents of programs. Redirects and the worker that counts visits must agree, so both
 * call this. Cached, since user agents are few and the pattern is long.
 */
export const isBot = memoize(
  (userAgent: string) => isbot(userAgent.replace(WECHAT_PROCESS, '')),
  new LRUCache<string, boolean>({ max: 5_000 }),
);
