import { config } from '../config.ts';
import { isEqual, signLasting } from '../infra/secrets.ts';
import { isAlertKind } from './alert-kinds.ts';
import type { Subscription } from './jobs.ts';

/** Builds the signed URL at which a reader unsubscribes without signing in. */
export function unsubscribeUrl({ userId, projectId, kind }: Subscription): string {
  const what = Buffer.from(`${userId} ${projectId} ${kind}`).toString('base64url');
  return `${config().BASE_URL}/unsubscribe/${what}.${signLasting('unsubscribe', what)}`;
}

/** Reads the subscription in the token of such a URL; `undefined` if the signature is invalid. */
export function readUnsubscribeToken(token: string): Subscription | undefined {
  const [what = '', signature = ''] = token.split('.');
  if (!isEqual(signature, signLasting('unsubscribe', what))) return undefined;
  const [userId = '', projectId = '', kind = ''] = Buffer.from(what, 'base64url')
    .toString()
    .split(' ');
  return kind === 'report' || isAlertKind(kind) ? { userId, projectId, kind } : undefined;
}
