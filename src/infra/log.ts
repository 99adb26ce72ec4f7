import { pino } from 'pino';

/** A structured logger that writes one line per finished operation. */
export type Log = pino.Logger;

/** Keys whose values are never logged, at any depth that logged objects have. */
const SECRETS = ['authorization', 'password', 'apiKey', 'token', 'secret', 'cookie'];

/**
 * Serializes an error with the messages of its causes, each once, and without the arguments of a
 * failed Redis command, which may be a job with all its data.
 */
function serialized(error: Error): object {
  const { command, ...fields } = pino.stdSerializers.err(error) as pino.SerializedError & {
    command?: { name?: string };
  };
  const message = error instanceof Error ? messageOf(error) : fields.message;
  return { ...fields, message, command: command?.name };
}

function messageOf(error: Error): string {
  let text = error.message;
  const seen = new Set<unknown>([error]);
  for (let { cause } = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (!text.includes(cause.message)) text += `: ${cause.message}`;
  }
  return text;
}

/**
 * Creates the logger of a process, which writes JSON lines to standard output.
 *
 * @param name name of the process in the Procfile
 */
export function makeLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    serializers: { err: serialized },
    redact: {
      paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
      censor: '[redacted]',
    },
  });
}
