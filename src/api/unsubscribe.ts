import type { Express, Request } from 'express';
import type { Queues } from '../http/route.ts';
import { networkOf } from '../infra/network.ts';
import { runJob } from '../jobs/run-job.ts';
import { notificationJobs } from '../mail/jobs.ts';
import { readUnsubscribeToken } from '../mail/unsubscribe.ts';
import { reportRecipientJobs } from '../reports/recipients/jobs.ts';
import { unsubscribedPage, unsubscribePage } from '../reports/recipients/pages.ts';
import { languageOf } from '../web/language.ts';
import {
  BASE_STYLE,
  type Html,
  html,
  notice,
  type Page,
  pageAssets,
  wholePage,
} from '../web/layout.ts';
import type { Admission } from './admission.ts';
import { NOBODY } from './authenticate.ts';
import { sendPage } from './perform.ts';

/*
 * Addresses in mails with which recipients unsubscribe without signing in. A GET only shows a page,
 * because virus scanners open every address. A POST comes from the button of the page, or from the
 * mailbox itself (RFC 8058).
 */

const ASSETS = pageAssets(`${BASE_STYLE}\nform{display:flex;margin-top:1.5rem}`);

const pageOf = (title: string, body: Html): Page =>
  wholePage(200, ASSETS, { language: 'en', title, body, allow: { forms: true } });

const ASKED = pageOf(
  'Unsubscribe',
  html`<main class="notice">
<h1>Unsubscribe</h1>
<p>You will get no more mails of this kind. You can turn them on again in your profile.</p>
<form method="post"><button class="action main">Unsubscribe</button></form>
</main>`,
);
const DONE = pageOf(
  'Unsubscribed',
  html`<main class="notice">
<h1>Unsubscribed</h1>
<p>You will get no more mails of this kind.</p>
</main>`,
);
const UNKNOWN = notice(404, {
  language: 'en',
  title: 'This address is not complete',
  text: 'Copy the whole address from the mail, or change your notifications in your profile.',
});

/** Serves `/unsubscribe/<token>`. */
export function serveUnsubscribe(app: Express, admission: Admission, queues: Queues): void {
  app.all('/unsubscribe/:token', async (request: Request<{ token: string }>, response) => {
    response.locals['route'] = '/unsubscribe';
    const network = networkOf(request.ip ?? '');
    await admission.takePublic(network, response);
    // The body from a mailbox contains nothing that the address does not.
    request.resume();
    const ended = readUnsubscribeToken(request.params.token);
    if (ended === undefined) return sendPage(UNKNOWN, response);
    const { subscriberId, projectId, kind } = ended;
    const language = languageOf(request.get('accept-language') ?? '');
    if (request.method !== 'POST') {
      return sendPage(kind === 'sharedReport' ? unsubscribePage(language) : ASKED, response);
    }
    const caller = { ...NOBODY, projectId, network };
    const requestId = String(response.locals['requestId']);
    const origin = { queues, caller, requestId };
    if (kind === 'sharedReport') {
      const job = reportRecipientJobs['reportRecipient.unsubscribe'];
      await runJob(origin, job, { id: subscriberId });
      return sendPage(unsubscribedPage(language), response);
    }
    const subscription = { userId: subscriberId, projectId, kind };
    await runJob(origin, notificationJobs['notifications.unsubscribe'], subscription);
    sendPage(DONE, response);
  });
}
