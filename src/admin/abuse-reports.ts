import { recordByOperator } from '../audit/write.ts';
import { config } from '../config.ts';
import { found } from '../http/route.ts';
import { kindOfId } from '../ids.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import { byText, mapSlice, type Order, positionSql, type Slice } from '../infra/keyset.ts';
import { contains } from '../infra/like.ts';
import { sqlSlice } from '../infra/sql-slice.ts';
import { handlers } from '../queues/job.ts';
import type { ReportCategory, SentReport } from '../visits/report.ts';
import { addHost, blockHost, changeBlocklist, unblockHost } from './blocked-hosts.ts';
import { addLink, unblockLink } from './blocked-links.ts';
import { adminJobs, adminMaintenanceJobs } from './jobs.ts';
import type { AbuseReportQuery, Decision, ReportAnswer, ReportState } from './schema.ts';

/**
 * Maximum number of open reports about one link; further ones are dropped, because they add
 * nothing.
 */
const MAX_OPEN = 100;
/** Retention of the reporter's data in unanswered reports, in days. */
const UNANSWERED_DAYS = 365;

interface ReportRow {
  id: string;
  project_id: string;
  record_id: string;
  short_link: string;
  url: string | null;
  category: ReportCategory;
  comment: string;
  email: string | null;
  ip: string | null;
  state: ReportState;
  decision: Decision | null;
  host: string | null;
  note: string | null;
  answered_at: Date | null;
  created_at: Date;
}

type JoinedReport = ReportRow & {
  slug: string;
  answered_name: string | null;
  present_url: string | null;
  is_blocked: boolean;
  open_reports: number;
};

const toReport = (row: JoinedReport) => ({
  id: row.id,
  state: row.state,
  category: row.category,
  comment: row.comment,
  email: row.email,
  ip: row.ip,
  createdAt: row.created_at.toISOString(),
  link: {
    id: row.record_id,
    shortLink: row.short_link,
    url: row.present_url,
    reportedUrl: row.url,
    blocked: row.is_blocked,
    openReports: row.open_reports,
  },
  workspace: { id: row.project_id, slug: row.slug },
  answer:
    row.answered_at === null
      ? null
      : {
          decision: row.decision!,
          host: row.host,
          note: row.note ?? '',
          by: row.answered_name,
          at: row.answered_at.toISOString(),
        },
});

/** A report about a link, with its answer. */
export type AbuseReport = ReturnType<typeof toReport>;

/** The order of a list of reports. */
const LATEST_FIRST: Order = { keys: [byText('r.id')], direction: 'desc' };

const SELECT = `
  SELECT r.*, ${positionSql(LATEST_FIRST)}, w.slug, u.name AS answered_name, b.record_id IS NOT NULL AS is_blocked,
         coalesce(l.url, q.url) AS present_url,
         (SELECT count(*) FROM abuse_reports o
           WHERE o.project_id = r.project_id AND o.record_id = r.record_id AND o.state = 'open') AS open_reports
    FROM abuse_reports r
    JOIN workspaces w ON w.id = r.project_id
    LEFT JOIN users u ON u.id = r.answered_by
    LEFT JOIN blocked_links b ON b.record_id = r.record_id
    LEFT JOIN links l ON l.project_id = r.project_id AND l.id = r.record_id
    LEFT JOIN qrcodes q ON q.project_id = r.project_id AND q.id = r.record_id`;

/** Lists a page of the reports, latest first. */
export async function listReports({
  state,
  category,
  search = '',
  page,
  limit,
  after,
}: AbuseReportQuery): Promise<Slice<AbuseReport>> {
  const [matches, bindings] = contains('r.short_link', search);
  const reports = await sqlSlice<JoinedReport>(
    `${SELECT}
      WHERE r.state = coalesce(?, r.state) AND r.category = coalesce(?, r.category) AND ${matches}`,
    [state ?? null, category ?? null, ...bindings],
    LATEST_FIRST,
    { page, size: limit, after },
  );
  return mapSlice(reports, toReport);
}

/** @throws Refusal `not_found` */
export async function readReport(id: string): Promise<AbuseReport> {
  const [row] = await rows<JoinedReport>(db(), `${SELECT} WHERE r.id = ?`, [id]);
  return toReport(found(row, `abuse report "${id}"`));
}

/** Stores a visitor's report; a repeat changes nothing. */
export async function addReport(report: SentReport): Promise<void> {
  await execute(
    db(),
    `INSERT INTO abuse_reports (id, project_id, record_id, short_link, url, category, comment, email, ip, created_at)
     SELECT :id, w.id, :recordId, :shortLink,
            coalesce((SELECT url FROM links WHERE project_id = w.id AND id = :recordId),
                     (SELECT url FROM qrcodes WHERE project_id = w.id AND id = :recordId)),
            :category, :comment, :email, :ip, :createdAt
       FROM workspaces w
      WHERE w.id = :projectId
        AND (SELECT count(*) FROM abuse_reports
              WHERE project_id = w.id AND record_id = :recordId AND state = 'open') < :most
     ON CONFLICT (id) DO NOTHING`,
    {
      ...report,
      email: report.email ?? null,
      createdAt: new Date(report.at),
      most: MAX_OPEN,
    },
  );
}

/** Action of each decision in the workspace's audit log. */
const ACTIONS: Record<Decision, string> = {
  'block-host': 'host.block',
  'block-link': 'link.block',
  dismiss: 'report.dismiss',
};

/**
 * Blocks the host or link of an answer.
 *
 * @returns true if the blocklist has changed
 */
async function carryOut(
  trx: Db,
  report: ReportRow,
  { decision, host, note }: ReportAnswer,
): Promise<boolean> {
  const reason = note === '' ? `Reported: ${report.category}` : note;
  if (decision === 'block-host') return addHost(trx, { host: host!, reason });
  if (decision === 'dismiss') return false;
  return addLink(trx, {
    id: report.record_id,
    projectId: report.project_id,
    shortLink: report.short_link,
    reason,
  });
}

/** Deletes the reporters' data of reports that were answered long ago. */
export async function pruneReporters(): Promise<void> {
  await execute(
    db(),
    `UPDATE abuse_reports SET email = NULL, ip = NULL
      WHERE (email IS NOT NULL OR ip IS NOT NULL)
        AND (answered_at < now() - make_interval(days => :days)
             OR created_at < now() - make_interval(days => :unanswered))`,
    { days: config().ABUSE_REPORTER_DAYS, unanswered: UNANSWERED_DAYS },
  );
}

export const adminHandlers = handlers(adminJobs, {
  'host.block': blockHost,
  'host.unblock': unblockHost,
  'link.unblock': unblockLink,

  /**
   * Answers a report and carries out the decision. Other open reports about the link get the same
   * answer, unless this one is dismissed. Resolves when all redirect processes have been notified.
   *
   * @throws Refusal `not_found`; `conflict` when the blocklist is full
   */
  'report.answer': ({ id, answer }, { actor }) =>
    changeBlocklist(async (trx) => {
      const [row] = await rows<ReportRow>(
        trx,
        'SELECT * FROM abuse_reports WHERE id = ? FOR UPDATE',
        [id],
      );
      const report = found(row, `abuse report "${id}"`);
      const isChanged = await carryOut(trx, report, answer);
      const { decision, host = null, note } = answer;
      const changed = await execute(
        trx,
        `UPDATE abuse_reports
            SET state = :state, decision = :decision, host = :host, note = :note, answered_by = :by, answered_at = now()
          WHERE (id = :id OR (:isForAll AND project_id = :projectId AND record_id = :recordId AND state = 'open'))
            AND (decision, host, note) IS DISTINCT FROM (:decision::text, :host::text, :note::text)`,
        {
          id,
          projectId: report.project_id,
          recordId: report.record_id,
          isForAll: decision !== 'dismiss',
          state: decision === 'dismiss' ? 'dismissed' : 'resolved',
          decision,
          host,
          note,
          by: actor?.userId ?? null,
        },
      );
      if (changed > 0) {
        const target = { kind: kindOfId(report.record_id) ?? 'link', id: report.record_id };
        await recordByOperator(trx, report.project_id, { action: ACTIONS[decision], target });
      }
      return { result: { id }, isChanged };
    }),
});

export const adminMaintenanceHandlers = handlers(adminMaintenanceJobs, {
  'abuse.prune': pruneReporters,
});
