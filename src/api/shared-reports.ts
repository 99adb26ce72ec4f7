import type { Express, Request, Response } from 'express';
import { eventRecords } from '../event-records/event-records.ts';
import { readForm } from '../http/input.ts';
import { networkOf } from '../infra/network.ts';
import { type ReaderRequest, reportAnswer } from '../reports/answer.ts';
import { REPORT_PATH } from '../reports/record.ts';
import { languageOf } from '../web/language.ts';
import { Passwords, PasswordTries } from '../web/passwords.ts';
import type { Admission } from './admission.ts';
import type { HeavyRequests } from './heavy-requests.ts';
import { type ApiDependencies, sendPage } from './perform.ts';

/** Maximum size of the form with a password, in bytes. */
const FORM_LIMIT = 16_384;

/** Serves the reports that workspaces share by URL, with a limit per network. */
export function serveSharedReports(
  app: Express,
  {
    redis,
    admission,
    heavy,
  }: Pick<ApiDependencies, 'redis'> & { admission: Admission; heavy: HeavyRequests },
): void {
  const dependencies = {
    records: eventRecords,
    passwords: new Passwords(new PasswordTries(redis)),
    run: <Result>(projectId: string, act: () => Promise<Result>) => heavy.run(projectId, act),
  };
  const respond = async (
    request: Request<{ token: string }>,
    response: Response,
    form: Pick<ReaderRequest, 'password'>,
  ) => {
    const { searchParams } = new URL(request.url, 'http://localhost');
    const page = await reportAnswer(
      {
        token: request.params.token,
        language: languageOf(request.get('accept-language') ?? ''),
        isCsv: searchParams.get('format') === 'csv',
        cookies: request.get('cookie'),
        ip: request.ip ?? '',
        ...form,
      },
      dependencies,
    );
    sendPage(page, response);
  };
  const admit = async (request: Request, response: Response) => {
    response.locals['route'] = REPORT_PATH;
    await admission.takePublic(networkOf(request.ip ?? ''), response);
  };
  app.get(`${REPORT_PATH}/:token`, async (request, response) => {
    await admit(request, response);
    await respond(request, response, {});
  });
  app.post(`${REPORT_PATH}/:token`, async (request, response) => {
    await admit(request, response);
    const { password } = await readForm(request, FORM_LIMIT);
    await respond(request, response, { password: typeof password === 'string' ? password : '' });
  });
}
