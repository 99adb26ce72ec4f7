import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { lastingKeyFor } from '../infra/keys.ts';

const LENGTH = 24;

const FORM = /^clk_[\w-]{24}$/;

/** True for a text in the form of a click id. Only stored visits tell which ids were handed out. */
export const canBeClickId = (text: string): boolean => FORM.test(text);

interface Keys {
  bytes: Buffer;
  ofClicks: KeyObject;
  /** In hexadecimal. */
  ofVisitors: string;
}

let lastKeys: Keys | undefined;

/** Returns the keys of the current bytes, which change when SECRET_KEY is replaced. */
function keysNow(): Keys {
  const bytes = lastingKeyFor('click-id');
  if (lastKeys?.bytes !== bytes) {
    lastKeys = {
      bytes,
      // With a key object, a hash takes a third less time.
      ofClicks: createSecretKey(bytes),
      ofVisitors: createHmac('sha256', bytes).update('visitors').digest('hex'),
    };
  }
  return lastKeys;
}

/** The parts of a click id: the visitor, the link and the time. */
export interface VisitorIdentity {
  /** Id of the link, or of the domain whose root was visited. */
  target: string;
  ip: string;
  userAgent: string;
  /** Time of the visit, in ms since 1970. */
  at: number;
  /** Unique id of the visit. */
  visitId: string;
}

/**
 * Returns the id of a click: a keyed hash of link, visitor and window, which needs no look-up and
 * is the same for all visits that count as one. Windows are aligned to the epoch.
 *
 * @param dedupeSeconds length of the window; with 0 every visit has its own id
 */
export function clickId(visitor: VisitorIdentity, dedupeSeconds: number): string {
  const { target, ip, userAgent, at, visitId } = visitor;
  const identity =
    dedupeSeconds === 0
      ? `visit\n${visitId}`
      : `${target}\n${Math.floor(at / 1000 / dedupeSeconds)}\n${ip}\n${userAgent}`;
  const digest = createHmac('sha256', keysNow().ofClicks).update(identity).digest('base64url');
  return `clk_${digest.slice(0, LENGTH)}`;
}

/** Hexadecimal digits of the id of a visitor: 96 bits, since ids are kept for two days only. */
const VISITOR_DIGITS = 24;
/** Makes the id as long as a UUID, which Postgres stores in 16 bytes. */
const PADDING = '0'.repeat(32 - VISITOR_DIGITS);

/** The parts of the id of a visitor on a day. */
export interface DailyIdentity {
  projectId: string;
  /** Id of the link, QR code or page, or the domain whose root was visited. */
  target: string;
  /** IP address without its last part. */
  network: string;
  userAgent: string;
  /** Time of the visit, in ms since 1970. */
  at: number;
}

const DAY_MS = 86_400_000;

/**
 * Returns the id of a visitor of a link, QR code, page or domain root on a day in UTC: a keyed hash
 * that is different on every day and for every target, so that it follows nobody.
 */
export function visitorId({ projectId, target, network, userAgent, at }: DailyIdentity): string {
  const day = Math.floor(at / DAY_MS);
  const identity = `${projectId}\n${target}\n${day}\n${network}\n${userAgent}`;
  // A plain hash takes a quarter of the time of an HMAC. The key comes first and has a fixed length,
  // and half of the hash is cut off, so that nobody can extend it.
  const digest = hash('sha256', keysNow().ofVisitors + identity, 'hex');
  return digest.slice(0, VISITOR_DIGITS) + PADDING;
}
