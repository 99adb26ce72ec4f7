/** Slugs of workspaces: 1 to 48 lower-case letters, digits and inner hyphens. */
export const WORKSPACE_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

/** The rule of a slug, for messages. */
export const WORKSPACE_SLUG_RULE = 'must be 1 to 48 lower-case letters, digits and inner hyphens';

/** Paths beside workspaces under /console. Older workspaces may have these slugs. */
const CONSOLE_PATHS = ['admin', 'assets', 'authorize', 'invitation', 'sign-in', 'welcome'];

/** The rule that the slug of a new workspace breaks, for messages. */
export function newSlugFault(slug: string): string | undefined {
  if (!WORKSPACE_SLUG.test(slug)) return WORKSPACE_SLUG_RULE;
  if (CONSOLE_PATHS.includes(slug)) return `must not be "${slug}", which is a path of the console`;
  return undefined;
}
