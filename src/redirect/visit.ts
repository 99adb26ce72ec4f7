import type { IncomingMessage, ServerResponse } from 'node:http';
import { clickId } from '../click-id.ts';
import type { Page } from '../html/layout.ts';
import { newId } from '../ids.ts';
import { redirects } from '../infra/metrics.ts';
import type { FindPlace } from '../infra/places.ts';
import { Tally } from '../infra/tally.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { Finder, Found } from '../lookup/find.ts';
import type { FormLead, Visit } from '../queues/clicks.ts';
import { type Address, continuePath, filePath, keyPath } from './address.ts';
import { setCookie } from './cookies.ts';
import { type Decision, decideLink, decideRoot } from './decide.ts';
import { withParameter } from './destination.ts';
import { RequestFacts } from './facts.ts';
import { type Answers, allAnswers, checkAnswers } from './form.ts';
import { beforePage, type Showing } from './html/before.ts';
import { cardPage } from './html/card.ts';
import { displayPage, fileAnswer } from './html/display.ts';
import { expiredPage } from './html/expired.ts';
import { framePage } from './html/frame.ts';
import { notFoundPage } from './html/not-found.ts';
import { notStartedPage } from './html/not-started.ts';
import { type LastTry, passwordPage } from './html/password.ts';
import { previewPage } from './html/preview.ts';
import { unavailablePage } from './html/unavailable.ts';
import type { Locks } from './locks.ts';
import { makePass, type Pass, readPass } from './passes.ts';
import type { Quota } from './quota.ts';
import { type Sending, sendPage, sendRedirect } from './send.ts';
import type { VisitLog } from './visit-log.ts';
import type { Visitor } from './visitor.ts';

/*
 * One visit of a link that was found: facts, decision, record, answer. Most links need no more facts than the
 * request has, and are served at once; the others wait for what their entry asks about (a place, a page, a count).
 */

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

/** What visits are served with. */
export interface VisitMeans {
  finder: Finder;
  visits: VisitLog;
  locks: Locks;
  quota: Quota;
  /** Opens the database of places when it is first asked for. */
  places(): Promise<FindPlace>;
  /** The next id of a visit; unique. */
  nextVisitId(): string;
  /** Public address of the API, where statistics are shown. */
  baseUrl: string;
}

/** One request for a link. */
export interface Request {
  address: Address;
  visitor: Visitor;
  request: IncomingMessage;
  response: ServerResponse;
  /** What was sent with POST. */
  form?: URLSearchParams;
}

/** A request under way. */
interface Visiting extends Request {
  found: Found;
  facts: RequestFacts;
  /** Of the visit, if it becomes one. */
  visitId: string;
  /** What the address that leads on past a page says. */
  pass?: Pass;
  lead?: FormLead;
  faults?: Showing['sent'];
}

/** Whether the request itself is all that the decision looks at. */
export function isPlain(link: LinkEntry | null, { asks }: Address): boolean {
  return (
    asks === 'link' &&
    (link === null ||
      (link.geo === undefined &&
        link.rules === undefined &&
        link.passwordHash === undefined &&
        link.maxVisits === undefined &&
        link.before === undefined &&
        link.tracksConversion === undefined))
  );
}

/** Whether something may be sent to a link: its password, or the form of the page before it. */
export function takesForms(link: LinkEntry | null, { asks }: Address): boolean {
  return asks === 'continue' ? link?.before !== undefined : link?.passwordHash !== undefined;
}

/** Serves a link that {@link isPlain}. */
export async function servePlain(found: Found, request: Request, means: VisitMeans): Promise<void> {
  const facts = new RequestFacts(request.address, request.visitor, Date.now());
  const visiting = { ...request, found, facts, visitId: means.nextVisitId() };
  await carryOut(decide(visiting), visiting, means);
}

/** Serves any link, and whatever is asked about it. */
export async function serveInFull(
  found: Found,
  request: Request,
  means: VisitMeans,
): Promise<void> {
  const { address, visitor, form } = request;
  const facts = new RequestFacts(address, visitor, Date.now());
  const visiting: Visiting = { ...request, found, facts, visitId: means.nextVisitId() };
  const { link } = found;
  if (address.asks === 'stats') return carryOut(statistics(visiting, means), visiting, means);
  const windowSeconds = link === null ? 0 : await gather(link, visiting, means);
  if (link !== null && address.asks === 'continue' && visiting.pass === undefined) {
    // Too old, or somebody else's: the page is shown again.
    return sendRedirect(request.response, 303, keyPath(address.key!, address.query));
  }
  let decision = decide(visiting);
  if (link?.maxVisits !== undefined && (await isUsedUp(decision, visiting, windowSeconds, means))) {
    facts.isUsedUp = true;
    decision = decide(visiting);
  }
  if (form !== undefined && address.asks !== 'continue') return post(decision, visiting, means);
  await carryOut(decision, visiting, means);
}

function decide({ address, found, facts }: Visiting): Decision {
  const { domain, link } = found;
  return address.key === '' ? decideRoot(domain, facts) : decideLink(link, domain, facts);
}

/** Where the public statistics of a link are. */
function statistics(
  { found: { link }, visitor, address }: Visiting,
  { baseUrl }: VisitMeans,
): Decision {
  return link?.hasPublicStats === true
    ? {
        kind: 'elsewhere',
        reason: 'stats',
        destination: `${baseUrl}/stats/${visitor.host}/${encodeURI(address.key!)}`,
      }
    : { kind: 'notFound' };
}

/**
 * Finds out what the link's entry asks about, and how far the visitor has come.
 *
 * @returns the workspace's window, in seconds, where it matters
 * @throws Unavailable
 */
async function gather(link: LinkEntry, visiting: Visiting, means: VisitMeans): Promise<number> {
  const { facts, visitor, request } = visiting;
  const { finder, locks } = means;
  if (link.geo !== undefined || link.rules !== undefined) {
    const find = await means.places();
    visitor.place = find(visitor.ip);
  }
  if (link.passwordHash !== undefined) {
    facts.isUnlocked = locks.isOpen(link, request.headers.cookie, facts.now);
  }
  if (link.before !== undefined && 'pageId' in link.before) {
    facts.page = (await finder.page(link.projectId, link.before.pageId)) ?? undefined;
  }
  if (facts.asks === 'continue') pass(link, visiting);
  if (link.tracksConversion === undefined && link.maxVisits === undefined) return 0;
  const workspace = await finder.workspace(link.projectId);
  const windowSeconds = workspace?.dedupeSeconds ?? 0;
  if (link.tracksConversion === true && counts(visiting) && !visitor.wantsPrivacy) {
    facts.clickId = idOf(link, visiting, windowSeconds);
  }
  return windowSeconds;
}

/** Whether a visit counts, if it is one. */
const counts = ({ visitor, request }: Visiting): boolean =>
  !visitor.isAutomatic && request.method !== 'HEAD';

function idOf(link: LinkEntry, { visitor, facts, visitId }: Visiting, windowSeconds: number) {
  const { ip, userAgent } = visitor;
  return clickId({ target: link.id, ip, userAgent, at: facts.now, visitId }, windowSeconds);
}

/** Reads the pass in the address, and the form that was sent with it. */
function pass(link: LinkEntry, visiting: Visiting): void {
  const { facts, address, form } = visiting;
  const read = readPass(link, address.token ?? '', facts.now);
  if (read === undefined) return;
  visiting.pass = read;
  facts.isUnlocked = true;
  const wait = (facts.page?.waitSeconds ?? 0) * 1000;
  // A second is given, because clocks of browsers and of servers tick differently.
  if (link.before === undefined || facts.now + 1_000 < read.at + wait) return;
  facts.passed = 'seen';
  if (form === undefined) return;
  const { answers, faults } = answersTo(link, visiting, form);
  if (faults !== undefined && faults.size > 0) {
    facts.passed = 'no';
    visiting.faults = { form, faults };
    return;
  }
  facts.passed = 'submitted';
  const { nonce } = read;
  const pageId = 'pageId' in link.before ? link.before.pageId : '';
  visiting.lead = { eventId: newId('event', facts.now), nonce, pageId, answers };
}

function answersTo(
  link: LinkEntry,
  { facts }: Visiting,
  form: URLSearchParams,
): { answers: Answers; faults?: NonNullable<Showing['sent']>['faults'] } {
  const isOwners = link.before !== undefined && 'url' in link.before;
  return isOwners ? { answers: allAnswers(form) } : checkAnswers(facts.page?.fields ?? [], form);
}

/** Takes a visit where there will be one; otherwise only looks. */
function isUsedUp(
  decision: Decision,
  visiting: Visiting,
  windowSeconds: number,
  { quota }: VisitMeans,
): Promise<boolean> {
  const link = visiting.found.link!;
  if (!('visited' in decision) || decision.kind === 'before' || !counts(visiting)) {
    return quota.isUsedUp(link);
  }
  const id = idOf(link, visiting, windowSeconds);
  return quota.take(link, id, windowSeconds).then((isTaken) => !isTaken);
}

/** What was sent to a link itself can only be its password. */
async function post(decision: Decision, visiting: Visiting, means: VisitMeans): Promise<void> {
  const { found, facts, visitor, response, form } = visiting;
  const link = found.link!;
  // Sent twice, or no longer asked for.
  if (decision.kind !== 'password') return sendRedirect(response, 303, ownPath(visiting));
  const { isSecure, ip } = visitor;
  const password = form?.get('password') ?? '';
  const attempt = await means.locks.open(link, password, { ip, isSecure }, facts.now);
  switch (attempt.outcome) {
    case 'opened':
      return sendRedirect(response, 303, ownPath(visiting), { cookies: [attempt.cookie] });
    case 'busy':
      return sendPage(response, unavailablePage(visitor.pageLanguage));
    case 'wrong':
    case 'tooMany':
      return askPassword(visiting, attempt);
  }
}

/** Where the visitor is now, as a path. */
function ownPath({ address }: Visiting): string {
  const { key, query, asks } = address;
  return keyPath(asks === 'preview' ? `${key!}+` : key!, query);
}

function askPassword(visiting: Visiting, last?: LastTry): void {
  answered.password.inc();
  const { response, visitor } = visiting;
  sendPage(response, passwordPage(ownPath(visiting), visitor.pageLanguage, last));
}

/** Records what is to be counted, then answers. */
async function carryOut(decision: Decision, visiting: Visiting, means: VisitMeans): Promise<void> {
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
  await record(decision, visiting, means);
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

const shortLink = ({ visitor, address }: Visiting): string =>
  `https://${visitor.host}${keyPath(address.key ?? '')}`;

/** Resolves when everything about the visit is safe. */
async function record(decision: Decision, visiting: Visiting, means: VisitMeans): Promise<void> {
  const { visits, nextVisitId } = means;
  const { lead, pass } = visiting;
  const safe: Promise<void>[] = [];
  if (lead !== undefined) {
    const link = visiting.found.link!;
    const of = { projectId: link.projectId, linkId: link.id };
    // Kept whoever sends it: a form is not filled in by mistake.
    safe.push(visits.record({ ...visitOf(visiting, of), id: nextVisitId(), lead }));
  }
  if ('visited' in decision && decision.visited !== undefined && counts(visiting)) {
    const { visited } = decision;
    if (decision.kind !== 'before') {
      const { destination, via } = decision;
      safe.push(visits.record({ ...visitOf(visiting, visited), destination, via }));
    } else if (pass === undefined) {
      const view = { pageId: decision.page.id };
      safe.push(visits.record({ ...visitOf(visiting, visited), view }));
    }
  }
  if (safe.length > 0) await Promise.all(safe);
}

function visitOf(
  visiting: Visiting,
  { projectId, linkId }: { projectId: string; linkId: string },
): Visit {
  const { visitor, facts, address, visitId } = visiting;
  return {
    id: visitId,
    at: facts.now,
    projectId,
    linkId,
    domain: visitor.host,
    key: address.key === '' || address.key === null ? '_root' : address.key,
    destination: shortLink(visiting),
    ip: visitor.ip,
    userAgent: visitor.userAgent,
    referer: visitor.referer,
    via: 'link',
    ...(facts.clickId === undefined ? {} : { clickId: facts.clickId }),
  };
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
