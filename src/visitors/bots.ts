import { isbot } from 'isbot';

/** The name by which WeChat calls the part of it that people browse with; isbot takes that for a tool. */
const WECHAT_PROCESS = /process\/tools/i;

/** True for user agents of programs: of redirects, and of the worker that counts visits, which must agree. */
export const isBot = (userAgent: string): boolean => isbot(userAgent.replace(WECHAT_PROCESS, ''));
