import { config } from '../config.ts';
import { Refusal } from '../errors.ts';
import { type ApiRequest, found, ok, type Route, route } from '../http/route.ts';
import { namingField, requestImage } from '../images/request.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { originOf } from '../lookup/short-link.ts';
import { OWN_VISITS_PATH, ownVisitsQuery } from '../visitors/own-visits.ts';
import { logoUrl } from '../web/brand.ts';
import { settingsJobs, type WorkspaceChanges } from './jobs.ts';
import { readOwnDomains, readPublicImage, readSettings, readUsage } from './queries.ts';
import { ownVisitPages, toWorkspace, workspaceRecord } from './record.ts';
import { logoParams, type WorkspaceBody, workspaceBody } from './schema.ts';

const common = { extension: true, tag: 'Workspace' } as const;

/** Endpoints of the workspace, an extension of the contract. */
export const settingsRoutes: Route[] = [
  route<object>({
    ...common,
    method: 'get',
    path: '/workspace',
    operationId: 'retrieveWorkspace',
    limits: 'records',
    summary: 'Retrieve the workspace',
    description: 'Returns the workspace of the caller: its settings, limits and usage.',
    scope: 'workspace.read',
    record: true,
    answers: { 200: workspaceRecord },
    async handle({ caller: { projectId } }) {
      const [row, usage] = await Promise.all([readSettings(projectId), readUsage(projectId)]);
      return ok({ ...toWorkspace(row), usage });
    },
  }),
  route<{ body: WorkspaceBody }>({
    ...common,
    method: 'patch',
    path: '/workspace',
    operationId: 'updateWorkspace',
    summary: 'Update the workspace',
    description: 'Changes settings of the workspace. Absent fields stay as they are.',
    scope: 'workspace.write',
    record: true,
    body: workspaceBody,
    answers: { 200: workspaceRecord },
    writes: true,
    handle: (request) =>
      answerWrite(
        request,
        settingsJobs['workspace.update'],
        async () => ({ changes: await toChanges(request) }),
        ok,
      ),
  }),
  route<object>({
    ...common,
    method: 'get',
    path: '/workspace/own-visits',
    operationId: 'listOwnVisitPages',
    limits: 'records',
    summary: 'List the pages for own visits',
    description:
      'Returns a page on each short domain of the workspace. A person who opens it within ten minutes can choose ' +
      'that visits with this browser to links of the workspace are not counted, or counted again.',
    scope: 'workspace.read',
    answers: { 200: ownVisitPages },
    async handle({ caller: { projectId } }) {
      const domains = [...(await readOwnDomains(projectId)), config().DEFAULT_SHORT_DOMAIN];
      const now = Date.now();
      return ok(
        domains.map((domain) => ({
          domain,
          url: `${originOf(domain)}${OWN_VISITS_PATH}?${ownVisitsQuery({ projectId, domain }, now)}`,
        })),
      );
    },
  }),
  route<{ params: { projectId: string; id: string } }>({
    ...common,
    method: 'get',
    path: '/logos/{projectId}/{id}',
    operationId: 'downloadLogo',
    summary: 'Download the logo of a workspace',
    description:
      'Returns the logo of a workspace, or the photo of a contact, as PNG for pages that visitors see.',
    scope: 'public',
    params: logoParams,
    answers: { 200: { media: ['image/png'] } },
    async handle({ params: { projectId, id } }) {
      return {
        status: 200,
        body: found(await readPublicImage(projectId, id), 'such image'),
        headers: {
          'Content-Type': 'image/png',
          // The URL contains the hash of the image.
          'Cache-Control': 'public, max-age=31536000, immutable',
          'Cross-Origin-Resource-Policy': 'cross-origin',
        },
      };
    },
  }),
];

/**
 * Returns true if a request changes whether people need a second factor. Whoever has none would
 * lock themselves out, and an API key must not open the workspace to people without one.
 *
 * @throws Refusal `forbidden`
 */
async function isFactorRuleChanged(
  { caller }: ApiRequest,
  requested: boolean | undefined,
): Promise<boolean> {
  if (requested === undefined) return false;
  if (caller.hasSecondFactor === true) return true;
  const { require_second_factor: present } = await readSettings(caller.projectId);
  if (requested === present) return false;
  throw new Refusal(
    'forbidden',
    'requireSecondFactor can be changed only by a person who has signed in with a second factor',
  );
}

/**
 * Converts a body to changed settings. The URL of the present logo, as records show it, changes
 * nothing.
 */
async function toChanges(request: ApiRequest<{ body: WorkspaceBody }>): Promise<WorkspaceChanges> {
  const { logo, requireSecondFactor, ...rest } = request.body;
  const isChanged = await isFactorRuleChanged(request, requireSecondFactor);
  const changes = isChanged ? { ...rest, requireSecondFactor: requireSecondFactor! } : rest;
  if (typeof logo !== 'string') return logo === undefined ? changes : { ...changes, logo };
  if (logo.startsWith(logoUrl(config().BASE_URL, request.caller.projectId, ''))) return changes;
  return { ...changes, logo: await namingField('logo', requestImage(request, logo)) };
}
