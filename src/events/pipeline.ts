import { isbot } from 'isbot';
import { clickId } from '../click-id.ts';
import { kindOfId } from '../ids.ts';
import { readDevice } from '../infra/device.ts';
import type { FindPlace } from '../infra/places.ts';
import type { Visit } from '../queues/clicks.ts';
import { type EventRow, FORM_SUBMITTED } from './event.ts';
import { truncateIp } from './steps/ip.ts';
import { readReferrer } from './steps/referrer.ts';

/** Why a visit does not become an event. */
export type DropReason = 'unknown-workspace' | 'bot';

/** What the workspace of a visit asks for. */
export interface VisitSettings {
  /** Length of the window in which a visitor counts once, in seconds. */
  dedupeSeconds: number;
  keepFullIp: boolean;
}

/** What the steps need besides the visit. */
export interface PipelineMeans {
  settings: ReadonlyMap<string, VisitSettings>;
  findPlace: FindPlace;
}

/** An event as it takes shape. */
type Draft = Partial<EventRow>;

type Step = (visit: Visit, draft: Draft, means: PipelineMeans) => DropReason | undefined;

/** Longest texts that are kept of what a visitor sends. */
const MAX_URL = 2_000;
const MAX_KEY = 1_000;

/** The steps, in order. Each adds to the event or drops the visit; a new one is a new line. */
const STEPS: readonly [name: string, step: Step][] = [
  [
    'workspace',
    ({ projectId }, draft, { settings }) => {
      if (!settings.has(projectId)) return 'unknown-workspace';
      draft.project_id = projectId;
      return undefined;
    },
  ],
  // The redirect process has looked too; its list may be older than ours.
  // Nobody fills in a form by mistake: its answers are kept whoever sends them.
  ['bot', ({ userAgent, lead }) => (!lead && isbot(userAgent) ? 'bot' : undefined)],
  [
    'visit',
    (visit, draft) => {
      draft.event = eventOf(visit);
      draft.occurred_at = new Date(visit.at).toISOString();
      draft.link_id = visit.linkId === '' ? null : visit.linkId;
      draft.domain = visit.domain;
      draft.key = storable(visit.key, MAX_KEY);
      draft.url = storable(visit.destination, MAX_URL);
      draft.via = visit.via;
      return undefined;
    },
  ],
  [
    'page',
    ({ view, lead }, draft) => {
      draft.page_id = view?.pageId ?? (lead?.pageId || null);
      draft.event_name = lead === undefined ? null : FORM_SUBMITTED;
      draft.metadata = lead?.answers ?? null;
      draft.customer_id = null;
      draft.amount_cents = null;
      draft.sale = null;
      return undefined;
    },
  ],
  ['place', ({ ip }, draft, { findPlace }) => void Object.assign(draft, findPlace(ip))],
  ['device', ({ userAgent }, draft) => void Object.assign(draft, readDevice(userAgent))],
  [
    'referrer',
    ({ referer }, draft) => void Object.assign(draft, readReferrer(storable(referer, MAX_URL))),
  ],
  [
    'visitor',
    (visit, draft, { settings }) => {
      const { dedupeSeconds, keepFullIp } = settings.get(visit.projectId)!;
      const { ip, userAgent, at } = visit;
      const target = visit.linkId === '' ? visit.domain : visit.linkId;
      const idOf = (whose: string) =>
        clickId({ target: whose, ip, userAgent, at, visitId: visit.id }, dedupeSeconds);
      const { view, lead } = visit;
      if (lead !== undefined) draft.id = lead.eventId;
      else if (view !== undefined) draft.id = idOf(`${view.pageId} ${target}`);
      else draft.id = visit.clickId ?? idOf(target);
      draft.click_id = lead === undefined ? null : (visit.clickId ?? idOf(target));
      draft.ip = keepFullIp ? ip : truncateIp(ip);
      return undefined;
    },
  ],
];

function eventOf({ linkId, view, lead }: Visit): EventRow['event'] {
  if (lead !== undefined) return 'lead';
  if (view !== undefined) return 'view';
  return kindOfId(linkId) === 'qrcode' ? 'scan' : 'click';
}

/** A visit that went through all steps, and until when a repeat of it must be known. */
export interface CountedVisit {
  row: EventRow;
  /** The same for everything that counts as one. */
  guardId: string;
  guardUntil: Date;
}

/** What became of a batch of visits. */
export interface PipelineResult {
  counted: CountedVisit[];
  dropped: Map<DropReason, number>;
}

/** Repeats of a spooled batch may come this late. */
const GUARD_MS = 48 * 3_600_000;

/** Turns visits into events, or drops them for a reason. */
export function runPipeline(visits: readonly Visit[], means: PipelineMeans): PipelineResult {
  const result: PipelineResult = { counted: [], dropped: new Map() };
  for (const visit of visits) {
    const draft: Draft = {};
    const reason = firstReason(visit, draft, means);
    if (reason === undefined) {
      const row = draft as EventRow;
      // A form that is sent twice has two ids.
      const guardId = visit.lead === undefined ? row.id : `lead_${visit.lead.nonce}`;
      result.counted.push({ row, guardId, guardUntil: guardUntil(visit, means) });
    } else {
      result.dropped.set(reason, (result.dropped.get(reason) ?? 0) + 1);
    }
  }
  return result;
}

function firstReason(visit: Visit, draft: Draft, means: PipelineMeans): DropReason | undefined {
  for (const [, step] of STEPS) {
    const reason = step(visit, draft, means);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Two windows, or longer where a late repeat could still come. */
function guardUntil({ at, projectId }: Visit, { settings }: PipelineMeans): Date {
  const windowMs = (settings.get(projectId)?.dedupeSeconds ?? 0) * 1000;
  return new Date(Math.max(at + 2 * windowMs, Date.now() + GUARD_MS));
}

/** What Postgres can store of a text from outside. */
function storable(text: string, max: number): string {
  return text.slice(0, max).replaceAll('\0', '').toWellFormed();
}
