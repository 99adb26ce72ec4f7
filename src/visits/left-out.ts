import type { LeftOutClass } from '../visitors/traffic.ts';

/** Name under which programs are counted beyond the limit of names. */
export const OTHER_PROGRAMS = 'other';

/** Number of requests of a program that are not counted as visits, on one day. */
export interface LeftOutCount {
  projectId: string;
  /** Number of days (UTC) since 1970. */
  day: number;
  class: LeftOutClass;
  program: string;
  requests: number;
}
