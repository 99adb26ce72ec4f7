import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FindPlace } from '../infra/places.ts';
import type { Finder, Found } from '../lookup/find.ts';
import type { FormLead } from '../queues/clicks.ts';
import { type Address, keyPath } from './address.ts';
import type { RequestFacts } from './facts.ts';
import type { Showing } from './html/before.ts';
import type { Locks } from './locks.ts';
import type { Pass } from './passes.ts';
import type { Quota } from './quota.ts';
import type { VisitLog } from './visit-log.ts';
import type { Visitor } from './visitor.ts';

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
export interface Visiting extends Request {
  found: Found;
  facts: RequestFacts;
  /** Of the visit, if it becomes one. */
  visitId: string;
  /** What the address that leads on past a page says. */
  pass?: Pass;
  lead?: FormLead;
  faults?: Showing['sent'];
}

/** Whether a visit counts, if it is one. */
export const counts = ({ visitor, request }: Visiting): boolean =>
  !visitor.isAutomatic && request.method !== 'HEAD';

/** Where the visitor is now, as a path. */
export function ownPath({ address }: Visiting): string {
  const { key, query, asks } = address;
  return keyPath(asks === 'preview' ? `${key!}+` : key!, query);
}

/** The short link that is visited. */
export const shortLink = ({ visitor, address }: Visiting): string =>
  `https://${visitor.host}${keyPath(address.key ?? '')}`;
