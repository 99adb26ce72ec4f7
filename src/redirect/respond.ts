import { stringifySetCookie } from 'cookie';
import { BufferedCounter } from '../infra/buffered-counter.ts';
import { redirects } from '../infra/metrics.ts';
import type { Response } from '../infra/plain-requests.ts';
import { type SendOptions, sendPage, sendRedirect } from '../infra/plain-responses.ts';
import { encodedKey, originOf } from '../lookup/short-link.ts';
import { type Decision, withParameter } from '../routing/decide.ts';
import { branded } from '../web/brand.ts';
import type { Page } from '../web/layout.ts';
import { continuePath, filePath, keyPath, ownPath } from './address.ts';
import { ancestorsOf } from './ancestors.ts';
import {
  isCounted,
  knownWorkspace,
  type VisitContext,
  type VisitDependencies,
  type VisitRequest,
} from './facts.ts';
import { linksetAnswer, resolvedAnswer } from './linkset.ts';
import { beforePage } from './pages/before.ts';
import { cardPage } from './pages/card.ts';
import { displayPage, fileAnswer } from './pages/display.ts';
import { framePage } from './pages/frame.ts';
import {
  badRequestPage,
  blockedPage,
  expiredPage,
  notFoundPage,
  notStartedPage,
  unavailablePage,
} from './pages/notices.ts';
import { officePage } from './pages/office.ts';
import { type LastTry, passwordPage } from './pages/password.ts';
import { previewPage } from './pages/preview.ts';
import { PIXEL, shlinkQrCode } from './pages/shlink.ts';
import { signContinueToken } from './passwords.ts';
import { countedVisit, type Identity, recordVisit, shortLink } from './record.ts';
import type { Visitor } from './visitor.ts';

/** Lifetime of the cookie with the click id, in seconds. */
const CLICK_SECONDS = 90 * 86_400;

const answered = {
  redirect: new BufferedCounter(redirects.labels('redirect')),
  frame: redirects.labels('frame'),
  display: redirects.labels('display'),
  file: redirects.labels('file'),
  otherUrl: redirects.labels('elsewhere'),
  before: redirects.labels('before'),
  ownersPage: redirects.labels('before'),
  password: redirects.labels('protected'),
  card: redirects.labels('card'),
  preview: redirects.labels('preview'),
  office: redirects.labels('office'),
  notStarted: redirects.labels('not_started'),
  home: redirects.labels('home'),
  notFound: redirects.labels('not_found'),
  expired: redirects.labels('expired'),
  blocked: redirects.labels('blocked'),
  refused: redirects.labels('refused'),
};

const INDEXED: SendOptions = { isIndexed: true };
const NOT_INDEXED: SendOptions = {};

/**
 * Carries out a redirect that needed no further facts: records the visit, then answers. It takes
 * callbacks, since promises would cost this most frequent path three per visit.
 */
export function redirectTo(
  decision: Extract<Decision, { kind: 'redirect' }>,
  visit: VisitRequest,
  identity: Identity,
  dependencies: VisitDependencies,
): void {
  const { visits, errors, leftOut } = dependencies;
  const { status, destination, visited } = decision;
  const { now, entries } = identity;
  const options = entries.link?.isIndexed === true ? INDEXED : NOT_INDEXED;
  if (visited === undefined || !isCounted(visit)) {
    if (visited !== undefined) leftOut.add(visit, visited.projectId, now);
    answered.redirect.add();
    return sendRedirect(visit.response, status, destination, options);
  }
  const recorded = countedVisit(visit, identity, visited, decision, dependencies);
  visits.recordThen(recorded, () => {
    try {
      answered.redirect.add();
      sendRedirect(visit.response, status, destination, options);
    } catch (error) {
      errors.report(error);
      visit.response.destroy();
    }
  });
}

/** Carries out a decision: records the visit if it is one, then answers. */
export async function respond(
  decision: Decision,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<void> {
  const { address, visitor, request, response, entries, facts } = context;
  // A form sent to a link itself can only be its password; sent to its statistics it is
  // meaningless.
  if (context.form !== undefined && address.asks !== 'continue' && address.asks !== 'stats') {
    return respondToPassword(decision, context, dependencies);
  }
  if (address.asks === 'file' && decision.kind !== 'password') {
    return sendFile(response, decision, visitor);
  }
  if (decision.kind === 'unresolved') {
    for await (const { decision: above, key, entries: those } of ancestorsOf(
      decision.page,
      context,
      dependencies,
    )) {
      if (above.kind !== 'resolve') continue;
      const atAncestor = { ...context, entries: those, address: { ...address, key } };
      return respond(above, atAncestor, dependencies);
    }
    return respond({ kind: 'notFound' }, context, dependencies);
  }
  await recordVisit(decision, context, dependencies);
  const options: SendOptions = { isIndexed: entries.link?.isIndexed === true };
  const language = () => visitor.pageLanguage;
  const show = async (counter: { inc(): void }, page: Page) => {
    counter.inc();
    sendPage(response, await inItsLook(page, context, dependencies), options);
  };
  if ('visited' in decision && decision.kind !== 'before' && facts.clickId !== undefined) {
    options.cookies = [clickCookie(facts.clickIdParameter, facts.clickId, visitor.isSecure)];
  }
  switch (decision.kind) {
    case 'redirect':
      answered.redirect.add();
      // 307 and 308 would make browsers send the form's answers to the destination.
      return sendRedirect(
        response,
        request.method === 'POST' ? 303 : decision.status,
        decision.destination,
        options,
      );
    case 'resolve': {
      answered.redirect.add();
      const uri = originOf(visitor.host) + decision.page.resolver!.path;
      const { status, destination } = decision;
      return sendPage(response, resolvedAnswer(status, destination, uri), options);
    }
    case 'linkset': {
      answered.display.inc();
      return sendPage(response, await linkList(decision, context, dependencies), options);
    }
    case 'badRequest':
      answered.refused.inc();
      return sendPage(response, badRequestPage(language()));
    case 'otherUrl':
      answered.otherUrl.inc();
      return sendRedirect(response, 302, decision.destination, options);
    case 'stats': {
      answered.otherUrl.inc();
      const path = `${visitor.host}/${encodedKey(address.key!)}`;
      return sendRedirect(response, 302, `${dependencies.baseUrl}/stats/${path}`, options);
    }
    case 'qrCode': {
      answered.otherUrl.inc();
      const url = shlinkQrCode(shortLink(context), new URLSearchParams(address.query));
      return sendRedirect(response, 302, url, options);
    }
    case 'pixel':
    case 'blankPixel':
      answered.file.inc();
      return sendPage(response, PIXEL, options);
    case 'restart':
      return sendRedirect(response, 303, keyPath(address.key!, address.query, address.rest));
    case 'ownersPage':
      answered.ownersPage.inc();
      return sendRedirect(response, 302, ownersPage(decision.url, context), options);
    case 'display': {
      const where = {
        shortLink: decision.destination,
        fileHref: filePath(address.key ?? ''),
        images: { baseUrl: dependencies.baseUrl, projectId: entries.link?.projectId ?? '' },
        ...(dependencies.map !== undefined && { map: dependencies.map }),
      };
      return show(
        answered.display,
        displayPage(decision.page, where, language(), options.isIndexed),
      );
    }
    case 'frame':
      return show(
        answered.frame,
        framePage(
          { ...decision, isShared: entries.domain.projectId === '' },
          shortLink(context),
          language(),
          options.isIndexed,
        ),
      );
    case 'before':
      return show(answered.before, pageBefore(decision, context));
    case 'password':
      return askPassword(context, dependencies);
    case 'card':
      return show(
        answered.card,
        cardPage(decision.card, {
          shortLink: shortLink(context),
          destination: decision.destination,
          language: language(),
          isIndexed: options.isIndexed === true,
        }),
      );
    case 'preview': {
      const { link, destination } = decision;
      const path = keyPath(address.key ?? '', address.query, address.rest);
      const where = { shortLink: shortLink(context), path, destination };
      return show(answered.preview, previewPage(link, where, language()));
    }
    case 'office':
      answered.office.inc();
      return sendPage(response, officePage(ownPath(address), visitor.userAgent, language()));
    case 'notStarted':
      return show(answered.notStarted, notStartedPage(decision.startsAt, facts.now, language()));
    case 'home':
      return show(answered.home, dependencies.home(language()));
    case 'notFound':
      return show(answered.notFound, notFoundPage(language()));
    case 'expired':
      return show(answered.expired, expiredPage(language()));
    case 'blocked':
      return show(answered.blocked, blockedPage(language(), shortLink(context)));
  }
}

/** Builds the list of links of a GS1 Digital Link: a page for a browser, else JSON. */
async function linkList(
  { page, isForPeople }: Extract<Decision, { kind: 'linkset' }>,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<Page> {
  const pages = [page];
  for await (const { decision } of ancestorsOf(page, context, dependencies)) {
    if (decision.kind === 'linkset') pages.push(decision.page);
  }
  if (!isForPeople) return linksetAnswer(pages, originOf(context.visitor.host));
  const links = pages.flatMap((each) => each.links ?? []);
  const where = { shortLink: shortLink(context) };
  const list = displayPage({ ...page, links }, where, context.visitor.pageLanguage);
  return inItsLook(list, context, dependencies);
}

/** Checks the password that was sent to a link. */
async function respondToPassword(
  decision: Decision,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<void> {
  const { passwords, errors } = dependencies;
  const { address, entries, facts, visitor, response, form } = context;
  // The form was sent twice, or the link no longer has a password.
  if (decision.kind !== 'password') return sendRedirect(response, 303, ownPath(address));
  const password = form?.get('password') ?? '';
  const attempt = await passwords.unlock(entries.link!, password, visitor, facts.now);
  switch (attempt.outcome) {
    case 'unlocked':
      return sendRedirect(response, 303, ownPath(address), { cookies: [attempt.cookie] });
    case 'busy':
      errors.report(attempt.error);
      return sendPage(response, unavailablePage(visitor.pageLanguage));
    case 'wrong':
    case 'tooMany':
      return askPassword(context, dependencies, attempt);
  }
}

async function askPassword(
  context: VisitContext,
  dependencies: VisitDependencies,
  last?: LastTry,
): Promise<void> {
  const { address, response, visitor } = context;
  answered.password.inc();
  const page = passwordPage(ownPath(address), visitor.pageLanguage, last);
  sendPage(response, await inItsLook(page, context, dependencies));
}

/** Adds the brand of the workspace to a page, unless no store answers. */
async function inItsLook(
  page: Page,
  { entries: { link, domain } }: VisitContext,
  { finder, baseUrl }: VisitDependencies,
): Promise<Page> {
  const projectId = link?.projectId ?? domain.projectId;
  if (projectId === '') return page;
  const { brand } = (await knownWorkspace(projectId, finder)) ?? {};
  return brand === undefined ? page : branded(page, brand, { baseUrl, projectId });
}

/** Sends the file of a display page. It is not a visit, since the page was one. */
function sendFile(response: Response, decision: Decision, visitor: Visitor): void {
  const file = decision.kind === 'display' ? decision.page.file : undefined;
  if (file === undefined) {
    answered.notFound.inc();
    return sendPage(response, notFoundPage(visitor.pageLanguage));
  }
  answered.file.inc();
  sendPage(response, fileAnswer(file));
}

function pageBefore(
  { page, isMandatory }: Extract<Decision, { kind: 'before' }>,
  { entries, address, facts, visitor, token, refused }: VisitContext,
): Page {
  const until = (token?.shownAt ?? facts.now) + (page.waitSeconds ?? 0) * 1000;
  const next = token === undefined ? signContinueToken(entries.link!, facts.now) : address.token!;
  return beforePage(page, {
    language: visitor.pageLanguage,
    onward: continuePath(next, address),
    isMandatory,
    waitSeconds: Math.max(0, Math.ceil((until - facts.now) / 1000)),
    sent: refused,
  });
}

/** URL of the owner's page, with the URL that continues to the destination as a parameter. */
function ownersPage(
  url: string,
  { entries, address, facts, visitor, request }: VisitContext,
): string {
  const port = /:\d{1,5}$/.exec(request.headers.host ?? '')?.[0] ?? '';
  const origin = `${visitor.isSecure ? 'https' : 'http'}://${visitor.host}${port}`;
  const token = signContinueToken(entries.link!, facts.now);
  return withParameter(url, 'continue', origin + continuePath(token, address));
}

/** Cookie with the click's id, for scripts of pages under the domain. */
const clickCookie = (name: string, clickId: string, isSecure: boolean): string =>
  stringifySetCookie({
    name,
    value: clickId,
    maxAge: CLICK_SECONDS,
    path: '/',
    sameSite: 'lax',
    secure: isSecure,
    httpOnly: false,
  });
