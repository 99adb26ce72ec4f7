import { LRUCache } from 'lru-cache';
import { Refusal } from '../errors.ts';
import { type Answer, type ApiRequest, type Client, ok } from '../http/route.ts';
import { newId } from '../ids.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { runJob } from '../jobs/run-job.ts';
import type { Producer } from '../queues/producer.ts';
import { type Caller, limitedBy } from '../workspaces/api-keys.ts';
import { SCOPES_OF } from '../workspaces/roles.ts';
import { sessionCookie, sessionTokenIn } from './cookie.ts';
import type { NewSession, SignInMethod } from './jobs.ts';
import { userJobs } from './jobs.ts';
import { type FoundSession, findSession, readMe } from './queries.ts';

/*
 * A session begins in three steps, so that no job ever holds a token:
 *
 *   startSession (API) makes token and row ─▶ addSession (worker) stores the row
 *     ─▶ signedIn (API) sends the cookie
 */

const MAX_USER_AGENT_LENGTH = 300;

/** A new session, with the cookie for its browser once a worker has stored it. */
export interface StartedSession {
  session: NewSession;
  cookie: string;
}

/**
 * Creates a token for every sign-in: a token that the browser sent is never adopted, and its
 * session ends.
 *
 * @param client the browser that signs in
 */
export function startSession(client: Client, method: SignInMethod): StartedSession {
  const token = newToken();
  const earlier = sessionTokenIn(client.cookies);
  const session = {
    id: newId('session'),
    hash: hashToken(token),
    method,
    userAgent: client.userAgent.slice(0, MAX_USER_AGENT_LENGTH),
    network: client.network,
    replaces: earlier === undefined ? undefined : hashToken(earlier),
  };
  return { session, cookie: sessionCookie(token) };
}

/** The answer to a sign-in: 200 with the person, and the cookie. */
export async function signedIn(userId: string, started: StartedSession): Promise<Answer> {
  const me = await readMe(userId, started.session.id);
  return { ...ok(me), headers: { 'Set-Cookie': started.cookie } };
}

/**
 * Reads the signed-in person of a request to a public endpoint, if there is one.
 *
 * @public
 */
export async function personOf(
  client: Client,
): Promise<{ userId: string; sessionId: string } | undefined> {
  const token = sessionTokenIn(client.cookies);
  const session = token === undefined ? undefined : await findSession(hashToken(token), null);
  if (session === undefined || !isValid(session)) return undefined;
  return { userId: session.userId, sessionId: session.id };
}

/** A signed-in person as the caller of an endpoint. */
export interface SessionCaller extends Caller {
  sessionId: string;
  lastUsedAt: Date;
}

/**
 * Finds the caller of a session.
 *
 * @param hash hash of its token
 * @param workspace slug of the workspace that the request names; `null` if it needs none
 * @returns the caller, or the reason why the session is invalid
 * @throws Refusal `forbidden` if the person does not belong to the workspace, or lacks the second
 *   factor that it requires
 */
export async function findSessionCaller(
  hash: string,
  workspace: string | null,
  network: string,
): Promise<SessionCaller | { why: string }> {
  const session = await findSession(hash, workspace);
  if (session === undefined || !isValid(session)) {
    return { why: 'The session has ended: sign in again' };
  }
  const { id: sessionId, userId, isOperator, lastUsedAt } = session;
  const hasSecondFactor = session.secondFactor !== null;
  const person = {
    userId,
    sessionId,
    isOperator,
    hasSecondFactor,
    apiKeyId: '',
    origins: null,
    lastUsedAt,
  };
  if (workspace === null) {
    const nowhere = { projectId: '', workspaceSlug: '', plan: 'free', scopes: [] } as const;
    return { ...person, ...nowhere, requestsPerMinute: null, network };
  }
  if (session.workspace === null) {
    throw new Refusal(
      'forbidden',
      'X-Workspace must be the slug of a workspace that you belong to',
    );
  }
  const { projectId, slug, plan, requestsPerMinute, role, limits } = session.workspace;
  if (session.workspace.requiresSecondFactor) refuseWithoutFactor(person, slug);
  const scopes = SCOPES_OF[role];
  const place = { projectId, workspaceSlug: slug, plan, requestsPerMinute };
  return limitedBy({ ...person, ...place, role, scopes }, limits);
}

/**
 * Refuses a session without a second factor in a workspace that requires one.
 *
 * @throws Refusal `forbidden`
 */
export function refuseWithoutFactor(
  { hasSecondFactor }: { hasSecondFactor?: boolean | undefined },
  slug: string,
): void {
  if (hasSecondFactor === true) return;
  throw new Refusal(
    'forbidden',
    `The workspace "${slug}" requires a second factor: set one up in the console, at /console/sign-in/second-factor`,
  );
}

const isValid = ({ endedAt, expiresAt, isDisabled }: FoundSession): boolean =>
  endedAt === null && expiresAt.getTime() > Date.now() && !isDisabled;

const NOTED_EVERY_MS = 60_000;
const noted = new LRUCache<string, true>({ max: 10_000, ttl: NOTED_EVERY_MS });

/**
 * Records the use of a session, at most once per minute and process. Not awaited; errors are
 * ignored.
 */
export function recordSessionUse(
  producer: Producer,
  { sessionId, userId, lastUsedAt }: SessionCaller,
): void {
  if (Date.now() - lastUsedAt.getTime() < NOTED_EVERY_MS || noted.has(sessionId)) return;
  noted.set(sessionId, true);
  const data = { id: sessionId, at: new Date().toISOString() };
  const origin = { jobId: newId('job'), projectId: '', tenant: userId };
  producer.add(userJobs['session.used'], data, origin).catch(() => {});
}

/** Ends the session of a browser's cookie, if it has one. */
export async function endSessionOf(request: ApiRequest): Promise<void> {
  const token = sessionTokenIn(request.client.cookies);
  if (token === undefined) return;
  await runJob(request, userJobs['session.end'], { hash: hashToken(token) });
}
