import { pino } from 'pino';

/** A structured logger; one line per finished thing. */
export type Log = pino.Logger;

/** Keys whose values never reach a log line, at any depth that our objects have. */
const SECRETS = ['authorization', 'password', 'apiKey', 'token', 'secret', 'cookie'];

/**
 * An error with the messages of its causes, each once, and without the arguments of the Redis command that failed: they may be a
 * job with all its data.
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
 * The logger of a process. Writes JSON lines to standard output.
 *
 * @param name the Procfile name of the process
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
