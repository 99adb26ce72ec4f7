import { newId } from '../ids.ts';
import { within } from '../infra/clock.ts';
import type { ErrorLog } from '../infra/error-log.ts';
import type { Finder } from '../lookup/find.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import type { JobSender } from '../queues/job-sender.ts';
import { visitJobs } from '../visits/jobs.ts';
import type { Page } from '../web/layout.ts';
import { addressOf, readAddress, requestedKeys } from './address.ts';
import type { ReportLimit } from './limits.ts';
import { unavailablePage } from './pages/notices.ts';
import { type Report, readReport, reportedPage, reportPage } from './pages/report.ts';
import { normalizeHost, type Visitor } from './visitor.ts';

const ADD = visitJobs['report.add'];
/** Timeout of adding a report to the queue, in ms. */
const QUEUE_MS = 2_000;

/** Dependencies of {@link Reports}. */
interface ReportOptions {
  finder: Finder;
  jobs: JobSender;
  limit: ReportLimit;
  errors: ErrorLog;
}

/** Handles visitors' reports about links: shows the form, and queues reports for the operator. */
export class Reports {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Answers a request for the form, or a submitted form. */
  async answer(
    form: URLSearchParams | undefined,
    query: string,
    { pageLanguage, ip }: Visitor,
  ): Promise<Page> {
    if (form === undefined) return reportPage(pageLanguage, new URLSearchParams(query));
    const { report, errors } = readReport(form);
    if (report === undefined) return reportPage(pageLanguage, form, { errors });
    const waitMs = await this.#options.limit.take(ip);
    if (waitMs !== undefined) {
      const waitMinutes = Math.ceil(waitMs / 60_000);
      return reportPage(pageLanguage, form, { waitMinutes });
    }
    try {
      await this.#enqueue(report, ip);
    } catch (error) {
      this.#options.errors.report(error);
      return unavailablePage(pageLanguage);
    }
    // The answer is the same if there is no such link, so that it reveals no more than a visit.
    return reportedPage(pageLanguage);
  }

  /** Queues the report, if its link exists. */
  async #enqueue({ link: { host, target }, ...report }: Report, ip: string): Promise<void> {
    const domain = normalizeHost(host);
    const address = readAddress(target);
    if (address === undefined || domain === '') return;
    const { finder, jobs } = this.#options;
    const entries = await finder.find(domain, requestedKeys(address, target));
    if (entries === null || entries.link === null) return;
    const { key, isWildcard } = addressOf(address, entries);
    const data = {
      ...report,
      id: newId('abuseReport'),
      at: Date.now(),
      projectId: entries.link.projectId,
      recordId: entries.link.id,
      shortLink: shortLinkOf(
        entries.domainName ?? domain,
        isWildcard === true ? `${key}/*` : (key ?? ''),
      ),
      ip,
    };
    const adding = jobs.replicated(ADD.queue, () => jobs.add(ADD, data));
    await within(QUEUE_MS, adding, 'adding a report');
  }
}
