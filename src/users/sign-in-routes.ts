import { Joi, requiredText } from '../http/fields.ts';
import { NO_CONTENT, noContent, ok, type Route, route } from '../http/route.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { hashToken } from '../infra/secrets.ts';
import { runJob } from '../jobs/run-job.ts';
import { clearedCookie } from './cookie.ts';
import { userJobs } from './jobs.ts';
import { providerName } from './oidc.ts';
import { identify, limitsOf } from './passwords.ts';
import { findLinkOwner } from './queries.ts';
import { meRecord } from './record.ts';
import { relyingParty } from './relying-party.ts';
import { type LinkBody, linkBody, type SignInBody, signInBody } from './schema.ts';
import { pendingRecord, secondStepNeeded } from './second-factor/first-step.ts';
import { endSessionOf, signedIn, startSession } from './sessions.ts';

const common = { extension: true, tag: 'Users', scope: 'public' } as const;

const methodsRecord = Joi.object({
  password: Joi.boolean().required().description('People can sign in with a password.'),
  passwordReset: Joi.boolean()
    .required()
    .description('People can reset a forgotten password by email, which the operator has set up.'),
  passkey: Joi.boolean()
    .required()
    .description(
      'People can sign in with a passkey: the URL of the service has https and a host name, or is on localhost.',
    ),
  oidc: Joi.object({
    name: requiredText.description('Name of the provider.').example('Acme accounts'),
  })
    .required()
    .allow(null)
    .description('People can sign in with this OpenID Connect provider, by `GET /auth/oidc`.'),
}).meta({ name: 'SignInMethods' });

const linkRecord = Joi.object({
  email: Joi.string()
    .required()
    .description('Email address of the person.')
    .example('ada@example.com'),
}).meta({ name: 'SignInLinkOwner' });

const FROM_CONSOLE =
  'Browsers can call it from the console only: it needs `Sec-Fetch-Site: same-origin`, or the ' +
  '`Origin` of the service.';

const SECOND_STEP =
  'Responds with 202 to a person with a second factor, who sends it to `POST ' +
  '/auth/second-factor`.';

export const signInRoutes: Route[] = [
  route({
    ...common,
    method: 'get',
    path: '/auth/methods',
    operationId: 'retrieveSignInMethods',
    summary: 'Retrieve the ways to sign in',
    description: 'Returns the ways to sign in.',
    answers: { 200: methodsRecord },
    handle() {
      const name = providerName();
      const oidc = name === undefined ? null : { name };
      const passkey = relyingParty() !== undefined;
      return Promise.resolve(ok({ password: true, passwordReset: isMailSetUp(), passkey, oidc }));
    },
  }),
  route<{ body: SignInBody }>({
    ...common,
    method: 'post',
    path: '/auth/sign-in',
    operationId: 'createSession',
    summary: 'Sign in',
    description:
      'Signs a person in with email address and password, and sets the session cookie. Ends a ' +
      `previous session of the browser. ${SECOND_STEP} ${FROM_CONSOLE}`,
    body: signInBody,
    answers: { 200: meRecord, 202: pendingRecord },
    async handle(request) {
      const { id: userId, passwordVersion } = await identify(request, request.body);
      const started = startSession(request.client, 'password');
      const { session } = started;
      const data = { userId, passwordVersion, session };
      const { needsSecondFactor } = await runJob(request, userJobs['session.create'], data);
      return needsSecondFactor
        ? secondStepNeeded({ userId, method: 'password', passwordVersion })
        : signedIn(userId, started);
    },
  }),
  route<{ body: LinkBody }>({
    ...common,
    method: 'post',
    path: '/auth/links/lookup',
    operationId: 'findSignInLink',
    summary: 'Find the person of a one-time link',
    description:
      'Returns the person whom the token of a one-time sign-in link would sign in, so that they ' +
      `can confirm. The link stays valid. ${FROM_CONSOLE}`,
    body: linkBody,
    answers: { 200: linkRecord },
    async handle(request) {
      await limitsOf(request).takeNetwork(request.client.network);
      return ok(await findLinkOwner(hashToken(request.body.token)));
    },
  }),
  route<{ body: LinkBody }>({
    ...common,
    method: 'post',
    path: '/auth/links',
    operationId: 'createSessionByLink',
    summary: 'Sign in with a one-time link',
    description:
      'Signs a person in with the token of a one-time sign-in link, and sets the session cookie. ' +
      `Links are valid once, within 24 hours. ${SECOND_STEP} ${FROM_CONSOLE}`,
    body: linkBody,
    answers: { 200: meRecord, 202: pendingRecord },
    async handle(request) {
      await limitsOf(request).takeNetwork(request.client.network);
      const started = startSession(request.client, 'link');
      const linkHash = hashToken(request.body.token);
      const data = { hash: linkHash, session: started.session };
      const { userId, needsSecondFactor } = await runJob(
        request,
        userJobs['session.createByLink'],
        data,
      );
      return needsSecondFactor
        ? secondStepNeeded({ userId, method: 'link', linkHash })
        : signedIn(userId, started);
    },
  }),
  route({
    ...common,
    method: 'post',
    path: '/auth/sign-out',
    operationId: 'deleteSession',
    summary: 'Sign out',
    description: `Ends the session of the browser and removes its cookie. ${FROM_CONSOLE}`,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      await endSessionOf(request);
      return { ...noContent, headers: { 'Set-Cookie': clearedCookie() } };
    },
  }),
];
