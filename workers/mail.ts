import { sweepMails } from '../src/mail/outbox.ts';
import { sendMail } from '../src/mail/send.ts';
import { mail } from '../src/queues/mail.ts';
import { serve } from '../src/queues/worker.ts';

export default () => serve(mail, { 'mail.send': sendMail, 'mail.sweep': sweepMails });
