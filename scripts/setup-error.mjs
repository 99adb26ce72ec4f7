// Plain JavaScript: used before anything is installed or built. Compiled code imports it as
// `#setup-error`.

/**
 * Thrown if a requirement of a command is missing or blocked; the message is one line with the
 * remedy.
 */
export class SetupError extends Error {}
