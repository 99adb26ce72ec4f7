import { config } from '../src/config.ts';
import { sendTestMail } from '../src/mail/send.ts';
import { type Command, emailOf } from './cli-options.ts';
import { SetupError } from './embedded/servers.ts';

/** Commands about email. */
export const MAIL_COMMANDS: Record<string, Command> = {
  'mail test': {
    summary: 'Send an email by SMTP_URL and MAIL_FROM, and show the answer of the mail server',
    usage: '--to you@example.com',
    standsAlone: true,
    run(options) {
      const to = emailOf(options, 'to');
      if (config().SMTP_URL === '') {
        throw new SetupError('Set SMTP_URL and MAIL_FROM: without them, no email is sent');
      }
      return sendTestMail(to);
    },
  },
};
