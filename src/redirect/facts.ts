import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { newId } from '../ids.ts';
import type { ErrorLog } from '../infra/error-log.ts';
import { AddressSet } from '../infra/ip.ts';
import { lastingKeyFor } from '../infra/keys.ts';
import { memoize } from '../infra/memoize.ts';
import type { RequestHead, Response } from '../infra/plain-requests.ts';
import type {
  ClickIdParameter,
  Entries,
  LinkEntry,
  PageEntry,
  QueryConflict,
  ServiceEntry,
  WorkspaceEntry,
} from '../lookup/entry.ts';
import { type Finder, Unavailable } from '../lookup/find.ts';
import type { Asks, Facts } from '../routing/facts.ts';
import { leavesConflict } from '../routing/query.ts';
import { clickId } from '../visitors/click-id.ts';
import { isUncounted, UNCOUNTED_COOKIE } from '../visitors/own-visits.ts';
import type { FindPlace } from '../visitors/places.ts';
import type { Suspects } from '../visitors/suspects.ts';
import type { FormLead } from '../visits/visit.ts';
import type { Language } from '../web/language.ts';
import type { Page } from '../web/layout.ts';
import type { Passwords } from '../web/passwords.ts';
import { type Address, sentPath } from './address.ts';
import { type ContinueToken, verifyContinueToken } from './continue-tokens.ts';
import type { LeftOutCounter } from './left-out.ts';
import type { Quota } from './limits.ts';
import type { BeforePageOptions } from './pages/before.ts';
import { type Answers, allAnswers, checkAnswers } from './pages/form.ts';
import type { TileHost } from './pages/map.ts';
import type { VisitLog } from './visit-log.ts';
import type { Visitor } from './visitor.ts';

/** The facts of one request. Headers are read only when the decision needs them. */
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
  queryConflict: QueryConflict = 'visitor';
  clickId: string | undefined = undefined;
  clickIdParameter: ClickIdParameter = 'click_id';
  readonly #request: RequestHead;

  constructor({ address, visitor, request }: VisitRequest, now: number) {
    const { asks, key, query, rest = '' } = address;
    this.now = now;
    this.#request = request;
    this.asks = asks;
    this.isRoot = key === '';
    this.query = query;
    this.rest = rest;
    this.traits = visitor;
  }

  get host(): string {
    return this.traits.host;
  }

  get path(): string {
    return sentPath(this.#request.url ?? '/');
  }

  get accept(): string {
    return this.#request.headers.accept ?? '';
  }

  get languages(): string {
    return this.#request.headers['accept-language'] ?? '';
  }

  get isSecure(): boolean {
    return this.traits.isSecure;
  }

  get isCrawler(): boolean {
    return this.traits.isCrawler;
  }

  get isOffice(): boolean {
    return this.traits.isOffice;
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

/** The parts of the process that visits depend on. */
export interface VisitDependencies {
  finder: Finder;
  visits: VisitLog;
  passwords: Passwords;
  quota: Quota;
  leftOut: LeftOutCounter;
  suspects: Suspects;
  /** Logs requests that are answered with a 5xx. */
  errors: ErrorLog;
  /** Opens the database of places on its first call. */
  places(): Promise<FindPlace>;
  /** Returns the unique id of the next visit. */
  nextVisitId(): string;
  /** Public URL of the API, where statistics are shown. */
  baseUrl: string;
  /** The operator's map, if there is one. */
  map: TileHost | undefined;
  /** Builds the page at the root of the service's own domain. */
  home(language: Language): Page;
}

/** A request and its response. */
export interface Exchange {
  request: RequestHead;
  response: Response;
  /** The request, if node:http has parsed it, as every POST. */
  message: IncomingMessage | undefined;
}

/** One request for a link. */
export interface VisitRequest extends Pick<Exchange, 'request' | 'response'> {
  address: Address;
  visitor: Visitor;
  /** The form of a POST request. */
  form?: URLSearchParams;
}

/** A request with its link and everything that was gathered about it. */
export interface VisitContext extends VisitRequest {
  entries: Entries;
  facts: RequestFacts;
  /** Id of the visit, if the request becomes one. */
  visitId: string;
  /**
   * The workspace's window in which a visitor counts once, in seconds; 0 if the link does not
   * depend on it.
   */
  dedupeSeconds: number;
  /** Token from a path that continues past a page. */
  token?: ContinueToken;
  /** Complete answers to a form. */
  lead?: FormLead;
  /** Refused answers to a form. */
  refused?: NonNullable<BeforePageOptions['sent']>;
}

/** True when the request counts, provided that it is a visit. */
export function isCounted({ visitor, request, address }: VisitRequest): boolean {
  if (request.method === 'HEAD' || visitor.isExcluded) return false;
  const { class: kind, reason } = visitor.traffic;
  // A pixel is an image of a page that a person has opened.
  return kind === 'person' || (reason === 'image' && address.asks === 'track');
}

/** Id of the click: equal for visits that count as one. */
export function clickIdOf({
  entries,
  visitor,
  facts,
  visitId,
  dedupeSeconds,
}: VisitContext): string {
  const { ip, userAgent } = visitor;
  return clickId(
    { target: entries.link!.id, ip, userAgent, at: facts.now, visitId },
    dedupeSeconds,
  );
}

/** Id of the workspace of a link, or else of its domain; empty for the service's own domain. */
export const workspaceOf = ({ link, domain }: Entries): string => (link ?? domain).projectId;

/** True when the decision needs nothing beyond the request, as for most links. */
export function isPlain(
  entries: Entries,
  { asks, query }: Address,
  { excluding }: ServiceEntry,
  { headers }: RequestHead,
): boolean {
  const { link } = entries;
  return (
    asks === 'link' &&
    !excluding.has(workspaceOf(entries)) &&
    headers.cookie?.includes(UNCOUNTED_COOKIE) !== true &&
    (link === null ||
      (link.geo === undefined &&
        link.rules === undefined &&
        link.passwordHash === undefined &&
        link.maxVisits === undefined &&
        link.before === undefined &&
        link.tracksConversion === undefined &&
        (query === '' || !leavesConflict(link, query))))
  );
}

/**
 * Gathers the facts that the link's entry needs.
 *
 * @throws Unavailable if a required store does not answer
 */
export async function gatherFacts(
  entries: Entries,
  visit: VisitRequest,
  { excluding }: ServiceEntry,
  { finder, passwords, places, nextVisitId }: VisitDependencies,
): Promise<VisitContext> {
  const { visitor, request } = visit;
  const facts = new RequestFacts(visit, Date.now());
  const context: VisitContext = {
    ...visit,
    entries,
    facts,
    visitId: nextVisitId(),
    dedupeSeconds: 0,
  };
  const { link } = entries;
  const projectId = workspaceOf(entries);
  if (excluding.has(projectId)) {
    const { excludedIps = [] } = (await knownWorkspace(projectId, finder)) ?? {};
    visitor.isExcluded = networksOf(excludedIps).has(visitor.ip);
  }
  if (isUncounted(request.headers.cookie, projectId)) visitor.isExcluded = true;
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
  if (facts.query !== '' && leavesConflict(link, facts.query)) {
    const { queryConflict } = (await knownWorkspace(projectId, finder)) ?? {};
    facts.queryConflict = queryConflict ?? 'visitor';
  }
  if (link.tracksConversion === undefined && link.maxVisits === undefined) return context;
  const workspace = await finder.workspace(projectId);
  context.dedupeSeconds = workspace?.dedupeSeconds ?? 0;
  const isStored = link.countsOnly !== true && workspace?.countsOnly !== true;
  if (link.tracksConversion === true && isStored && isCounted(context) && !visitor.wantsPrivacy) {
    facts.clickId = clickIdOf(context);
    if (workspace?.clickIdParameter !== undefined) {
      facts.clickIdParameter = workspace.clickIdParameter;
    }
  }
  return context;
}

/**
 * Finds a workspace. `undefined` if it was deleted, and while no store answers: the visitor is then
 * answered without its settings.
 */
export async function knownWorkspace(
  projectId: string,
  finder: Finder,
): Promise<WorkspaceEntry | undefined> {
  try {
    return (await finder.workspace(projectId)) ?? undefined;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return undefined;
  }
}

/** The set of a list of networks, which lives as long as the entry in memory. */
const networksOf = memoize(
  (networks: readonly string[]) => new AddressSet(networks),
  new WeakMap<readonly string[], AddressSet>(),
);

/** Reads the token in the address and the form that was sent with it. */
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
  // Tolerates a second, since clocks of browsers and servers differ.
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
