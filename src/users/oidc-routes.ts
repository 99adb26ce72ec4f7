import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { Joi, text } from '../http/fields.ts';
import { type Answer, type ApiRequest, NO_CONTENT, type Route, route } from '../http/route.ts';
import { runJob } from '../jobs/run-job.ts';
import { consoleUrl } from './accounts.ts';
import { cookieIn, setCookie } from './cookie.ts';
import { identityJobs } from './jobs.ts';
import { ATTEMPT_SECONDS, beginAttempt, finishAttempt, providerName } from './oidc.ts';
import { limitsOf } from './passwords.ts';
import { keepFirstStep } from './second-factor/first-step.ts';
import { startSession } from './sessions.ts';

const common = { extension: true, tag: 'Users', scope: 'public' } as const;
const COOKIE = 'oidc';

/** Reason for a failed sign-in, as `error` in the URL of the sign-in page. */
type Failure = 'unknown_user' | 'disabled' | 'expired' | 'denied' | 'too_many' | 'failed';

/** Redirects the browser, and deletes the cookie of the attempt. */
const goTo = (url: string, cookies: string[] = [setCookie(COOKIE, '', 0)]): Answer => ({
  status: 302,
  body: undefined,
  headers: { Location: url, 'Set-Cookie': cookies },
});

const failed = (failure: Failure): Answer => goTo(`${consoleUrl()}/sign-in?error=${failure}`);

/** Parameters of the callback (RFC 6749, 4.1.2; RFC 9207). Providers add others. */
interface CallbackQuery {
  code?: string;
  state?: string;
  iss?: string;
  error?: string;
  error_description?: string;
}

const parameter = (description: string) => text(4_096).description(description);

const callbackQuery = Joi.object<CallbackQuery>({
  code: parameter('Code to exchange for tokens.'),
  state: parameter('State of the attempt.'),
  iss: parameter('Issuer of the response.'),
  error: parameter('Reason why the provider refused.'),
  error_description: parameter('The reason in words.'),
}).unknown();

export const oidcRoutes: Route[] = [
  route({
    ...common,
    method: 'get',
    path: '/auth/oidc',
    operationId: 'startSingleSignOn',
    summary: 'Sign in with OpenID Connect',
    description:
      'Redirects the browser to the OpenID Connect provider of this installation, which sends it back to ' +
      '`/auth/oidc/callback`. Responds with 404 if there is none.',
    answers: { 302: NO_CONTENT },
    async handle(request) {
      if (providerName() === undefined) {
        throw new Refusal('not_found', 'This installation has no OpenID Connect provider');
      }
      try {
        const { url, cookie } = await beginAttempt();
        return goTo(url, [setCookie(COOKIE, cookie, ATTEMPT_SECONDS)]);
      } catch (error) {
        return failedBy(request, error);
      }
    },
  }),
  route<{ query: CallbackQuery }>({
    ...common,
    method: 'get',
    path: '/auth/oidc/callback',
    operationId: 'createSessionByOidc',
    summary: 'Return from OpenID Connect',
    description:
      'Signs in a person who returns from the OpenID Connect provider, sets the session cookie ' +
      'and redirects to the console, or to its page for the second factor. On failure, redirects to the sign-in page with the reason ' +
      'as `error`.',
    query: callbackQuery,
    answers: { 302: NO_CONTENT },
    async handle(request) {
      if (providerName() === undefined) {
        throw new Refusal('not_found', 'This installation has no OpenID Connect provider');
      }
      try {
        await limitsOf(request).takeNetwork(request.client.network);
        return await finish(request);
      } catch (error) {
        return failedBy(request, error);
      }
    },
  }),
];

async function finish(request: ApiRequest<{ query: CallbackQuery }>): Promise<Answer> {
  const { query, client, log } = request;
  const answer = new URLSearchParams({ ...query });
  if (answer.has('error')) return failed('denied');
  const identity = await finishAttempt(answer, cookieIn(client.cookies, COOKIE));
  if (identity === undefined) return failed('expired');
  if (config().OIDC_ROLE_MAP.length > 0 && identity.grants === undefined) {
    log.warn('the provider sends too many groups elsewhere: memberships stay as they are');
  }
  const started = startSession(client, 'oidc');
  const secondFactor = identity.hasSecondFactor === true ? ('provider' as const) : undefined;
  const session = { ...started.session, secondFactor };
  const { userId, needsSecondFactor } = await runJob(
    request,
    identityJobs['session.createByIdentity'],
    { identity, session, at: new Date().toISOString() },
  );
  const cleared = setCookie(COOKIE, '', 0);
  if (!needsSecondFactor) return goTo(consoleUrl(), [cleared, started.cookie]);
  const { cookie } = keepFirstStep({ userId, method: 'oidc' });
  return goTo(`${consoleUrl()}/sign-in/code`, [cleared, cookie]);
}

/**
 * Reason for a failure: a refusal, or a fault of the provider, which is logged without what was
 * sent.
 */
function failedBy({ log }: ApiRequest, error: unknown): Answer {
  if (error instanceof Refusal) {
    if (error.code === 'not_found') return failed('unknown_user');
    if (error.code === 'unauthorized') return failed('disabled');
    if (error.code === 'rate_limit_exceeded') return failed('too_many');
  }
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  log.warn({ reason: { name, message, code } }, 'signing in with OpenID Connect failed');
  return failed('failed');
}
