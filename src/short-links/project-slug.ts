import { Refusal } from '../errors.ts';

/**
 * Refuses a request with a `projectSlug` of another workspace than its key's.
 *
 * @throws Refusal `not_found`
 */
export function refuseOtherWorkspace(
  { projectSlug }: { projectSlug?: string },
  { workspaceSlug }: { workspaceSlug: string },
): void {
  if (projectSlug !== undefined && projectSlug !== workspaceSlug) {
    throw new Refusal('not_found', `There is no workspace "${projectSlug}" for this key`);
  }
}
