import { createHmac } from 'node:crypto';
import { newId } from '../ids.ts';
import type { ErrorLog } from '../infra/error-log.ts';
import { lastingKeyFor } from '../infra/keys.ts';
import type { RequestHead, Response } from '../infra/plain-requests.ts';
import type { Found, LinkEntry, PageEntry } from '../lookup/entry.ts';
import type { Finder } from '../lookup/find.ts';
import { clickId } from '../visitors/click-id.ts';
import type { FindPlace } from '../visitors/places.ts';
import type { FormLead } from '../visits/visit.ts';
import type { Language } from '../web/language.ts';
import type { Page } from '../web/layout.ts';
import type { Address, Asks } from './address.ts';
import type { Quota } from './limits.ts';
import type { BeforePageOptions } from './pages/before.ts';
import { type Answers, allAnswers, checkAnswers } from './pages/form.ts';
import { type ContinueToken, type Passwords, verifyContinueToken } from './passwords.ts';
import type { VisitLog } from './visit-log.ts';
import type { Traits, Visitor } from './visitor.ts';

/** All that is known of a request when it is decided. */
export interface Facts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly asks: Asks;
  /** The root of the domain is asked for. */
  readonly isRoot: boolean;
  /** Raw query, without its question mark. */
  readonly query: string;
  /** The rest of the path after the key of a flexible link, with its leading slash; else empty. */
  readonly rest: string;
  /** The request came over https, as far as we can believe who says so. */
  readonly isSecure: boolean;
  /** A link-preview crawler asks. */
  readonly isCrawler: boolean;
  /** Only looked at where the link targets devices. */
  readonly platform: 'ios' | 'android' | undefined;
  /** Only looked at where the link has rules or targets countries. */
  readonly traits: Traits;
  /**
   * Place of the visitor among all visitors of a link, from 0 to just below 1: always the same for an IP address and a
   * user agent. Only looked at where the link divides its visitors.
   */
  placeIn(linkId: string): number;
  /** The visitor has entered the password. */
  readonly isUnlocked: boolean;
  /** The page before the destination, where the link has one of ours and it is still there. */
  readonly page: PageEntry | undefined;
  /**
   * Progress of the visitor past that page. `outdated`: the URL to continue has expired, or belongs to another link.
   */
  readonly passed: 'no' | 'seen' | 'submitted' | 'outdated';
  /** Id of the click, which is passed to the destination. */
  readonly clickId: string | undefined;
}

/** The facts of one request. What its headers say is read when the decision asks for it. */
export class RequestFacts implements Facts {
  readonly now: number;
  readonly asks: Asks;
  readonly isRoot: boolean;
  readonly query: string;
  readonly rest: string;
  readonly traits: Visitor;
  isUnlocked = false;
  page: PageEntry | undefined = undefined;
  passed: Facts['passed'] = 'no';
  clickId: string | undefined = undefined;

  constructor({ asks, key, query, rest = '' }: Address, visitor: Visitor, now: number) {
    this.now = now;
    this.asks = asks;
    this.isRoot = key === '';
    this.query = query;
    this.rest = rest;
    this.traits = visitor;
  }

  get isSecure(): boolean {
    return this.traits.isSecure;
  }

  get isCrawler(): boolean {
    return this.traits.isCrawler;
  }

  get platform(): Facts['platform'] {
    return this.traits.platform;
  }

  placeIn(linkId: string): number {
    const { ip, userAgent } = this.traits;
    const hash = createHmac('sha256', lastingKeyFor('split')).update(
      `${linkId}\n${ip}\n${userAgent}`,
    );
    return hash.digest().readUIntBE(0, 6) / 2 ** 48;
  }
}

/** The parts of the process that visits are served with. */
export interface VisitDependencies {
  finder: Finder;
  visits: VisitLog;
  passwords: Passwords;
  quota: Quota;
  /** Logs what is answered with a 5xx. */
  errors: ErrorLog;
  /** Opens the database of places when it is first asked for. */
  places(): Promise<FindPlace>;
  /** The next id of a visit; unique. */
  nextVisitId(): string;
  /** Public address of the API, where statistics are shown. */
  baseUrl: string;
  /** The page at the root of the service's own domain. */
  home(language: Language): Page;
}

/** One request for a link. */
export interface VisitRequest {
  address: Address;
  visitor: Visitor;
  request: RequestHead;
  response: Response;
  /** The form that was sent with POST. */
  form?: URLSearchParams;
}

/** A request with the link that was found, and all that was gathered about it. */
export interface VisitContext extends VisitRequest {
  found: Found;
  facts: RequestFacts;
  /** Id of the visit, if it becomes one. */
  visitId: string;
  /** The workspace's window in which a visitor counts once; 0 where the link doesn't depend on it. */
  dedupeSeconds: number;
  /** From the path that continues past a page. */
  token?: ContinueToken;
  /** Answers of a form that are complete. */
  lead?: FormLead;
  /** Answers that were refused. */
  refused?: NonNullable<BeforePageOptions['sent']>;
}

/** True when a visit is counted, if the request is one. */
export const isCounted = ({ visitor, request }: VisitRequest): boolean =>
  !visitor.isAutomatic && request.method !== 'HEAD';

/** Id of the click: the same for visits that count as one. */
export function clickIdOf({ found, visitor, facts, visitId, dedupeSeconds }: VisitContext): string {
  const { ip, userAgent } = visitor;
  return clickId({ target: found.link!.id, ip, userAgent, at: facts.now, visitId }, dedupeSeconds);
}

/** True when the decision needs no fact but those of the request, as for most links. */
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

/**
 * Gathers the facts that the link's entry asks for.
 *
 * @throws Unavailable when a store that has to be asked doesn't answer
 */
export async function gatherFacts(
  found: Found,
  visit: VisitRequest,
  { finder, passwords, places, nextVisitId }: VisitDependencies,
): Promise<VisitContext> {
  const { address, visitor, request } = visit;
  const facts = new RequestFacts(address, visitor, Date.now());
  const context: VisitContext = {
    ...visit,
    found,
    facts,
    visitId: nextVisitId(),
    dedupeSeconds: 0,
  };
  const { link } = found;
  if (link === null || facts.asks === 'stats') return context;
  if (link.geo !== undefined || link.rules !== undefined) {
    const find = await places();
    visitor.place = find(visitor.ip);
  }
  if (link.passwordHash !== undefined) {
    facts.isUnlocked = passwords.isUnlocked(link, request.headers.cookie, facts.now);
  }
  if (link.before !== undefined && 'pageId' in link.before) {
    facts.page = (await finder.page(link.projectId, link.before.pageId)) ?? undefined;
  }
  if (facts.asks === 'continue') readContinuation(link, context);
  if (link.tracksConversion === undefined && link.maxVisits === undefined) return context;
  const workspace = await finder.workspace(link.projectId);
  context.dedupeSeconds = workspace?.dedupeSeconds ?? 0;
  if (link.tracksConversion === true && isCounted(context) && !visitor.wantsPrivacy) {
    facts.clickId = clickIdOf(context);
  }
  return context;
}

/** Reads the token in the address, and the form that was sent with it. */
function readContinuation(link: LinkEntry, context: VisitContext): void {
  const { facts, address, form } = context;
  const token = verifyContinueToken(link, address.token ?? '', facts.now);
  if (token === undefined) {
    facts.passed = 'outdated';
    return;
  }
  context.token = token;
  facts.isUnlocked = true;
  const waitMs = (facts.page?.waitSeconds ?? 0) * 1000;
  // A second is given, because clocks of browsers and of servers tick differently.
  if (link.before === undefined || facts.now + 1_000 < token.shownAt + waitMs) return;
  facts.passed = 'seen';
  if (form === undefined) return;
  const { answers, errors } = answersOf(link, facts, form);
  if (errors !== undefined && errors.size > 0) {
    facts.passed = 'no';
    context.refused = { form, errors };
    return;
  }
  facts.passed = 'submitted';
  const { nonce } = token;
  const pageId = 'pageId' in link.before ? link.before.pageId : '';
  context.lead = { eventId: newId('event', facts.now), nonce, pageId, answers };
}

function answersOf(
  { before }: LinkEntry,
  { page }: Facts,
  form: URLSearchParams,
): { answers: Answers; errors?: ReturnType<typeof checkAnswers>['errors'] } {
  const isOwners = before !== undefined && 'url' in before;
  return isOwners ? { answers: allAnswers(form) } : checkAnswers(page?.fields ?? [], form);
}
