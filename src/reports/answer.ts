import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import type { EventRecords } from '../events/records.ts';
import { db, isTimeout, rows } from '../infra/db.ts';
import { hashToken } from '../infra/secrets.ts';
import { readLagging } from '../infra/standbys.ts';
import { csvAnswer, inBrandOf } from '../public-stats/parts.ts';
import { readSettings } from '../settings/queries.ts';
import { placesOwner } from '../visitors/places.ts';
import type { Language } from '../web/language.ts';
import { fixedNotice, framedBy, type Page } from '../web/layout.ts';
import { type LastTry, passwordPage } from '../web/password-page.ts';
import type { Locked, Passwords } from '../web/passwords.ts';
import { includesPlan } from '../workspaces/plans.ts';
import { reportCsv } from './csv.ts';
import { SHARED_REPORT_PLAN, SharedReport } from './model.ts';
import { numbersOf } from './numbers.ts';
import { reportPage } from './page.ts';
import { REPORT_PATH } from './record.ts';

const NO_INDEX = ['X-Robots-Tag', 'noindex'];
const RETRY_S = '5';

const missing = fixedNotice(
  404,
  {
    title: 'Report not found',
    text: 'There is no report at this address. It may have been deleted, or have a new address.',
  },
  NO_INDEX,
);
const expired = fixedNotice(
  410,
  { title: 'Report expired', text: 'This report is no longer available.' },
  NO_INDEX,
);
// Readers are not told why: a filter names something deleted, or the plan has no analytics.
const unavailable = fixedNotice(
  404,
  {
    title: 'Report not available',
    text: 'This report cannot show its numbers. Ask the person who shared it.',
  },
  NO_INDEX,
);
const busy = fixedNotice(
  503,
  {
    title: 'Please try again',
    text: 'This report cannot be shown just now. Try again in a moment.',
  },
  ['Retry-After', RETRY_S, ...NO_INDEX],
);

/** A request of a reader. */
export interface ReaderRequest {
  token: string;
  language: Language;
  /** True for the file instead of the page. */
  isCsv: boolean;
  cookies: string | undefined;
  ip: string;
  /** Password that was sent with a form; absent for a request without one. */
  password?: string | undefined;
}

interface ReaderDependencies {
  records: EventRecords;
  passwords: Passwords;
  /** Limits the queries of a workspace that run at once. */
  run<Result>(projectId: string, act: () => Promise<Result>): Promise<Result>;
}

/** Answers a reader with the report of a URL. Nothing in the request changes what it asks. */
export async function reportAnswer(
  request: ReaderRequest,
  dependencies: ReaderDependencies,
): Promise<Page> {
  const { language } = request;
  const report = await findReport(request.token);
  if (report === undefined) return missing(language);
  const { embed_origins: origins, project_id: projectId } = report;
  const settings = await readSettings(projectId);
  // The plan may have changed since the report was shared.
  if (!includesPlan(settings.plan, SHARED_REPORT_PLAN)) return unavailable(language);
  const page = await answerOf(report, request, dependencies);
  return framedBy(inBrandOf(page, projectId, settings), origins);
}

/** Finds the report of a token. The first query names no workspace, since readers know none. */
async function findReport(token: string): Promise<SharedReport | undefined> {
  const token_hash = hashToken(token);
  const [found] = await rows<{ projectId: string }>(
    db(),
    'SELECT project_id AS "projectId" FROM shared_reports WHERE token_hash = ?',
    [token_hash],
  );
  return found && SharedReport.of(found.projectId).where({ token_hash }).first();
}

async function answerOf(
  report: SharedReport,
  request: ReaderRequest,
  dependencies: ReaderDependencies,
): Promise<Page> {
  const { language, cookies, password } = request;
  const now = Date.now();
  if (report.expires_at !== null && report.expires_at.getTime() <= now) return expired(language);
  const locked = lockOf(report);
  const isOpen = locked === undefined || dependencies.passwords.isUnlocked(locked, cookies, now);
  // The form was sent twice, or the report no longer has a password.
  if (isOpen && password !== undefined) return toReport(request);
  if (isOpen) return numbersAnswer(report, request, dependencies);
  return password === undefined
    ? askPassword(request)
    : unlock(locked, { ...request, password }, dependencies);
}

/** The lock of a report with a password. Its id is one that its URL alone determines. */
function lockOf(report: SharedReport): Locked | undefined {
  const { token_hash: id, password_hash: passwordHash, embed_origins: origins } = report;
  if (passwordHash === null) return undefined;
  return { id, passwordHash, cookiePath: REPORT_PATH, isFramed: origins.length > 0 };
}

const pathOf = ({ token }: ReaderRequest): string => `${REPORT_PATH}/${token}`;

const toReport = (request: ReaderRequest, headers: readonly string[] = []): Page => ({
  status: 303,
  headers: ['Location', pathOf(request), 'Cache-Control', 'private, no-store', ...headers],
  body: Buffer.alloc(0),
});

const askPassword = (request: ReaderRequest, last?: LastTry): Page =>
  passwordPage(pathOf(request), request.language, last, {
    title: 'Protected report',
    text: 'Enter the password to open this report.',
  });

async function unlock(
  locked: Locked,
  request: ReaderRequest & { password: string },
  { passwords }: ReaderDependencies,
): Promise<Page> {
  const { ip, language, password } = request;
  const isSecure = config().BASE_URL.startsWith('https:');
  const attempt = await passwords.unlock(locked, password, { ip, isSecure }, Date.now());
  if (attempt.outcome === 'unlocked') return toReport(request, ['Set-Cookie', attempt.cookie]);
  return attempt.outcome === 'busy' ? busy(language) : askPassword(request, attempt);
}

async function numbersAnswer(
  report: SharedReport,
  { isCsv, language }: ReaderRequest,
  { records, run }: ReaderDependencies,
): Promise<Page> {
  const { project_id: projectId, name } = report;
  try {
    const numbers = await numbersOf(report, records, (act) =>
      run(projectId, () => readLagging(projectId, act)),
    );
    if (!isCsv) return reportPage(numbers, { name, language, locationsBy: await placesOwner() });
    return csvAnswer('report.csv', reportCsv(numbers));
  } catch (thrown) {
    if (isTimeout(thrown)) return busy(language);
    if (!(thrown instanceof Refusal)) throw thrown;
    const isOfQuestion = thrown.code === 'not_found' || thrown.code === 'unprocessable_entity';
    return isOfQuestion ? unavailable(language) : busy(language);
  }
}
