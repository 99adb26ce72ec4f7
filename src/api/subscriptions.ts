import type { Express, Request, Response } from 'express';
import type { Queues } from '../http/route.ts';
import { networkOf } from '../infra/network.ts';
import { runJob } from '../jobs/run-job.ts';
import { inBrandOf } from '../public-stats/parts.ts';
import { CONFIRM_PATH } from '../reports/recipients/confirmation.ts';
import { reportRecipientJobs } from '../reports/recipients/jobs.ts';
import { confirmedPage, confirmPage, invalidLinkPage } from '../reports/recipients/pages.ts';
import { findConfirmable } from '../reports/recipients/queries.ts';
import { readSettings } from '../settings/queries.ts';
import { languageOf } from '../web/language.ts';
import type { Admission } from './admission.ts';
import { NOBODY } from './authenticate.ts';
import { sendPage } from './perform.ts';

/** Serves the links at which people confirm that they want a shared report by email. */
export function serveSubscriptions(app: Express, admission: Admission, queues: Queues): void {
  const respond = async (request: Request<{ token: string }>, response: Response) => {
    response.locals['route'] = CONFIRM_PATH;
    const network = networkOf(request.ip ?? '');
    await admission.takePublic(network, response);
    // The body of the form is empty.
    request.resume();
    const language = languageOf(request.get('accept-language') ?? '');
    const confirmable = await findConfirmable(request.params.token);
    if (confirmable === undefined) return sendPage(invalidLinkPage(language), response);
    const { projectId, tokenHash, names } = confirmable;
    const settings = await readSettings(projectId);
    if (request.method !== 'POST') {
      return sendPage(inBrandOf(confirmPage(names, language), projectId, settings), response);
    }
    const origin = {
      queues,
      caller: { ...NOBODY, projectId, network },
      requestId: String(response.locals['requestId']),
    };
    const job = reportRecipientJobs['reportRecipient.confirm'];
    const isConfirmed = await runJob(origin, job, { tokenHash });
    const page = isConfirmed ? confirmedPage(language) : invalidLinkPage(language);
    sendPage(inBrandOf(page, projectId, settings), response);
  };
  app.get(`${CONFIRM_PATH}/:token`, respond);
  app.post(`${CONFIRM_PATH}/:token`, respond);
}
