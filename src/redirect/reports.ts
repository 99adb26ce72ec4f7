import { newId } from '../ids.ts';
import { within } from '../infra/clock.ts';
import type { ErrorLog } from '../infra/error-log.ts';
import type { Finder } from '../lookup/find.ts';
import { shortLinkOf } from '../lookup/short-link.ts';
import type { JobSender } from '../queues/job-sender.ts';
import { visitJobs } from '../visits/jobs.ts';
import type { Page } from '../web/layout.ts';
import { keyPrefixesOf, readAddress } from './address.ts';
import type { ReportLimit } from './limits.ts';
import { type Report, readReport, reportedPage, reportPage } from './pages/report.ts';
import { unavailablePage } from './pages/unavailable.ts';
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

/** Takes reports of visitors about links: shows the form, and passes on what is sent for operators to answer. */
export class Reports {
  readonly #options: ReportOptions;

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** Answers a request for the form, or the form that was sent. */
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
      await this.#passOn(report, ip);
    } catch (error) {
      this.#options.errors.report(error);
      return unavailablePage(pageLanguage);
    }
    // The same where there is no such link: who asks learns no more than by a visit.
    return reportedPage(pageLanguage);
  }

  /** Adds the report to the queue, if its link is there. */
  async #passOn({ link: { host, target }, ...report }: Report, ip: string): Promise<void> {
    const domain = normalizeHost(host);
    const asked = readAddress(target);
    if (asked === undefined || domain === '') return;
    const { finder, jobs } = this.#options;
    const found = await finder.find(domain, asked.key, keyPrefixesOf(asked, target));
    if (found === null || found.link === null) return;
    const { key, isWildcard } = found.prefix ?? asked;
    const sent = {
      ...report,
      id: newId('abuseReport'),
      at: Date.now(),
      projectId: found.link.projectId,
      recordId: found.link.id,
      shortLink: shortLinkOf(domain, isWildcard === true ? `${key}/*` : (key ?? '')),
      ip,
    };
    const adding = jobs.replicated(ADD.queue, () => jobs.add(ADD, sent));
    await within(QUEUE_MS, adding, 'adding a report');
  }
}
