/** See setup-error.mjs. */
export class SetupError extends Error {}
