/** What a command needs is missing or in the way; the message is one line that says what to do. */
export class SetupError extends Error {}
