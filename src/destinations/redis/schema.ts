import { Joi, text } from '../../http/fields.ts';
import { parseUrl } from '../../infra/url.ts';

/** Settings of a Redis stream. */
export interface RedisSettings {
  /** Without a password. */
  url: string;
  stream: string;
  maxLength: number;
}

/** Port of Redis, if the URL has none. */
const DEFAULT_PORT = 6379;
const DATABASE = /^\/?(\d{0,3})$/;

/** Reads the URL of a Redis server; `undefined` if it is none. */
export function readRedis(url: string) {
  const parsed = parseUrl(url);
  const database = DATABASE.exec(parsed?.pathname ?? '-')?.[1];
  if (parsed === undefined || database === undefined || parsed.hostname === '') return undefined;
  if (!/^rediss?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '') {
    return undefined;
  }
  return {
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? DEFAULT_PORT : Number(parsed.port),
    isEncrypted: parsed.protocol === 'rediss:',
    database: Number(database),
    username: parsed.username === '' ? undefined : decodeURIComponent(parsed.username),
    hasPassword: parsed.password !== '',
  };
}

export const redisSettings = Joi.object<RedisSettings>({
  url: text(500)
    .custom((value: string, { error }) => {
      const read = readRedis(value);
      if (read === undefined) {
        return error('rule', {
          rule: 'must be of the form redis://host:port/database, or rediss:// for TLS',
        });
      }
      return read.hasPassword
        ? error('rule', { rule: 'must not contain the password, which is the secret' })
        : value;
    })
    .required()
    .description(
      'URL of the server, with the user name if there is one: `rediss://` with TLS, `redis://` ' +
        'without. The installation must allow its host (`OUTBOUND_ALLOW`) unless its port is 443.',
    )
    .example('rediss://events@redis.example.com:6379'),
  stream: text(200).required().description('Key of the stream.').example('visits'),
  maxLength: Joi.number()
    .strict()
    .integer()
    .min(1)
    .max(100_000_000)
    .default(1_000_000)
    .description('Number of entries that the stream keeps, about: older ones are deleted.'),
}).meta({ name: 'RedisSettings' });
