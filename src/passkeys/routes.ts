import { Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import {
  type ApiRequest,
  created,
  NO_CONTENT,
  noContent,
  ok,
  type Route,
  route,
} from '../http/route.ts';
import { newId } from '../ids.ts';
import { hashToken, newToken } from '../infra/secrets.ts';
import { runJob } from '../jobs/run-job.ts';
import { limitsOf } from '../users/passwords.ts';
import { readCredentials } from '../users/queries.ts';
import { meRecord } from '../users/record.ts';
import { requireRelyingParty } from '../users/relying-party.ts';
import { clearedFirstStep } from '../users/second-factor/first-step.ts';
import { signedIn, startSession } from '../users/sessions.ts';
import { clearedAttempt, keepAttempt, keepSetup, readAttempt, readSetup } from './challenges.ts';
import { confirmIdentity } from './confirm.ts';
import { passkeyJobs } from './jobs.ts';
import { findCredential, listCredentials, listPasskeys, requirePasskey } from './queries.ts';
import { passkeyRecord } from './record.ts';
import {
  attemptRecord,
  type Confirmation,
  changesBody,
  type NewPasskeyBody,
  newPasskeyBody,
  type PasskeySignInBody,
  passkeyParams,
  removalBody,
  setupBody,
  setupRecord,
  signInBody,
} from './schema.ts';
import { creationOptions, requestOptions, verifyCreation, verifySignature } from './verify.ts';
import { wrongPasskey } from './wrong-passkey.ts';

const common = { extension: true, tag: 'Users', scope: 'user' } as const;

const FROM_CONSOLE =
  'Browsers can call it from the console only: it needs `Sec-Fetch-Site: same-origin`, or the ' +
  '`Origin` of the service.';

const CONFIRMED =
  'Needs the password of a person who has one, and a code of one who has an authenticator app; of ' +
  'a person with neither, a sign-in within the last hour. Responds with 403 to a person with a ' +
  'passkey and without an app who has signed in without a second factor.';

/** Endpoints of passkeys. */
export const passkeyRoutes: Route[] = [
  route({
    ...common,
    scope: 'public',
    method: 'post',
    path: '/auth/passkeys/start',
    operationId: 'startPasskeySignIn',
    summary: 'Begin to sign in with a passkey',
    description:
      'Returns the options with which the browser asks for a passkey, and sets a cookie. Nothing ' +
      'tells which passkeys exist. Responds with 404 where `passkey` of `GET /auth/methods` is ' +
      `false. ${FROM_CONSOLE}`,
    answers: { 200: attemptRecord },
    async handle({ client }) {
      const party = requireRelyingParty();
      const { challenge, attempt, cookie } = keepAttempt(client);
      const options = await requestOptions(party, challenge);
      return { ...ok({ options, attempt }), headers: { 'Set-Cookie': cookie } };
    },
  }),
  route<{ body: PasskeySignInBody }>({
    ...common,
    scope: 'public',
    method: 'post',
    path: '/auth/passkeys',
    operationId: 'createSessionByPasskey',
    summary: 'Sign in with a passkey',
    description:
      'Signs in the person of a passkey, which stands for both factors, and sets the session ' +
      'cookie. Ends a previous session of the browser. An attempt is valid once, within ten ' +
      'minutes and in the browser that began it. An unknown passkey gets the response of a wrong ' +
      `signature. ${FROM_CONSOLE}`,
    body: signInBody,
    answers: { 200: meRecord },
    async handle(request) {
      const { client, body, log } = request;
      const party = requireRelyingParty();
      await limitsOf(request).takeNetwork(client.network);
      const challenge = readAttempt(client, body.attempt);
      if (challenge === undefined) {
        throw new Refusal('unauthorized', 'The sign-in took too long: begin again');
      }
      const passkey = await findCredential(body.credential.id);
      const use = await verifySignature(passkey, body.credential, { party, challenge, log });
      if (passkey === undefined || use === undefined) throw wrongPasskey();
      const { id: passkeyId, userId } = passkey;
      const started = startSession(client, 'passkey');
      await runJob(request, passkeyJobs['session.createByPasskey'], {
        ...use,
        userId,
        passkeyId,
        challenge: hashToken(challenge),
        session: started.session,
      });
      const answer = await signedIn(userId, started);
      const cookies = [started.cookie, clearedAttempt(), clearedFirstStep()];
      return { ...answer, headers: { 'Set-Cookie': cookies } };
    },
  }),
  route({
    ...common,
    method: 'get',
    path: '/me/passkeys',
    operationId: 'listPasskeys',
    summary: 'List passkeys',
    description: 'Returns the passkeys of the signed-in person, the oldest first, at most 20.',
    answers: { 200: Joi.array().items(passkeyRecord) },
    handle: async ({ caller }) => ok(await listPasskeys(caller.userId)),
  }),
  route<{ body: Confirmation }>({
    ...common,
    method: 'post',
    path: '/me/passkeys/setup',
    operationId: 'startPasskey',
    summary: 'Begin to add a passkey',
    description:
      'Returns the options with which the browser makes a passkey. Nothing changes until `POST ' +
      `/me/passkeys\` adds it. ${CONFIRMED} Responds with 404 where \`passkey\` of \`GET ` +
      '/auth/methods` is false.',
    body: setupBody,
    answers: { 200: setupRecord },
    async handle(request) {
      const party = requireRelyingParty();
      const { userId, sessionId, passwordVersion, proof } = await confirmIdentity(request);
      const [owner, existing] = await Promise.all([
        readCredentials(userId),
        listCredentials(userId),
      ]);
      const challenge = newToken();
      const options = await creationOptions(party, owner, { challenge, existing });
      const setup = keepSetup(sessionId, { challenge, passwordVersion, proof });
      return ok({ options, setup });
    },
  }),
  route<{ body: NewPasskeyBody }>({
    ...common,
    method: 'post',
    path: '/me/passkeys',
    operationId: 'createPasskey',
    summary: 'Add a passkey',
    description:
      'Adds the passkey of a setup to the signed-in person, whose session then has a second ' +
      'factor. The person gets an email, if the installation sends any. A person has at most 20 ' +
      'passkeys.',
    body: newPasskeyBody,
    answers: { 201: passkeyRecord },
    async handle(request) {
      const { body, caller, log } = request;
      const party = requireRelyingParty();
      const sessionId = caller.sessionId!;
      const setup = readSetup(sessionId, body.setup);
      if (setup === undefined) {
        throw new Refusal(
          'unprocessable_entity',
          'setup must be at most ten minutes old, and of this session: begin again',
        );
      }
      const { challenge, passwordVersion, proof } = setup;
      const passkey = await verifyCreation(body.credential, { party, challenge, log });
      const record = await runJob(request, passkeyJobs['passkey.create'], {
        ...passkey,
        id: newId('passkey'),
        name: body.name,
        challenge: hashToken(challenge),
        userId: caller.userId,
        sessionId,
        passwordVersion,
        proof,
        at: new Date().toISOString(),
      });
      return created('/me/passkeys', record);
    },
  }),
  route<{ params: { id: string }; body: { name: string } }>({
    ...common,
    method: 'patch',
    path: '/me/passkeys/{id}',
    operationId: 'updatePasskey',
    summary: 'Rename a passkey',
    description: 'Changes the name of a passkey of the signed-in person.',
    params: passkeyParams,
    body: changesBody,
    answers: { 200: passkeyRecord },
    async handle(request) {
      const { params, body, caller } = request;
      await requirePasskey(caller.userId, params.id);
      const data = { userId: caller.userId, id: params.id, name: body.name };
      return ok(await runJob(request, passkeyJobs['passkey.update'], data));
    },
  }),
  route<{ params: { id: string }; body: Confirmation }>({
    ...common,
    method: 'post',
    path: '/me/passkeys/{id}/remove',
    operationId: 'deletePasskey',
    summary: 'Remove a passkey',
    description:
      'Removes a passkey of the signed-in person, and ends their other sessions that began with ' +
      `it. ${CONFIRMED} Responds with 409 if it is their only way to sign in.`,
    params: passkeyParams,
    body: removalBody,
    answers: { 204: NO_CONTENT },
    async handle(request: ApiRequest<{ params: { id: string }; body: Confirmation }>) {
      const { id } = request.params;
      await requirePasskey(request.caller.userId, id);
      const change = await confirmIdentity(request);
      const data = { ...change, id, at: new Date().toISOString() };
      await runJob(request, passkeyJobs['passkey.delete'], data);
      return noContent;
    },
  }),
];
