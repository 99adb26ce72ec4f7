import { randomInt } from 'node:crypto';
import { hashSync } from '@node-rs/argon2';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { addSession } from '../../src/users/commands.ts';
import type { SignInMethod } from '../../src/users/jobs.ts';
import type { Role } from '../../src/workspaces/roles.ts';
import { ApiClient } from './client.ts';
import { eventually } from './eventually.ts';
import { stack } from './stack.ts';

/** A signed-in person of one test. */
export interface Person {
  userId: string;
  email: string;
  sessionId: string;
  token: string;
  /** Client that sends the session's cookie like the console, and names the person's workspace. */
  api: ApiClient;
}

export interface NewPerson {
  /** Workspace and role of the person. */
  in?: { projectId: string; slug: string; role: Role };
  password?: string;
  isOperator?: boolean;
  method?: SignInMethod;
  /** True if the address is proven, as by `user create`. Default: true. */
  isVerified?: boolean;
}

/** Creates a person with a session. */
export async function aPerson({
  in: workspace,
  password,
  isOperator = false,
  method = 'password',
  isVerified = true,
}: NewPerson = {}): Promise<Person> {
  const userId = newId('user');
  const email = `${userId}@people.test`;
  await db()('users').insert({
    id: userId,
    email,
    name: 'A Person',
    is_operator: isOperator,
    email_verified_at: isVerified ? new Date() : null,
    ...(password === undefined ? {} : { password_hash: hashSync(password) }),
  });
  if (workspace !== undefined) {
    const { projectId: project_id, role } = workspace;
    await db()('workspace_users').insert({ project_id, user_id: userId, role });
  }
  return { userId, email, ...(await aSession(userId, { slug: workspace?.slug, method })) };
}

/** Creates another session of a person. */
export async function aSession(
  userId: string,
  { slug, method = 'password' }: { slug?: string | undefined; method?: SignInMethod } = {},
): Promise<Pick<Person, 'sessionId' | 'token' | 'api'>> {
  const [token, sessionId] = [newToken(), newId('session')];
  const session = { id: sessionId, hash: hashToken(token), method, userAgent: 'test', network: '' };
  await addSession(db(), userId, session);
  return { sessionId, token, api: signedInClient(token, slug) };
}

/** Creates a client that sends the token of a session. */
export function signedInClient(token: string, slug?: string): ApiClient {
  return new ApiClient(undefined, {
    cookie: `session=${token}`,
    'sec-fetch-site': 'same-origin',
    ...(slug === undefined ? {} : { 'x-workspace': slug }),
  });
}

/** Creates a browser with a unique address, which is not signed in. */
export function aBrowser(headers: Record<string, string> = {}): ApiClient {
  const address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  return new ApiClient(undefined, {
    'x-forwarded-for': address,
    'sec-fetch-site': 'same-origin',
    ...headers,
  });
}

/** Returns the token in the cookie of an answer; `undefined` if it sets none. */
export function tokenSet({ headers }: { headers: Headers }): string | undefined {
  return /^session=([\w-]{43});/.exec(headers.get('set-cookie') ?? '')?.[1];
}

/**
 * Resolves with the invitation URLs that an email address received, once each mail has arrived, the
 * newest last.
 */
export async function mailedInvitations(email: string, count = 1): Promise<string[]> {
  return eventually(() => {
    const addresses = stack()
      .mail.received.filter(({ to }) => to.toLowerCase() === email.toLowerCase())
      .flatMap(({ body }) => /http\S+\/console\/invitation#[\w-]{43}/.exec(body) ?? []);
    if (addresses.length < count) throw new Error(`${addresses.length} invitations to ${email}`);
    return addresses;
  });
}

/** Returns the token of a one-time sign-in link. */
export const tokenOf = (address: string): string => address.split('#')[1]!;
