import { config } from '../config.ts';

/** True if the operator has configured a mail server. */
export const isMailSetUp = (): boolean => config().SMTP_URL !== '';
