import { installationIds } from '../infra/keys.ts';
import { redirects } from '../infra/metrics.ts';
import { sendPage, sendText } from '../infra/plain-responses.ts';
import type { SiteFilesEntry } from '../lookup/entry.ts';
import { originOf } from '../lookup/short-link.ts';
import { OWN_VISITS_PATH } from '../visitors/own-visits.ts';
import { type Address, REPORT_PATH } from './address.ts';
import type { Exchange, VisitDependencies } from './facts.ts';
import { descriptionAnswer } from './linkset.ts';
import { answerOwnVisits } from './own-visits.ts';
import { readForm } from './pages/form.ts';
import { notFoundPage } from './pages/notices.ts';
import type { Reports } from './reports.ts';
import { normalizeHost, type Visitor } from './visitor.ts';

const answered = {
  file: redirects.labels('file'),
  report: redirects.labels('report'),
  notFound: redirects.labels('not_found'),
};

const ROOT = { key: '' };

/** Paths of the files for apps, with their members in the entry. */
const SITE_FILES = new Map<string, keyof SiteFilesEntry>([
  ['/.well-known/apple-app-site-association', 'apple'],
  ['/.well-known/assetlinks.json', 'android'],
]);

// Every answer says whether it may be indexed, so crawlers must be let in to read that.
const ROBOTS = 'User-agent: *\nDisallow: /_/\n';

/** The parts of the process on which these answers depend. */
export type OwnDependencies = Pick<VisitDependencies, 'finder'> & { reports: Reports };

/** Answers requests for paths that cannot be links: well-known files and forms of the service. */
export async function answerOwn(
  { query }: Address,
  visitor: Visitor,
  exchange: Exchange,
  { finder, reports }: OwnDependencies,
): Promise<void> {
  const { request, response, message } = exchange;
  const [path = '/'] = (request.url ?? '/').split('?');
  const isDomain = async (host = visitor.host) => (await finder.find(host, ROOT)) !== null;
  if (path === '/_/domains/ask') {
    const domain = normalizeHost(new URLSearchParams(query).get('domain') ?? '');
    const isOurs = domain !== '' && (await isDomain(domain));
    answered.file.inc();
    return sendText(response, isOurs ? 200 : 404, isOurs ? 'yes\n' : 'no\n');
  }
  if (path === '/_/installation') {
    answered.file.inc();
    return sendText(response, 200, `${installationIds()[0]!}\n`);
  }
  if (path === '/favicon.ico') {
    answered.file.inc();
    response.writeHead(204, ['Cache-Control', 'public, max-age=86400']).end();
    return;
  }
  if (path === '/robots.txt' && (await isDomain())) {
    answered.file.inc();
    return sendText(response, 200, ROBOTS);
  }
  if (path === REPORT_PATH && (await isDomain())) {
    answered.report.inc();
    const form = request.method === 'POST' ? await readForm(message!) : undefined;
    return sendPage(response, await reports.answer(form, query, visitor));
  }
  if (path === OWN_VISITS_PATH) {
    answered.file.inc();
    return answerOwnVisits(query, visitor, exchange);
  }
  if (path === '/.well-known/gs1resolver' && (await isDomain())) {
    answered.file.inc();
    return sendPage(response, descriptionAnswer(originOf(visitor.host)));
  }
  const file = await siteFile(path, visitor.host, finder);
  if (file !== undefined) {
    answered.file.inc();
    return sendText(response, 200, file, 'application/json');
  }
  answered.notFound.inc();
  sendPage(response, notFoundPage(visitor.pageLanguage));
}

/** Finds a file with which operating systems open the links of a domain in an app. */
async function siteFile(
  path: string,
  host: string,
  finder: OwnDependencies['finder'],
): Promise<string | undefined> {
  const name = SITE_FILES.get(path);
  if (name === undefined) return undefined;
  const entries = await finder.find(host, ROOT);
  return entries === null ? undefined : (await finder.siteFiles(entries.domain.id))?.[name];
}
