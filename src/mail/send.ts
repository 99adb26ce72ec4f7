import type { Transporter } from 'nodemailer';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { db, execute, rows } from '../infra/db.ts';
import { unseal } from '../infra/seal.ts';
import { type JobContext, PermanentFailure } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { mailJobs } from './jobs.ts';
import { type MailContent, toContent } from './message.ts';
import { sweepMails } from './outbox.ts';

/** Timeouts of the mail server, in ms: to connect, to greet, and of silence later. */
const SILENCE_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1']);

// One per process: its settings name one mail server, which limits connections.
let transporter: Transporter | undefined;

/** Returns the pool of connections to the mail server, created on first use. */
async function transport(): Promise<Transporter> {
  if (transporter !== undefined) return transporter;
  // Loaded with the first mail, since many installations send none.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(config().SMTP_URL);
  const host = hostname.replaceAll(/[[\]]/g, '');
  const secure = protocol === 'smtps:';
  const hasAccount = username !== '';
  transporter ??= createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password is never sent over a network in plain text.
    requireTLS: hasAccount && !LOOPBACK.has(host),
    ...(hasAccount
      ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
      : {}),
    pool: true,
    maxConnections: config().MAIL_CONCURRENCY,
    ...SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return transporter;
}

/** A test mail that the mail server has accepted. */
export interface AcceptedMail {
  /** Host and port of the mail server. */
  server: string;
  from: string;
  to: string;
  messageId: string;
  /** The server's last answer. */
  response: string;
}

/**
 * Sends a mail without a queue, for an operator who tries the settings.
 *
 * @throws Refusal `service_unavailable` with the reason of the mail server, or of the connection
 */
export async function sendTestMail(to: string): Promise<AcceptedMail> {
  const { BASE_URL, MAIL_FROM } = config();
  const { subject, text, html } = toContent({
    subject: 'Test of the mail server',
    lines: ['The short-link service can send email.'],
    reason: `The operator of ${BASE_URL} sent this email to test its settings.`,
  });
  const pool = await transport();
  const { host, port } = pool.options as { host: string; port: number };
  const server = `${host}:${port}`;
  try {
    const { messageId, response } = await pool.sendMail({
      from: MAIL_FROM,
      to: { name: '', address: to },
      subject,
      text,
      html,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return { server, from: MAIL_FROM, to, messageId, response: response ?? '' };
  } catch (error) {
    const { message } = error as Error;
    throw new Refusal('service_unavailable', `${server} did not accept the email: ${message}`);
  } finally {
    pool.close();
    transporter = undefined;
  }
}

interface StoredMail {
  id: string;
  project_id: string | null;
  recipient: string;
  content: string;
}

/**
 * Sends a mail once, however often the job runs: a second run waits for the first and finds the
 * mail sent. If the worker dies between the server's answer and the commit, the repeat has the same
 * Message-ID, so that mail clients can detect it. A mail that has expired is deleted instead.
 *
 * @throws PermanentFailure if the mail server refuses the mail permanently (5xx)
 * @throws Error if it is unavailable or defers the mail (4xx): the job is retried
 */
export async function sendMail(
  { mailId }: { mailId: string },
  { log }: Pick<JobContext, 'log'>,
): Promise<void> {
  const refusal = await db().transaction(async (trx) => {
    // An advisory lock, since leaving a workspace must not wait on this row for a slow mail server.
    await execute(trx, 'SELECT pg_advisory_xact_lock(hashtext(?))', [`mail ${mailId}`]);
    const [mail] = await rows<StoredMail>(
      trx,
      "SELECT id, project_id, recipient, content FROM mails WHERE id = ? AND state <> 'sent'",
      [mailId],
    );
    if (mail === undefined) return null;
    const content = open(mail);
    if (content.expiresAt !== undefined && Date.parse(content.expiresAt) <= Date.now()) {
      await trx('mails').where({ id: mailId }).delete();
      log.warn({ mailId }, 'deleted a mail that had expired before the mail server took it');
      return null;
    }
    const error = await deliver(mail, content);
    await trx('mails')
      .where({ id: mailId })
      .update(error === null ? { state: 'sent', content: null } : { state: 'refused' });
    return error;
  });
  if (refusal !== null) throw new PermanentFailure(`The mail server refused the mail: ${refusal}`);
}

const open = ({ project_id, content }: StoredMail): MailContent =>
  JSON.parse(unseal({ purpose: 'mail', owner: project_id ?? '' }, content)) as MailContent;

/** @returns reason of a permanent refusal; `null` if the server accepted the mail */
async function deliver(
  { id, recipient }: StoredMail,
  { subject, text, html, unsubscribeUrl }: MailContent,
): Promise<string | null> {
  const { MAIL_FROM } = config();
  try {
    await (await transport()).sendMail({
      from: MAIL_FROM,
      to: { name: '', address: recipient },
      subject,
      text,
      html,
      messageId: `<${id}@${hostOf(MAIL_FROM)}>`,
      headers: {
        // Prevents automatic answers such as "out of office" (RFC 3834).
        'Auto-Submitted': 'auto-generated',
        ...(unsubscribeUrl === undefined
          ? {}
          : { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
      },
      ...(unsubscribeUrl === undefined ? {} : { list: { unsubscribe: unsubscribeUrl } }),
    });
    return null;
  } catch (error) {
    const reason = refusalIn(error);
    if (reason === undefined) throw error;
    // Logs and dead letters must not contain people's addresses.
    return reason.replaceAll(recipient, '…');
  }
}

/**
 * Reason of a permanent refusal (5xx) of recipient or contents; `undefined` for anything that a
 * retry may solve.
 */
function refusalIn(error: unknown): string | undefined {
  const { code, command, responseCode, response, message } = error as Error & {
    code?: string;
    command?: string;
    responseCode?: number;
    response?: string;
  };
  const isPermanent = responseCode === undefined ? code === 'EENVELOPE' : responseCode >= 500;
  // A refused sender or account is for the operator to fix.
  const isOfMail = code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
  return isPermanent && isOfMail ? (response ?? message).slice(0, 500) : undefined;
}

const hostOf = (mailbox: string): string => /@([^@>\s]+)>?$/.exec(mailbox)?.[1] ?? 'localhost';

export const mailHandlers = handlers(mailJobs, {
  'mail.send': sendMail,
  'mail.sweep': sweepMails,
});
