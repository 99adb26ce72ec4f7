import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';

/** The name by which WeChat calls the part of it that people browse with; isbot takes that for a tool. */
const WECHAT_PROCESS = /process\/tools/i;

/** User agents are few; the pattern is a long one. */
const remembered = new LRUCache<string, boolean>({ max: 5_000 });

/** True for user agents of programs: of redirects, and of the worker that counts visits, which must agree. */
export function isBot(userAgent: string): boolean {
  let isProgram = remembered.get(userAgent);
  if (isProgram === undefined) {
    isProgram = isbot(userAgent.replace(WECHAT_PROCESS, ''));
    remembered.set(userAgent, isProgram);
  }
  return isProgram;
}
