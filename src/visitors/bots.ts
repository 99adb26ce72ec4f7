import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

/** Name of WeChat's browser process, which isbot takes for a tool. */
const WECHAT_PROCESS = /process\/tools/i;

/** Cached, since user agents are few and the pattern is long. */
const remembered = new LRUCache<string, boolean>({ max: 5_000 });

/**
 * True for user agents of programs. Redirects and the worker that counts visits must agree, so both
 * call this.
 */
export function isBot(userAgent: string): boolean {
  let isProgram = remembered.get(userAgent);
  if (isProgram === undefined) {
    isProgram = isbot(userAgent.replace(WECHAT_PROCESS, ''));
    remembered.set(userAgent, isProgram);
  }
  return isProgram;
}
