/** Slugs of workspaces: 1 to 48 lower-case letters, digits and inner hyphens. */
export const WORKSPACE_SLUG = /^[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?$/;

/** The rule as a message says it. */
export const WORKSPACE_SLUG_RULE = 'must be 1 to 48 lower-case letters, digits and inner hyphens';
