import { defineQueue, type Job } from './definition.ts';

/**
 * Email. What is to be sent is in Postgres; a job only says which. Mail servers ask for minutes of patience, so a mail is
 * tried for 22 hours.
 */
export const mail = defineQueue<{
  'mail.send': Job<{ mailId: string }, undefined>;
  /** Adds jobs of mails that were lost. */
  'mail.sweep': Job<object, undefined>;
}>('mail', {
  attempts: 36,
  attemptsOf: { 'mail.sweep': 4 },
  longestPauseMs: 3_600_000,
});
