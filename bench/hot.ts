import { below, browserRequest, openLoop } from './open-loop.ts';
import type { BenchService } from './service.ts';

/** Number of hot links, the first ones. */
const HOT = 100;
/** About a tenth of the capacity of a redirect process. */
const HOT_PER_SECOND = 2_500;

/** Visits hot links for some seconds. */
export const hot = ({ redirectPort }: BenchService, seconds: number) =>
  openLoop({
    port: redirectPort,
    perSecond: HOT_PER_SECOND,
    seconds,
    request: (number) => browserRequest(number, `k${below(HOT)}`),
  });
