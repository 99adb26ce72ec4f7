import { clickId } from '../click-id.ts';
import { newId } from '../ids.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { Found } from '../lookup/find.ts';
import { type Address, keyPath } from './address.ts';
import { askPassword, carryOut, leadOn } from './carry-out.ts';
import { type Decision, decideLink, decideRoot } from './decide.ts';
import { RequestFacts } from './facts.ts';
import { type Answers, allAnswers, checkAnswers } from './form.ts';
import type { Showing } from './html/before.ts';
import { unavailablePage } from './html/unavailable.ts';
import { readPass } from './passes.ts';
import { sendPage, sendRedirect } from './send.ts';
import { counts, ownPath, type Request, type Visiting, type VisitMeans } from './visiting.ts';

/*
 * One visit of a link that was found: facts, decision, record, answer. Most links need no more facts than the
 * request has, and are served at once; the others wait for what their entry asks about (a place, a page, a count).
 */

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

/** Serves a link that {@link isPlain}: as most visits are of such a link, on the shortest way that there is. */
export function servePlain(found: Found, request: Request, means: VisitMeans): Promise<void> {
  const { address, visitor } = request;
  const facts = new RequestFacts(address, visitor, Date.now());
  const decision =
    address.key === ''
      ? decideRoot(found.domain, facts)
      : decideLink(found.link, found.domain, facts);
  const visitId = means.nextVisitId();
  return decision.kind === 'redirect'
    ? leadOn(decision, request, { visitId, now: facts.now, found }, means)
    : carryOut(decision, { ...request, found, facts, visitId }, means);
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
