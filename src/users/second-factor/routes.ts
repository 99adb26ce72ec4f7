import { config } from '../../config.ts';
import { Refusal } from '../../errors.ts';
import {
  type ApiRequest,
  created,
  NO_CONTENT,
  noContent,
  ok,
  type Route,
  route,
} from '../../http/route.ts';
import { seal, unseal } from '../../infra/seal.ts';
import { runJob } from '../../jobs/run-job.ts';
import { requirePassword } from '../current-password.ts';
import { limitsOf } from '../passwords.ts';
import { readCredentials } from '../queries.ts';
import { meRecord } from '../record.ts';
import { signedIn, startSession } from '../sessions.ts';
import { checkCode, secretContext, wrongCode } from './check.ts';
import { clearedFirstStep, readFirstStep } from './first-step.ts';
import { type FactorChange, secondFactorJobs } from './jobs.ts';
import { refuseWithoutPasskey } from './queries.ts';
import { newRecoveryCodes, recoveryHash } from './recovery-codes.ts';
import {
  type CodeBody,
  type ConfirmationBody,
  confirmationBody,
  type NewFactorBody,
  newFactorBody,
  recoveryCodesRecord,
  secondStepBody,
  setupRecord,
} from './schema.ts';
import { newTotpSecret, plainCode, stepOf, totpUri } from './totp.ts';

const common = { extension: true, tag: 'Users', scope: 'user', method: 'post' } as const;

/** Time limit for a setup, in ms. */
const SETUP_MS = 600_000;

/** Content of a sealed setup. */
interface Setup {
  secret: string;
  /** Time of expiry, in ms since 1970. */
  until: number;
}

/**
 * Endpoints of second factors.
 *
 * @param drawQrCode draws the QR code of a text as an SVG document
 */
export const secondFactorRoutes = (drawQrCode: (text: string) => string): Route[] => [
  route<{ body: CodeBody }>({
    ...common,
    scope: 'public',
    path: '/auth/second-factor',
    operationId: 'createSessionBySecondFactor',
    summary: 'Sign in with the second factor',
    description:
      'Completes a sign-in that was answered with 202, within five minutes and with its cookie, ' +
      'and sets the session cookie. Five wrong codes lock the second factor for a quarter of an ' +
      'hour, and longer if that repeats. Browsers can call it from the console only: it needs ' +
      '`Sec-Fetch-Site: same-origin`, or the `Origin` of the service.',
    body: secondStepBody,
    answers: { 200: meRecord },
    async handle(request) {
      const { client, body } = request;
      await limitsOf(request).takeNetwork(client.network);
      const first = readFirstStep(client);
      if (first === undefined) {
        throw new Refusal('unauthorized', 'The sign-in took too long: begin again');
      }
      const proof = await checkCode(request, first.userId, body.code);
      const started = startSession(client, first.method);
      const data = { first, proof, session: started.session };
      await runJob(request, secondFactorJobs['session.createBySecondFactor'], data);
      const answer = await signedIn(first.userId, started);
      return { ...answer, headers: { 'Set-Cookie': [started.cookie, clearedFirstStep()] } };
    },
  }),
  route({
    ...common,
    path: '/me/second-factor/setup',
    operationId: 'startSecondFactor',
    summary: 'Begin to set up a second factor',
    description:
      'Returns a secret for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 s). ' +
      'Nothing changes until `POST /me/second-factor` confirms it. Responds with 403 to a person ' +
      'with a passkey who has signed in without it.',
    answers: { 200: setupRecord },
    async handle({ caller: { userId, sessionId } }) {
      await refuseWithoutPasskey({ userId, sessionId: sessionId! });
      const { email } = await readCredentials(userId);
      const secret = newTotpSecret();
      const uri = totpUri(secret, { account: email, issuer: new URL(config().BASE_URL).hostname });
      const qrCode = `data:image/svg+xml;base64,${Buffer.from(drawQrCode(uri)).toString('base64')}`;
      const until = Date.now() + SETUP_MS;
      const setup = seal(setupContext(userId), JSON.stringify({ secret, until } satisfies Setup));
      return ok({ secret, uri, qrCode, setup });
    },
  }),
  route<{ body: NewFactorBody }>({
    ...common,
    path: '/me/second-factor',
    operationId: 'createSecondFactor',
    summary: 'Set up a second factor',
    description:
      'Adds the authenticator app of a setup to the signed-in person, and returns recovery codes, ' +
      'which are shown once. All other sessions of the person end.',
    body: newFactorBody,
    answers: { 201: recoveryCodesRecord },
    async handle(request) {
      const { body, caller } = request;
      const { userId } = caller;
      const secret = readSetup(userId, body.setup);
      await refuseWithoutPasskey({ userId, sessionId: caller.sessionId! });
      const { passwordVersion } = await requirePassword(request, body.currentPassword);
      const step = stepOf(secret, plainCode(body.code), { after: 0, now: Date.now() });
      if (step === undefined) throw wrongCode();
      const recoveryCodes = newRecoveryCodes();
      await runJob(request, secondFactorJobs['secondFactor.create'], {
        userId,
        keptId: caller.sessionId!,
        at: new Date().toISOString(),
        passwordVersion,
        secret: seal(secretContext(userId), secret),
        step,
        hashes: recoveryCodes.map((one) => recoveryHash(userId, one)),
      });
      return created('/me', { recoveryCodes });
    },
  }),
  route<{ body: ConfirmationBody }>({
    ...common,
    path: '/me/second-factor/recovery-codes',
    operationId: 'rotateRecoveryCodes',
    summary: 'Create new recovery codes',
    description: 'Replaces the recovery codes of the signed-in person. They are shown once.',
    body: confirmationBody,
    answers: { 201: recoveryCodesRecord },
    async handle(request) {
      const change = await confirm(request);
      const { userId } = change;
      const recoveryCodes = newRecoveryCodes();
      const hashes = recoveryCodes.map((one) => recoveryHash(userId, one));
      await runJob(request, secondFactorJobs['recoveryCodes.create'], { ...change, hashes });
      return created('/me', { recoveryCodes });
    },
  }),
  route<{ body: ConfirmationBody }>({
    ...common,
    path: '/me/second-factor/remove',
    operationId: 'deleteSecondFactor',
    summary: 'Remove the second factor',
    description:
      'Removes the authenticator app and the recovery codes of the signed-in person. Workspaces ' +
      'that require a second factor then refuse the person.',
    body: confirmationBody,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      const change = await confirm(request);
      await runJob(request, secondFactorJobs['secondFactor.delete'], change);
      return noContent;
    },
  }),
];

const setupContext = (userId: string) =>
  ({ purpose: 'second factor setup', owner: userId }) as const;

/** @throws Refusal `unprocessable_entity` for a setup that has expired or is another person's */
function readSetup(userId: string, sealed: string): string {
  let setup: Setup | undefined;
  try {
    setup = JSON.parse(unseal(setupContext(userId), sealed)) as Setup;
  } catch {
    // The text was changed, or belongs to another person.
  }
  if (setup === undefined || setup.until <= Date.now()) {
    throw new Refusal('unprocessable_entity', 'setup must be at most ten minutes old: begin again');
  }
  return setup.secret;
}

/** Checks the password and the code of a person who changes their second factor. */
async function confirm(request: ApiRequest<{ body: ConfirmationBody }>): Promise<FactorChange> {
  const { currentPassword, code } = request.body;
  const { userId } = request.caller;
  await requirePassword(request, currentPassword);
  const proof = await checkCode(request, userId, code);
  return { userId, proof, at: new Date().toISOString() };
}
