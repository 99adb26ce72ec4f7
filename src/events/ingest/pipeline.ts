import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { ipv4Number } from '../../infra/ip.ts';
import { isStorable } from '../../infra/storable-text.ts';
import { parseUrl } from '../../infra/url.ts';
import { clickId, visitorId } from '../../visitors/click-id.ts';
import { readDevice } from '../../visitors/device.ts';
import type { FindPlace } from '../../visitors/places.ts';
import { DIRECT } from '../../visitors/sources.ts';
import { isBot } from '../../visitors/traffic.ts';
import type { FormLead, Visit } from '../../visits/visit.ts';
import { COLUMNS } from '../columns.ts';
import { type EventRow, FORM_SUBMITTED, INITIAL_EVENT } from '../event.ts';
import { type StoredKind, suspectKind, visitKindOf } from '../kinds.ts';
import type { GuardedEvent } from '../store/store.ts';

/** Reason why a visit does not become an event. */
export type DropReason = 'unknown-workspace' | 'bot';

/** The settings of a visit's workspace. */
export interface VisitSettings {
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
  keepFullIp: boolean;
  /** False if visits are counted without being stored as events. */
  trackEvents: boolean;
}

/** Settings and look-ups that the steps need besides the visit. */
export interface PipelineDependencies {
  settings: ReadonlyMap<string, VisitSettings>;
  findPlace: FindPlace;
}

/** Checks that drop a visit, in the order in which they run. */
const DROPS: readonly [
  reason: DropReason,
  isDropped: (visit: Visit, dependencies: PipelineDependencies) => boolean,
][] = [
  ['unknown-workspace', ({ projectId }, { settings }) => !settings.has(projectId)],
  // The redirect process checks this too, but its list of bots may be older. Clients of apps count
  // here: an app itself reports the clicks that open it (`POST /track/click`). Form submissions are
  // kept even if they come from bots.
  ['bot', ({ userAgent, lead }) => !lead && isBot(userAgent)],
];

type Step = (visit: Visit, event: EventRow, dependencies: PipelineDependencies) => void;

/** Steps that build the event of a visit, in the order in which they run. */
const STEPS: readonly Step[] = [
  function setVisit(visit, event) {
    event.project_id = visit.projectId;
    event.event = kindOfVisit(visit);
    event.occurred_at = isoTime(visit.at);
    event.link_id = visit.linkId === '' ? null : visit.linkId;
    event.domain = visit.domain;
    event.key = visit.key;
    event.url = destinationOf(visit);
    event.via = visit.via;
    event.variant = visit.variant ?? null;
    event.suspect = visit.suspect ?? null;
    event.privacy = visit.wantsPrivacy === true ? 'wanted' : null;
  },
  function setPage({ view, lead }, event) {
    event.page_id = view?.pageId ?? (lead?.pageId || null);
    if (lead === undefined) return;
    event.event_name = FORM_SUBMITTED;
    event.metadata = storableAnswers(lead.answers);
  },
  function setVisitor({ ip, userAgent, hints, referer }, event, { findPlace }) {
    Object.assign(event, findPlace(ip), readDevice(userAgent, hints), readReferrer(referer));
  },
  function setId(visit, event, { settings }) {
    const { dedupeSeconds, keepFullIp } = settings.get(visit.projectId)!;
    const { ip, userAgent, at, view, lead } = visit;
    const target = visit.linkId === '' ? visit.domain : visit.linkId;
    const idOf = (whose: string) =>
      clickId({ target: whose, ip, userAgent, at, visitId: visit.id }, dedupeSeconds);
    if (lead !== undefined) event.id = lead.eventId;
    else if (view !== undefined) event.id = idOf(`${view.pageId} ${target}`);
    else event.id = visit.clickId ?? idOf(target);
    event.click_id = lead === undefined ? null : (visit.clickId ?? idOf(target));
    event.ip = keepFullIp ? ip : truncateIp(ip);
  },
  function limitTexts(_, event) {
    const values: Record<string, unknown> = event;
    for (const [column, { longest }] of LIMITED) {
      const text = values[column];
      if (typeof text === 'string') values[column] = storable(text, longest);
    }
  },
];

let lastTime: { at: number; iso: string } | undefined;

/** Formats a time in ms; at high load, several visits in a row have the same. */
function isoTime(at: number): string {
  if (lastTime?.at !== at) lastTime = { at, iso: new Date(at).toISOString() };
  return lastTime.iso;
}

const LIMITED = Object.entries(COLUMNS).flatMap(([column, properties]) =>
  'longest' in properties ? [[column, properties] as const] : [],
);
/** Maximum length of an answer in a form, in UTF-16 units; the rest is cut off. */
const MAX_ANSWER_LENGTH = 10_000;

/**
 * Removes the click id that the redirect added to the destination, which differs for every click.
 */
function destinationOf({ destination, clickId: id }: Visit): string {
  return id === undefined ? destination : withoutParts(destination, id);
}

/** Removes the parameters that contain a text from a URL, and leaves all other bytes unchanged. */
function withoutParts(url: string, text: string): string {
  const [address = '', ...fragment] = url.split(/(?=#)/);
  const mark = address.indexOf('?');
  if (mark < 0) return url;
  const shortened = address
    .slice(mark + 1)
    .split('&')
    .filter((part) => !part.includes(text));
  const query = shortened.length === 0 ? '' : `?${shortened.join('&')}`;
  return address.slice(0, mark) + query + fragment.join('');
}

function kindOfVisit({ linkId, view, lead, suspect }: Visit): StoredKind {
  if (lead !== undefined) return 'lead';
  const kind = view === undefined ? visitKindOf(linkId) : 'view';
  return suspect === undefined ? kind : suspectKind(kind);
}

/** A visit that passed all steps, and its event. */
export interface CountedVisit extends GuardedEvent {
  visit: Visit;
}

/** Outcome of running a batch of visits through the pipeline. */
export interface PipelineResult {
  counted: CountedVisit[];
  dropped: Map<DropReason, number>;
  /** Visits for which a step failed. The other visits of the batch are stored. */
  failed: { visit: Visit; error: unknown }[];
}

/** Time for which guards are kept, in ms: a spooled batch may be repeated this late. */
const GUARD_MS = 48 * 3_600_000;

/** Turns visits into events, or drops them for a reason. */
export function runPipeline(
  visits: readonly Visit[],
  dependencies: PipelineDependencies,
): PipelineResult {
  const result: PipelineResult = { counted: [], dropped: new Map(), failed: [] };
  for (const visit of visits) {
    try {
      const drop = DROPS.find(([, isDropped]) => isDropped(visit, dependencies));
      if (drop === undefined) result.counted.push(countVisit(visit, dependencies));
      else result.dropped.set(drop[0], (result.dropped.get(drop[0]) ?? 0) + 1);
    } catch (error) {
      result.failed.push({ visit, error });
    }
  }
  return result;
}

function countVisit(visit: Visit, dependencies: PipelineDependencies): CountedVisit {
  const settings = dependencies.settings.get(visit.projectId)!;
  const isCountedOnly =
    visit.lead === undefined && (visit.countsOnly === true || !settings.trackEvents);
  const row = { ...INITIAL_EVENT };
  for (const step of STEPS) step(visit, row, dependencies);
  // A form that is submitted twice creates two ids.
  const guardId = visit.lead === undefined ? row.id : `lead_${visit.lead.nonce}`;
  return {
    visit,
    row,
    guardId,
    visitorId: isCountedOnly ? undefined : visitorIdOf(visit),
    isCountedOnly,
    guardUntil: guardUntil(visit, dependencies),
  };
}

/**
 * Returns the id of the visitor of a click, scan or view, unless the visitor wants privacy. Suspects
 * are visitors of their own, so that the visitors among people are the same with and without them.
 */
function visitorIdOf(visit: Visit): string | undefined {
  const { projectId, linkId, domain, ip, userAgent, at, view, lead, wantsPrivacy } = visit;
  if (wantsPrivacy === true || lead !== undefined) return undefined;
  const visited = view?.pageId ?? (linkId === '' ? domain : linkId);
  const target = visit.suspect === undefined ? visited : `suspect ${visited}`;
  return visitorId({ projectId, target, network: truncateIp(ip), userAgent, at });
}

/**
 * Returns the expiry of a visit's guards: two windows, or longer if a late repeat is still possible.
 * The day of the visit ends earlier.
 */
function guardUntil({ at, projectId }: Visit, { settings }: PipelineDependencies): Date {
  const windowMs = (settings.get(projectId)?.dedupeSeconds ?? 0) * 1000;
  return new Date(Math.max(at + 2 * windowMs, Date.now() + GUARD_MS));
}

/** Shortens a text from outside and removes what Postgres cannot store. */
function storable(text: string, longest: number): string {
  if (text.length <= longest && isStorable(text)) return text;
  return text.slice(0, longest).replaceAll('\0', '').toWellFormed();
}

const storableAnswers = (answers: FormLead['answers']): FormLead['answers'] =>
  Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => [
      storable(name, MAX_ANSWER_LENGTH),
      typeof answer === 'string' ? storable(answer, MAX_ANSWER_LENGTH) : answer,
    ]),
  );

/**
 * Zeroes the last part of an IP address, so that it identifies nobody: /24 for IPv4, /48 for IPv6.
 * Returns an empty text for anything else.
 */
export function truncateIp(ip: string): string {
  const ipv4 = ipv4Number(ip);
  if (ipv4 !== undefined) return `${ipv4 >>> 24}.${(ipv4 >>> 16) & 255}.${(ipv4 >>> 8) & 255}.0`;
  if (!ipaddr.isValid(ip)) return '';
  const address = ipaddr.process(ip);
  const bytes = address.toByteArray();
  const keptParts = address.kind() === 'ipv4' ? 3 : 6;
  return ipaddr
    .fromByteArray(bytes.map((byte, index) => (index < keptParts ? byte : 0)))
    .toString();
}

type Referrer = Readonly<Pick<EventRow, 'referer' | 'referer_url'>>;

const NO_REFERRER: Referrer = { referer: DIRECT, referer_url: DIRECT };
const referrers = new LRUCache<string, Referrer>({ max: 5_000 });
/** Maximum length of a host name without its final dot (RFC 1035, 2.3.4). */
const MAX_HOST_LENGTH = 253;
/** Name of an Android package: parts of letters, digits and underscores (Android: application id). */
const PACKAGE = /^[a-z]\w*(?:\.[a-z]\w*)+$/i;

/**
 * Reads host and URL of the referrer; for an app of Android (`android-app://com.slack`), the name of
 * its package in small letters. Returns `(direct)` if there is none, and for anything else, whose
 * hosts could have any length and any characters.
 */
export function readReferrer(header: string): Referrer {
  if (header === '') return NO_REFERRER;
  const cached = referrers.get(header);
  if (cached !== undefined) return cached;
  const host = referrerHost(header);
  const referrer =
    host === undefined || host.length > MAX_HOST_LENGTH
      ? NO_REFERRER
      : { referer: host, referer_url: header };
  referrers.set(header, referrer);
  return referrer;
}

function referrerHost(header: string): string | undefined {
  const url = parseUrl(header);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.hostname;
  const isApp = url?.protocol === 'android-app:' && PACKAGE.test(url.hostname);
  return isApp ? url.hostname.toLowerCase() : undefined;
}
