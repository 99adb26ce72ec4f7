/** The environment without the servers that all other tests share. */
export function withoutServers(): NodeJS.ProcessEnv {
  const {
    DATABASE_URL: _,
    REDIS_URL: __,
    CACHE_REDIS_URL: ___,
    EVENTS_URL: ____,
    ...env
  } = process.env;
  return env;
}
