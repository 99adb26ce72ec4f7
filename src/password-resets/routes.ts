import { Refusal } from '../errors.ts';
import { NO_CONTENT, noContent, ok, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { isMailSetUp } from '../infra/mail-server.ts';
import { hashToken } from '../infra/secrets.ts';
import { originOf } from '../jobs/answer-write.ts';
import { runJob } from '../jobs/run-job.ts';
import { refuseWeakPassword } from '../users/password-rules.ts';
import { hashPassword, limitsOf } from '../users/passwords.ts';
import { passwordResetJobs } from './jobs.ts';
import { findResetOwner } from './queries.ts';
import {
  type CompletionBody,
  completionBody,
  newResetBody,
  resetLookupBody,
  resetRecord,
} from './schema.ts';

const common = { extension: true, tag: 'Users', scope: 'public', method: 'post' } as const;

const FROM_CONSOLE =
  'Browsers can call it from the console only: it needs `Sec-Fetch-Site: same-origin`, or the ' +
  '`Origin` of the service.';

/** Endpoints of people who forgot their password. */
export const passwordResetRoutes: Route[] = [
  route<{ body: { email: string } }>({
    ...common,
    path: '/auth/password-resets',
    operationId: 'createPasswordReset',
    summary: 'Request a password reset',
    description:
      'Emails the person a link to set a new password, which works once, within an hour. The ' +
      'response is the same for every email address, and does not wait for the email; an account ' +
      'gets at most three such emails an hour. Responds with 404 if the installation sends no ' +
      `email. ${FROM_CONSOLE}`,
    body: newResetBody,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      if (!isMailSetUp()) {
        throw new Refusal(
          'not_found',
          'This installation sends no email: ask its operator for a sign-in link',
        );
      }
      const { body, client, queues } = request;
      await limitsOf(request).takeNetwork(client.network);
      // Nobody waits for the job, which takes longer for a known address.
      const origin = { jobId: newId('job'), ...originOf(request) };
      await queues.producer.add(passwordResetJobs['passwordReset.create'], body, origin);
      return noContent;
    },
  }),
  route<{ body: { token: string } }>({
    ...common,
    path: '/auth/password-resets/lookup',
    operationId: 'findPasswordReset',
    summary: 'Find the account of a password reset',
    description:
      'Returns the account whose password the token of a link resets. The link stays valid. ' +
      FROM_CONSOLE,
    body: resetLookupBody,
    answers: { 200: resetRecord },
    async handle(request) {
      await limitsOf(request).takeNetwork(request.client.network);
      const { email } = await findResetOwner(hashToken(request.body.token));
      return ok({ email });
    },
  }),
  route<{ body: CompletionBody }>({
    ...common,
    path: '/auth/password-resets/complete',
    operationId: 'resetPassword',
    summary: 'Reset a password',
    description:
      'Sets a new password with the token of a link from an email, ends all sessions of the ' +
      'person, and unlocks the account. The person then signs in. The first reset of an account ' +
      'whose email address is not verified verifies it, which ends all earlier access. ' +
      FROM_CONSOLE,
    body: completionBody,
    answers: { 204: NO_CONTENT },
    async handle(request) {
      const { body, client } = request;
      const limits = limitsOf(request);
      await limits.takeNetwork(client.network);
      const hash = hashToken(body.token);
      refuseWeakPassword(body.password, await findResetOwner(hash));
      const passwordHash = await hashPassword(body.password, client.network);
      const { userId } = await runJob(request, passwordResetJobs['passwordReset.complete'], {
        hash,
        passwordHash,
      });
      await limits.unlock(userId);
      return noContent;
    },
  }),
];
