import { pino } from 'pino';

/** A structured logger; one line per finished thing. */
export type Log = pino.Logger;

/** Keys whose values never reach a log line, at any depth that our objects have. */
const SECRETS = ['authorization', 'password', 'apiKey', 'token', 'secret', 'cookie'];

/** An error without the arguments of the Redis command that failed: they may be a job with all its data. */
function withoutArguments(error: Error): object {
  const { command, ...fields } = pino.stdSerializers.err(error) as pino.SerializedError & {
    command?: { name?: string };
  };
  return command === undefined ? fields : { ...fields, command: command.name };
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
    serializers: { err: withoutArguments },
    redact: {
      paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
      censor: '[redacted]',
    },
  });
}
