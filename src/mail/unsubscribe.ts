import { config } from '../config.ts';
import { isEqual, signLasting } from '../infra/secrets.ts';
import { isAlertKind } from './alert-kinds.ts';
import type { Subscription } from './jobs.ts';

/** Mails that a URL ends: those of a member, or a shared report by email. */
interface Ended {
  /** Id of the person, or of the recipient of the report. */
  subscriberId: string;
  projectId: string;
  kind: Subscription['kind'] | 'sharedReport';
}

/** Builds the signed URL at which a reader unsubscribes without signing in. */
export function unsubscribeUrl({ subscriberId, projectId, kind }: Ended): string {
  const what = Buffer.from(`${subscriberId} ${projectId} ${kind}`).toString('base64url');
  return `${config().BASE_URL}/unsubscribe/${what}.${signLasting('unsubscribe', what)}`;
}

/** Reads what the token of such a URL ends; `undefined` if the signature is invalid. */
export function readUnsubscribeToken(token: string): Ended | undefined {
  const [what = '', signature = ''] = token.split('.');
  if (!isEqual(signature, signLasting('unsubscribe', what))) return undefined;
  const [subscriberId = '', projectId = '', kind = ''] = Buffer.from(what, 'base64url')
    .toString()
    .split(' ');
  const isKnown = kind === 'report' || kind === 'sharedReport' || isAlertKind(kind);
  return isKnown ? { subscriberId, projectId, kind } : undefined;
}
