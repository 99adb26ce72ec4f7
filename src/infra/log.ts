import { pino } from 'pino';

/** A structured logger; one line per finished thing. */
export type Log = pino.Logger;

/** Keys whose values never reach a log line, at any depth that our objects have. */
const SECRETS = ['authorization', 'password', 'apiKey', 'token', 'secret', 'cookie'];

/**
 * The logger of a process. Writes JSON lines to standard output.
 *
 * @param name the Procfile name of the process
 */
export function makeLog(name: string, level: string): Log {
  return pino({
    name,
    level,
    redact: {
      paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
      censor: '[redacted]',
    },
  });
}
