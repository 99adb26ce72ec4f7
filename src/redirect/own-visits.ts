import { sendPage, sendRedirect } from '../infra/plain-responses.ts';
import {
  countingCookie,
  isUncounted,
  OWN_VISITS_PATH,
  workspaceOfQuery,
} from '../visitors/own-visits.ts';
import type { Exchange } from './facts.ts';
import { readForm } from './pages/form.ts';
import { expiredPage } from './pages/notices.ts';
import { ownVisitsPage } from './pages/own-visits.ts';
import type { Visitor } from './visitor.ts';

/** Answers a member who has opened a URL of {@link OWN_VISITS_PATH}, or sent its form. */
export async function answerOwnVisits(
  query: string,
  { host, isSecure, pageLanguage }: Visitor,
  { request, response, message }: Exchange,
): Promise<void> {
  const projectId = workspaceOfQuery(query, host, Date.now());
  if (projectId === undefined) return sendPage(response, expiredPage(pageLanguage));
  const form = request.method === 'POST' ? await readForm(message!) : undefined;
  const action = `${OWN_VISITS_PATH}?${query}`;
  if (form === undefined) {
    const isCounted = !isUncounted(request.headers.cookie, projectId);
    return sendPage(response, ownVisitsPage(pageLanguage, { action, domain: host, isCounted }));
  }
  const cookie = countingCookie(projectId, { isCounted: form.get('count') === 'yes', isSecure });
  sendRedirect(response, 303, action, { cookies: [cookie] });
}
