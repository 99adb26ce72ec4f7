import { stringifySetCookie } from 'cookie';
import { BufferedCounter } from '../infra/buffered-counter.ts';
import { redirects } from '../infra/metrics.ts';
import { type SendOptions, sendPage, sendRedirect } from '../infra/plain-responses.ts';
import { encodedKey, originOf } from '../lookup/short-link.ts';
import type { Decision, Visited } from '../routing/decide.ts';
import type { Visit } from '../visits/visit.ts';
import type { Page } from '../web/layout.ts';
import { type Address, filePath, keyPath, ownPath } from './address.ts';
import { ancestorsOf } from './ancestors.ts';
import {
  isCounted,
  type VisitContext,
  type VisitDependencies,
  type VisitRequest,
  workspaceOf,
} from './facts.ts';
import { resolvedAnswer } from './linkset.ts';
import {
  askPassword,
  inItsLook,
  linkList,
  ownersPage,
  pageBefore,
  respondToPassword,
  sendFile,
  shortLink,
} from './page-answers.ts';
import { cardPage } from './pages/card.ts';
import { displayPage } from './pages/display.ts';
import { framePage } from './pages/frame.ts';
import {
  badRequestPage,
  blockedPage,
  expiredPage,
  notFoundPage,
  notStartedPage,
} from './pages/notices.ts';
import { officePage } from './pages/office.ts';
import { previewPage } from './pages/preview.ts';
import { PIXEL, shlinkQrCode } from './pages/shlink.ts';

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

/**
 * Records the visit, the page view and the lead of the form. Resolves once all of them are safe.
 */
async function recordVisit(
  decision: Decision,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<void> {
  const { visits, leftOut } = dependencies;
  const { lead, token, visitId, facts, visitor } = context;
  const { now, clickId } = facts;
  // One id for all: if every visit counts, the click's id derives from it, and the lead names the
  // click.
  const identity = { visitId, now, entries: context.entries };
  const handedOut = clickId === undefined ? {} : { clickId };
  const atShortLink = () => ({ destination: shortLink(context), via: 'link' as const });
  const safe: Promise<void>[] = [];
  if (lead !== undefined && !visitor.isExcluded) {
    const link = context.entries.link!;
    const of = { projectId: link.projectId, linkId: link.id };
    // Bots too: nobody fills in a form by mistake.
    const visit = visitOf(context, identity, of, { ...atShortLink(), ...variantOf(decision) });
    safe.push(visits.record({ ...visit, ...handedOut, lead }));
  }
  if (!isCounted(context)) {
    // Previews get a card, and Office a page, where a person is redirected.
    const isVisit = 'visited' in decision || decision.kind === 'card' || decision.kind === 'office';
    const isRepeat = decision.kind === 'before' && token !== undefined;
    if (isVisit && !isRepeat) leftOut.add(context, workspaceOf(context.entries), now);
  } else if ('visited' in decision && decision.visited !== undefined) {
    const { visited } = decision;
    if (decision.kind !== 'before') {
      const visit = countedVisit(context, identity, visited, decision, dependencies);
      safe.push(visits.record({ ...visit, ...handedOut }));
    } else if (token === undefined) {
      const view = { pageId: decision.page.id };
      const visit = countedVisit(context, identity, visited, atShortLink(), dependencies);
      safe.push(visits.record({ ...visit, ...handedOut, view }));
    }
  }
  if (safe.length > 0) await Promise.all(safe);
}

/** Name of the test variant that the visitor got, if any. */
const variantOf = (decision: Decision): Pick<Visit, 'variant'> =>
  'variant' in decision && decision.variant !== undefined ? { variant: decision.variant } : {};

/** Key of the visited link; that of a wildcard is not in the path. */
const keyOf = ({ key, isWildcard }: Address): string => (isWildcard ? `${key}/*` : key || '_root');

/** Id, time and entries of a visit. */
type Identity = Pick<VisitContext, 'visitId' | 'entries'> & { now: number };

/** Builds the record of a visit that counts, with the reason if it is a suspect. */
function countedVisit(
  request: VisitRequest,
  identity: Identity,
  visited: Visited,
  destination: Pick<Visit, 'destination' | 'via' | 'variant'>,
  { suspects }: VisitDependencies,
): Visit {
  const visit = visitOf(request, identity, visited, destination);
  const { visitor } = request;
  // A pixel is of the class `bot`, and loaded by a page that a person has opened.
  if (visitor.traffic.class === 'person') {
    const suspect = suspects.reasonOf(visitor, visited, identity.now);
    if (suspect !== undefined) visit.suspect = suspect;
  }
  return visit;
}

/** Builds the record of a visit. */
function visitOf(
  { address, visitor }: VisitRequest,
  { visitId: id, now, entries }: Identity,
  { projectId, linkId }: Visited,
  { destination, via, variant }: Pick<Visit, 'destination' | 'via' | 'variant'>,
): Visit {
  const visit: Visit = {
    id,
    at: now,
    projectId,
    linkId,
    domain: visitor.host,
    key: keyOf(address),
    destination,
    ip: visitor.ip,
    userAgent: visitor.userAgent,
    referer: visitor.referer,
    via,
  };
  if (variant !== undefined) visit.variant = variant;
  if (visitor.wantsPrivacy) visit.wantsPrivacy = true;
  if (entries.link?.countsOnly === true) visit.countsOnly = true;
  if (visitor.hints !== '') visit.hints = visitor.hints;
  return visit;
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
