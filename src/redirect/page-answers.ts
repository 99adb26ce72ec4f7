import { redirects } from '../infra/metrics.ts';
import type { Response } from '../infra/plain-requests.ts';
import { sendPage, sendRedirect } from '../infra/plain-responses.ts';
import { originOf, shortLinkOf } from '../lookup/short-link.ts';
import { type Decision, withParameter } from '../routing/decide.ts';
import { branded } from '../web/brand.ts';
import type { Page } from '../web/layout.ts';
import { type LastTry, passwordPage } from '../web/password-page.ts';
import { continuePath, ownPath } from './address.ts';
import { ancestorsOf } from './ancestors.ts';
import { signContinueToken } from './continue-tokens.ts';
import { knownWorkspace, type VisitContext, type VisitDependencies } from './facts.ts';
import { linksetAnswer } from './linkset.ts';
import { beforePage } from './pages/before.ts';
import { displayPage, fileAnswer } from './pages/display.ts';
import { notFoundPage, unavailablePage } from './pages/notices.ts';
import type { Visitor } from './visitor.ts';

/*
 * Answers that need more than one page or its parameters: forms, files, lists of links, and pages
 * with the brand of the workspace.
 */

const answered = {
  file: redirects.labels('file'),
  password: redirects.labels('protected'),
  notFound: redirects.labels('not_found'),
};

/** Builds the list of links of a GS1 Digital Link: a page for a browser, else JSON. */
export async function linkList(
  { page, isForPeople }: Extract<Decision, { kind: 'linkset' }>,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<Page> {
  const pages = [page];
  for await (const { decision } of ancestorsOf(page, context, dependencies)) {
    if (decision.kind === 'linkset') pages.push(decision.page);
  }
  if (!isForPeople) return linksetAnswer(pages, originOf(context.visitor.host));
  const links = pages.flatMap((each) => each.links ?? []);
  const where = { shortLink: shortLink(context) };
  const list = displayPage({ ...page, links }, where, context.visitor.pageLanguage);
  return inItsLook(list, context, dependencies);
}

/** Checks the password that was sent to a link. */
export async function respondToPassword(
  decision: Decision,
  context: VisitContext,
  dependencies: VisitDependencies,
): Promise<void> {
  const { passwords, errors } = dependencies;
  const { address, entries, facts, visitor, response, form } = context;
  // The form was sent twice, or the link no longer has a password.
  if (decision.kind !== 'password') return sendRedirect(response, 303, ownPath(address));
  const password = form?.get('password') ?? '';
  const attempt = await passwords.unlock(entries.link!, password, visitor, facts.now);
  switch (attempt.outcome) {
    case 'unlocked':
      return sendRedirect(response, 303, ownPath(address), { cookies: [attempt.cookie] });
    case 'busy':
      errors.report(attempt.error);
      return sendPage(response, unavailablePage(visitor.pageLanguage));
    case 'wrong':
    case 'tooMany':
      return askPassword(context, dependencies, attempt);
  }
}

export async function askPassword(
  context: VisitContext,
  dependencies: VisitDependencies,
  last?: LastTry,
): Promise<void> {
  const { address, response, visitor } = context;
  answered.password.inc();
  const page = passwordPage(ownPath(address), visitor.pageLanguage, last);
  sendPage(response, await inItsLook(page, context, dependencies));
}

/** Adds the brand of the workspace to a page, unless no store answers. */
export async function inItsLook(
  page: Page,
  { entries: { link, domain } }: VisitContext,
  { finder, baseUrl }: VisitDependencies,
): Promise<Page> {
  const projectId = link?.projectId ?? domain.projectId;
  if (projectId === '') return page;
  const { brand } = (await knownWorkspace(projectId, finder)) ?? {};
  return brand === undefined ? page : branded(page, brand, { baseUrl, projectId });
}

/** Sends the file of a display page. It is not a visit, since the page was one. */
export function sendFile(response: Response, decision: Decision, visitor: Visitor): void {
  const file = decision.kind === 'display' ? decision.page.file : undefined;
  if (file === undefined) {
    answered.notFound.inc();
    return sendPage(response, notFoundPage(visitor.pageLanguage));
  }
  answered.file.inc();
  sendPage(response, fileAnswer(file));
}

export function pageBefore(
  { page, isMandatory }: Extract<Decision, { kind: 'before' }>,
  { entries, address, facts, visitor, token, refused }: VisitContext,
): Page {
  const until = (token?.shownAt ?? facts.now) + (page.waitSeconds ?? 0) * 1000;
  const next = token === undefined ? signContinueToken(entries.link!, facts.now) : address.token!;
  return beforePage(page, {
    language: visitor.pageLanguage,
    onward: continuePath(next, address),
    isMandatory,
    waitSeconds: Math.max(0, Math.ceil((until - facts.now) / 1000)),
    sent: refused,
  });
}

/** URL of the owner's page, with the URL that continues to the destination as a parameter. */
export function ownersPage(
  url: string,
  { entries, address, facts, visitor, request }: VisitContext,
): string {
  const port = /:\d{1,5}$/.exec(request.headers.host ?? '')?.[0] ?? '';
  const origin = `${visitor.isSecure ? 'https' : 'http'}://${visitor.host}${port}`;
  const token = signContinueToken(entries.link!, facts.now);
  return withParameter(url, 'continue', origin + continuePath(token, address));
}

/** The short link that is visited. */
export const shortLink = ({ visitor, address }: VisitContext): string =>
  `${shortLinkOf(visitor.host, address.key ?? '')}${address.rest ?? ''}`;
