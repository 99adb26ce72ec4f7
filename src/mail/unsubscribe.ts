import { config } from '../config.ts';
import { isEqual, signLasting } from '../infra/secrets.ts';
import { isAlertKind } from './alert-kinds.ts';
import type { Subscription } from './jobs.ts';

/** The address at which a reader stops mails without signing in. Nobody else can make one. */
export function unsubscribeUrl({ userId, projectId, kind }: Subscription): string {
  const what = Buffer.from(`${userId} ${projectId} ${kind}`).toString('base64url');
  return `${config().BASE_URL}/unsubscribe/${what}.${signLasting('unsubscribe', what)}`;
}

/** The subscription of the last part of such an address; `undefined` where we have not made it. */
export function readUnsubscribeToken(token: string): Subscription | undefined {
  const [what = '', signature = ''] = token.split('.');
  if (!isEqual(signature, signLasting('unsubscribe', what))) return undefined;
  const [userId = '', projectId = '', kind = ''] = Buffer.from(what, 'base64url')
    .toString()
    .split(' ');
  return kind === 'report' || isAlertKind(kind) ? { userId, projectId, kind } : undefined;
}
