import { isIP, isIPv6 } from 'node:net';
import { toHostName } from '../http/domain-name.ts';
import {
  cursor,
  id,
  Joi,
  nameText,
  nullable,
  oneOf,
  requiredCount,
  requiredText,
  requiredTime,
  text,
} from '../http/fields.ts';
import { hostsIn } from '../infra/hosts.ts';
import type { Position } from '../infra/keyset.ts';
import { QUEUES, type QueueName } from '../queues/index.ts';
import { REPORT_CATEGORIES, type ReportCategory } from '../visits/report.ts';

/**
 * Source of rejected visits, which are dead letters without a queue, because their jobs succeeded.
 */
export const VISITS = 'visits';

/** Source of a dead letter. */
export type Source = QueueName | typeof VISITS;

const SOURCES = [...Object.keys(QUEUES), VISITS];
const count = (what: string, example: number) => requiredCount.description(what).example(example);

/** Schema of a process and its state. */
export const processRecord = Joi.object({
  id: requiredText
    .description('Id of the process, for as long as it runs.')
    .example('0b6c5f4e-3d0e-4a57-9d0b-5d9b8f1f2a10'),
  name: requiredText.description('Name in the Procfile.').example('worker_writes'),
  state: Joi.string()
    .valid('ready', 'not_ready', 'silent')
    .required()
    .description(
      '`ready`: it can work. `not_ready`: a check of `/readyz` fails. `silent`: it has sent no heartbeat for 15 s, because it ' +
        'has died, is blocked or can’t reach Redis.',
    ),
  failing: Joi.array()
    .items(Joi.string())
    .required()
    .description('The checks of `/readyz` that failed at the last heartbeat.')
    .example(['postgres']),
  host: requiredText.description('Name of its host.').example('web-1'),
  pid: count('Process ID on its host.', 4_711),
  version: requiredText.description('Version of the service.').example('0.5.0'),
  startedAt: requiredTime.description('Time of its start.'),
  seenAt: requiredTime.description('Time of its last heartbeat.'),
  eventLoopDelayMs: count(
    'Longest delay of its event loop in the 5 s before the last heartbeat, in ms.',
    3,
  ),
}).meta({ name: 'ProcessState' });

/** Schema of the state of all queues. */
export const queuesRecord = Joi.object({
  queues: Joi.array()
    .items(
      Joi.object({
        name: requiredText.description('Name of the queue.').example('writes'),
        waiting: count('Jobs that wait for a worker.', 0),
        active: count('Jobs that run.', 2),
        delayed: count(
          'Jobs that wait for their time: scheduled jobs, retries, and jobs of busy workspaces.',
          1,
        ),
        failed: count('Jobs that failed permanently: its dead letters.', 0),
        completedLastHour: count('Jobs that succeeded in the last hour.', 1_240),
        failedLastHour: count('Jobs that failed permanently in the last hour.', 0),
        workers: count('Connected worker processes. Without one, jobs wait.', 1),
      }).meta({ name: 'QueueState' }),
    )
    .required()
    .description('The queues, in the order of the Procfile.'),
  rejectedVisits: count('Visits that the database refused: the dead letters of `visits`.', 0),
}).meta({ name: 'QueueStates' });

const fields = {
  id: requiredText.description('Id of the dead letter.').example('writes:job_4Jx2vQ0aTq'),
  source: oneOf(SOURCES)
    .required()
    .description('The queue of the job; `visits` for a visit that the database refused.'),
  job: requiredText.description('Name of the job.').example('link.create'),
  projectId: requiredText
    .allow('')
    .description('Id of the workspace; empty for jobs of the service itself.')
    .example('ws_7Kx1vQ0aTq'),
  failedAt: requiredTime.description('Time of the last attempt.'),
  attempts: count('Number of attempts.', 8),
  error: requiredText
    .allow('')
    .description('The error of the last attempt.')
    .example('connection refused'),
};

/** Schema of a dead letter in lists. */
export const deadLetterRecord = Joi.object(fields).meta({ name: 'DeadLetter' });

/** Schema of a dead letter with all details. */
export const deadLetterDetails = Joi.object({
  ...fields,
  requestId: nullable.description('Id of the request that caused the job.').example('6a2f0d2e'),
  stack: requiredText.allow('').description('Where the error was thrown.').example('Error: …'),
  data: Joi.any().required().description('Input of the job; secrets in it are sealed.').example({}),
}).meta({ name: 'DeadLetterDetails' });

/** Schema of the result of a retry. */
export const retriedRecord = Joi.object({
  status: Joi.string()
    .valid('queued', 'stored', 'rejected')
    .required()
    .description('A job is `queued`; a visit has been `stored`, or `rejected` again.'),
}).meta({ name: 'RetriedDeadLetter' });

/** Parameters of the list of dead letters. */
export interface DeadLetterQuery {
  source?: Source;
  page: number;
  limit: number;
}

const pages = (maxPage: number, what: string) => ({
  page: Joi.number()
    .integer()
    .min(1)
    .max(maxPage)
    .default(1)
    .description(`Page, from 1 to ${maxPage}.`),
  limit: Joi.number()
    .integer()
    .min(1)
    .max(100)
    .default(50)
    .description(`${what} per page, at most 100.`),
});

export const deadLetterQuery = Joi.object<DeadLetterQuery>({
  source: oneOf(SOURCES).description('Only dead letters of this queue, or of `visits`.'),
  ...pages(10, 'Dead letters'),
});

export const deadLetterParams = Joi.object<{ id: string }>({
  id: text(400).required().description('Id of the dead letter.').example('writes:job_4Jx2vQ0aTq'),
});

/** Converts the name of a host to its stored form; `undefined` if it cannot be blocked. */
export function toBlockableHost(text: string): string | undefined {
  const name = toHostName(text);
  // A whole top-level domain cannot be blocked.
  if (name !== undefined) return name.includes('.') ? name : undefined;
  // An IPv4 address within an IPv6 address is blocked as IPv4.
  const address = hostsIn(`http://${isIPv6(text) ? `[${text}]` : text}`).at(-1);
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

const host = () =>
  Joi.string()
    .max(253)
    .custom(
      (value: string, { error }) =>
        toBlockableHost(value) ??
        error('rule', {
          rule: 'must be a host name with a dot, such as malware.example, or an IP address',
        }),
    );

const blockedHost = () =>
  host()
    .required()
    .description('Host name, blocked with its subdomains, or IP address.')
    .example('malware.example');

const reason = () =>
  nameText(1_000)
    .required()
    .description('Reason, up to 1,000 characters; only operators see it.')
    .example('Phishing, reported by the bank on 2 April');

/** Schema of a host that no link may lead to. */
export const blockedHostRecord = Joi.object({
  host: blockedHost(),
  reason: reason(),
  createdAt: requiredTime.description('Time at which it was blocked.'),
  updatedAt: requiredTime.description('Time of the last change.'),
}).meta({ name: 'BlockedHost' });

export const blockedHostParams = Joi.object<{ host: string }>({ host: blockedHost() });

export const blockedHostBody = Joi.object<{ reason: string }>({ reason: reason() }).meta({
  name: 'BlockedHostChanges',
});

/** Parameters of the lists of blocked hosts and links. */
export interface BlocklistQuery {
  search?: string | undefined;
  page: number;
  limit: number;
  /** Position of the last row of the previous page. */
  after?: Position | undefined;
}

export const blockedHostQuery = Joi.object<BlocklistQuery>({
  search: text(253).description('Part of the host, regardless of case.'),
  ...pages(100, 'Hosts'),
  after: cursor(),
});

const shortLink = () => requiredText.description('Short link.').example('https://acme.link/prize');
const linkId = () =>
  id().required().description('Id of the link or QR code.').example('link_4Jx2vQ0aTq');

/** Schema of a link or QR code that an operator has blocked. */
export const blockedLinkRecord = Joi.object({
  id: linkId(),
  projectId: requiredText.description('Id of its workspace.').example('ws_7Kx1vQ0aTq'),
  shortLink: shortLink(),
  reason: reason(),
  createdAt: requiredTime.description('Time at which it was blocked.'),
}).meta({ name: 'BlockedLink' });

export const blockedLinkParams = Joi.object<{ id: string }>({ id: linkId() });

export const blockedLinkQuery = Joi.object<BlocklistQuery>({
  search: text(253).description('Part of the short link, regardless of case.'),
  ...pages(100, 'Links'),
  after: cursor(),
});

/** States of reports. */
export const REPORT_STATES = ['open', 'resolved', 'dismissed'] as const;
export type ReportState = (typeof REPORT_STATES)[number];
export const isReportState = (text: string): text is ReportState =>
  (REPORT_STATES as readonly string[]).includes(text);
const DECISIONS = ['block-host', 'block-link', 'dismiss'] as const;
export type Decision = (typeof DECISIONS)[number];

/** An answer to a report. */
export interface ReportAnswer {
  decision: Decision;
  /** Host to block, for `block-host`. */
  host?: string | undefined;
  note: string;
}

const decision = () =>
  oneOf(DECISIONS)
    .required()
    .description(
      '`block-host`: no link can redirect to the host; `block-link`: visitors of this link get a ' +
        'page that says it is blocked; `dismiss`: nothing is wrong.',
    );
const note = () =>
  Joi.string()
    .allow('')
    .max(1_000)
    .description('Note, up to 1,000 characters; only operators see it.');

/** Schema of a report about a link. */
export const abuseReportRecord = Joi.object({
  id: id().required().description('Id of the report.').example('rep_4Jx2vQ0aTq'),
  state: oneOf(REPORT_STATES)
    .required()
    .description('`resolved`: the link or its host was blocked; `dismissed`: it was not.'),
  category: oneOf(REPORT_CATEGORIES).required().description('Problem that the reporter chose.'),
  comment: requiredText
    .allow('')
    .description('Comment of the reporter.')
    .example('It asks for the password of my bank.'),
  email: nullable
    .description('Email address for a reply, if one was given; null once it is deleted.')
    .example('ada@example.com'),
  ip: nullable
    .description('IP address of the reporter; null once it is deleted.')
    .example('203.0.113.7'),
  createdAt: requiredTime.description('Time of the report.'),
  link: Joi.object({
    id: linkId(),
    shortLink: shortLink(),
    url: nullable
      .description('Current destination; null for a page or a deleted link.')
      .example('https://malware.example/login'),
    reportedUrl: nullable
      .description('Destination when it was reported; null for a page.')
      .example('https://malware.example/login'),
    blocked: Joi.boolean().required().description('true: the operator blocks the link.'),
    openReports: count('Open reports about the link, at most 100.', 1),
  })
    .required()
    .description('The link or QR code.'),
  workspace: Joi.object({
    id: requiredText.description('Id of the workspace.').example('ws_7Kx1vQ0aTq'),
    slug: requiredText.description('Slug of the workspace.').example('acme'),
  })
    .required()
    .description('Workspace of the link.'),
  answer: Joi.object({
    decision: decision(),
    host: nullable.description('The host that was blocked.').example('malware.example'),
    note: note().required().example('Copy of a bank’s sign-in page'),
    by: requiredText
      .allow(null, '')
      .description('Name of the operator; null for a deleted person.')
      .example('Ada'),
    at: requiredTime.description('Time of the answer.'),
  })
    .allow(null)
    .required()
    .description('The answer; null while the report is open.'),
}).meta({ name: 'AbuseReport' });

export const abuseReportParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the report.').example('rep_4Jx2vQ0aTq'),
});

export const reportAnswerBody = Joi.object<ReportAnswer>({
  decision: decision(),
  host: host().description('Host to block; required by `block-host`.').example('malware.example'),
  note: note().default('').example('Copy of a bank’s sign-in page'),
}).meta({ name: 'AbuseReportAnswer' });

/** Parameters of the list of reports. */
export interface AbuseReportQuery extends BlocklistQuery {
  state?: ReportState | undefined;
  category?: ReportCategory | undefined;
}

export const abuseReportQuery = Joi.object<AbuseReportQuery>({
  state: oneOf(REPORT_STATES).description('Only reports in this state.'),
  category: oneOf(REPORT_CATEGORIES).description('Only reports of this category.'),
  search: text(253).description('Part of the short link, regardless of case.'),
  ...pages(100, 'Reports'),
  after: cursor(),
});
