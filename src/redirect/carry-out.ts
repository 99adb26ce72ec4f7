import type { ServerResponse } from 'node:http';
import type { Page } from '../html/layout.ts';
import { redirects } from '../infra/metrics.ts';
import { Tally } from '../infra/tally.ts';
import type { Found } from '../lookup/find.ts';
import { continuePath, filePath, keyPath } from './address.ts';
import { setCookie } from './cookies.ts';
import type { Decision } from './decide.ts';
import { withParameter } from './destination.ts';
import { beforePage } from './html/before.ts';
import { cardPage } from './html/card.ts';
import { displayPage, fileAnswer } from './html/display.ts';
import { expiredPage } from './html/expired.ts';
import { framePage } from './html/frame.ts';
import { notFoundPage } from './html/not-found.ts';
import { notStartedPage } from './html/not-started.ts';
import { type LastTry, passwordPage } from './html/password.ts';
import { previewPage } from './html/preview.ts';
import { makePass } from './passes.ts';
import { recordVisit, visitOf } from './record-visit.ts';
import { type Sending, sendPage, sendRedirect } from './send.ts';
import { ownPath, type Request, shortLink, type Visiting, type VisitMeans } from './visiting.ts';
import type { Visitor } from './visitor.ts';

/** How long a browser keeps the id of a click. */
const CLICK_SECONDS = 90 * 86_400;

const answered = {
  redirect: new Tally(redirects.labels('redirect')),
  frame: redirects.labels('frame'),
  display: redirects.labels('display'),
  file: redirects.labels('file'),
  elsewhere: redirects.labels('elsewhere'),
  before: redirects.labels('before'),
  ownersPage: redirects.labels('before'),
  password: redirects.labels('protected'),
  card: redirects.labels('card'),
  preview: redirects.labels('preview'),
  notStarted: redirects.labels('not_started'),
  notFound: redirects.labels('not_found'),
  expired: redirects.labels('expired'),
};

const INDEXED: Sending = { isIndexed: true };
const NOT_INDEXED: Sending = {};
const DONE = Promise.resolve();

/** Records a visit that nothing but a redirect answers, then leads on. */
export function leadOn(
  decision: Extract<Decision, { kind: 'redirect' }>,
  visiting: Request,
  { visitId, now, found }: { visitId: string; now: number; found: Found },
  { visits }: VisitMeans,
): Promise<void> {
  const { status, destination, visited } = decision;
  const { visitor, request, response } = visiting;
  const sending = found.link?.isIndexed === true ? INDEXED : NOT_INDEXED;
  if (visited === undefined || visitor.isAutomatic || request.method === 'HEAD') {
    answered.redirect.add();
    sendRedirect(response, status, destination, sending);
    return DONE;
  }
  const visit = visitOf(visiting, { id: visitId, now }, visited, decision);
  return visits.record(visit).then(() => {
    answered.redirect.add();
    sendRedirect(response, status, destination, sending);
  });
}

/** Records what is to be counted, then answers. */
export async function carryOut(
  decision: Decision,
  visiting: Visiting,
  means: VisitMeans,
): Promise<void> {
  const { address, visitor, request, response, found, facts } = visiting;
  const sending: Sending = { isIndexed: found.link?.isIndexed === true };
  const language = () => visitor.pageLanguage;
  const show = (page: Page) => {
    const { kind } = decision;
    if (kind !== 'redirect') answered[kind].inc();
    sendPage(response, page, sending);
  };
  if (address.asks === 'file' && decision.kind !== 'password') {
    return sendFile(response, decision, visitor);
  }
  await recordVisit(decision, visiting, means);
  if ('visited' in decision && decision.kind !== 'before' && facts.clickId !== undefined) {
    const { clickId: value } = facts;
    const { isSecure } = visitor;
    const cookie = { name: 'click_id', value, isSecure, isReadable: true };
    sending.cookies = [setCookie({ ...cookie, maxAgeSeconds: CLICK_SECONDS })];
  }
  switch (decision.kind) {
    case 'redirect':
      answered.redirect.add();
      // After a form, 307 and 308 would send its answers on to the destination.
      return sendRedirect(
        response,
        request.method === 'POST' ? 303 : decision.status,
        decision.destination,
        sending,
      );
    case 'elsewhere':
      answered.elsewhere.inc();
      return sendRedirect(response, 302, decision.destination, sending);
    case 'ownersPage':
      answered.ownersPage.inc();
      return sendRedirect(response, 302, ownersPage(decision.url, visiting), sending);
    case 'display': {
      const where = { shortLink: decision.destination, fileHref: filePath(address.key ?? '') };
      return show(displayPage(decision.page, where, language(), sending.isIndexed));
    }
    case 'frame':
      return show(framePage(decision, shortLink(visiting), language(), sending.isIndexed));
    case 'before':
      return show(showBefore(decision, visiting));
    case 'password':
      return askPassword(visiting);
    case 'card':
      return show(
        cardPage(decision.card, {
          shortLink: shortLink(visiting),
          destination: decision.destination,
          language: language(),
          isIndexed: sending.isIndexed === true,
        }),
      );
    case 'preview': {
      const path = keyPath(address.key ?? '', address.query);
      return show(previewPage(decision.link, { shortLink: shortLink(visiting), path }, language()));
    }
    case 'notStarted':
      return show(notStartedPage(decision.startsAt, facts.now, language()));
    case 'notFound':
      return show(notFoundPage(language()));
    case 'expired':
      return show(expiredPage(language()));
  }
}

/** Asks for the password of a link, again where the last try did not open it. */
export function askPassword(visiting: Visiting, last?: LastTry): void {
  answered.password.inc();
  const { response, visitor } = visiting;
  sendPage(response, passwordPage(ownPath(visiting), visitor.pageLanguage, last));
}

/** The file of a display page. Whoever opens it has seen the page: it is no visit. */
function sendFile(response: ServerResponse, decision: Decision, visitor: Visitor): void {
  const file = decision.kind === 'display' ? decision.page.file : undefined;
  if (file === undefined) {
    answered.notFound.inc();
    return sendPage(response, notFoundPage(visitor.pageLanguage));
  }
  answered.file.inc();
  sendPage(response, fileAnswer(file));
}

function showBefore(
  { page, isMandatory }: Extract<Decision, { kind: 'before' }>,
  { found, address, facts, visitor, pass, faults }: Visiting,
): Page {
  const shownAt = pass?.at ?? facts.now;
  const until = shownAt + (page.waitSeconds ?? 0) * 1000;
  const token = pass === undefined ? makePass(found.link!, facts.now) : address.token!;
  return beforePage(page, {
    language: visitor.pageLanguage,
    onward: continuePath(token, address.key!, address.query),
    isMandatory,
    waitSeconds: Math.max(0, Math.ceil((until - facts.now) / 1000)),
    ...(faults === undefined ? {} : { sent: faults }),
  });
}

/** The owner's page, told where to lead on. */
function ownersPage(url: string, { found, address, facts, visitor, request }: Visiting): string {
  const port = /:\d{1,5}$/.exec(request.headers.host ?? '')?.[0] ?? '';
  const origin = `${visitor.isSecure ? 'https' : 'http'}://${visitor.host}${port}`;
  const token = makePass(found.link!, facts.now);
  return withParameter(url, 'continue', origin + continuePath(token, address.key!, address.query));
}
