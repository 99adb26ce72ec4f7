/** A requirement of a command is missing or blocked; the message is one line with the remedy. */
export class SetupError extends Error {}
