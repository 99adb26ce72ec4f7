import { randomBytes } from 'node:crypto';
import { ConfigError, NO_DATABASE } from '../config.ts';
import { within } from '../infra/clock.ts';
import { db, rows } from '../infra/db.ts';
import { ErrorLog } from '../infra/error-log.ts';
import { keyCheck, secretKeys } from '../infra/keys.ts';
import { once } from '../infra/memoize.ts';
import { checkDb, checkRedis, runProcess } from '../infra/process.ts';
import { connectRedis, joinWrites, redisReady } from '../infra/redis.ts';
import { connectSubscriber } from '../infra/redis-channels.ts';
import { needsReplicas } from '../infra/replicas.ts';
import { openLastingKeys, tryKey } from '../infra/secret-key.ts';
import { spoolFolder } from '../infra/spool.ts';
import { TrustedProxies } from '../infra/trusted-proxies.ts';
import { Finder } from '../lookup/find.ts';
import { KEY_CHECK_NAME, LASTING_KEYS_NAME, RemoteSource } from '../lookup/remote-source.ts';
import { POSTGRES_MS } from '../lookup/rows.ts';
import { type EntrySource, PostgresSource } from '../lookup/source.ts';
import { acknowledgeRounds } from '../queues/all-queued.ts';
import { BatchJobs } from '../queues/batch-jobs.ts';
import { serverOf } from '../queues/bull-queues.ts';
import { clicks } from '../queues/index.ts';
import { JobSender } from '../queues/job-sender.ts';
import { shardsOf } from '../queues/shards.ts';
import { loadNetworks } from '../visitors/networks.ts';
import { openPlaces } from '../visitors/places.ts';
import { Suspects } from '../visitors/suspects.ts';
import { encodeVisits } from '../visits/batch.ts';
import { visitJobs } from '../visits/jobs.ts';
import { Passwords, PasswordTries } from '../web/passwords.ts';
import { LeftOutCounter } from './left-out.ts';
import { Quota, ReportLimit } from './limits.ts';
import { homePage } from './pages/home.ts';
import { Reports } from './reports.ts';
import { RedirectServer } from './server.ts';
import { VisitSpool } from './spool.ts';
import { VisitLog, visitIds } from './visit-log.ts';
import { VisitorReader } from './visitor.ts';

/** Time after which a look-up in Redis gives way to Postgres, in ms. */
const LOOKUP_MS = 150;
const PROBE_MS = 200;
/** Time limit for the start to wait for Redis, in ms; it then continues without. */
const PATIENCE_MS = 1_000;
/** Interval of the query that keeps a connection to Postgres open, in ms. */
const WARM_MS = 1_000;
/** Time limit for the start to look up hot links, in ms. */
const WARM_UP_MS = 1_000;
/**
 * Time without data after which a connection is reopened, in ms, since its host may be unreachable.
 */
const SILENCE_MS = 5_000;

const PROCESS = {
  name: 'redirect',
  healthPort: 3101,
  isServer: true,
  needsDatabase: false,
  // A visitor waits for each statement.
  database: { limits: { statement_timeout: 5_000, lock_timeout: 2_000 } },
};

await runProcess(PROCESS, async ({ config, log }) => {
  mendStrings();
  const instance = randomBytes(8).toString('base64url');
  const queue = connectRedis(config.REDIS_URL, 'fail-fast', { socketTimeout: SILENCE_MS });
  const commands = connectRedis(config.CACHE_REDIS_URL, 'fail-fast', {
    commandTimeout: LOOKUP_MS,
    socketTimeout: SILENCE_MS,
  });
  joinWrites(commands);
  const subscriber = connectSubscriber(config.CACHE_REDIS_URL, 'fail-fast');

  const primary =
    config.CACHE_PRIMARY_URL === config.REDIS_URL
      ? queue
      : connectRedis(config.CACHE_PRIMARY_URL, 'fail-fast', { socketTimeout: SILENCE_MS });
  const answers =
    config.DATABASE_URL === NO_DATABASE
      ? connectSubscriber(config.REDIS_URL, 'fail-fast')
      : undefined;
  const connection = answers === undefined ? keepWarm() : undefined;
  const source =
    answers === undefined
      ? new PostgresSource()
      : new RemoteSource({ queue, subscriber: answers, instance });

  const finder = new Finder({
    commands,
    subscriber,
    primary,
    source,
    queue,
    instance,
    limits: { entries: config.REDIRECT_CACHE_ENTRIES, seconds: config.REDIRECT_CACHE_SECONDS },
    log,
  });
  // WAIT blocks the other commands of its connection.
  const jobsQueue = needsReplicas()
    ? connectRedis(config.REDIS_URL, 'fail-fast', { socketTimeout: SILENCE_MS })
    : queue;
  const jobs = new JobSender(jobsQueue);
  const batchJobs = new BatchJobs(jobs, visitJobs['visits.record']);
  const visitServers = [...new Set(shardsOf(clicks).map((shard) => serverOf(jobsQueue, shard)))];
  const visits = new VisitLog({
    deliver: (visits) => batchJobs.deliver(encodeVisits(visits), visits.length),
    probe: () => within(PROBE_MS, Promise.all(visitServers.map((one) => one.ping())), 'Redis'),
    spool: new VisitSpool(spoolFolder(config.DATA_DIR), log),
    log,
  });
  const leftOut = new LeftOutCounter({ jobs, log });
  const errors = new ErrorLog(log, 'requests were answered with 5xx');
  const reports = new Reports({ finder, jobs, limit: new ReportLimit(queue), errors });
  const passwords = new Passwords(new PasswordTries(queue));
  // Either source is enough to answer.
  const checkSource = answers === undefined ? checkDb : checkRedis(queue);
  const checks = { lookups: () => checkRedis(commands)().catch(checkSource) };
  const notes = () => visits.notes();
  const server = new RedirectServer({
    finder,
    visitors: new VisitorReader(new TrustedProxies(config.TRUST_PROXY, config.PROXY_HEADER)),
    visits,
    leftOut,
    suspects: new Suspects(loadNetworks()),
    reports,
    passwords,
    quota: new Quota(queue, source),
    places: once(() => openPlaces(log)),
    nextVisitId: visitIds(instance),
    baseUrl: config.BASE_URL,
    map:
      config.MAP_TILES === ''
        ? undefined
        : { tiles: config.MAP_TILES, attribution: config.MAP_ATTRIBUTION },
    home: homePage(config.BASE_URL, config.DOCS_URL),
    checks,
    notes,
    errors,
  });
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT !== '' && config.TRACED_REDIRECTS > 0) {
    server.traceOneOf(config.TRACED_REDIRECTS);
  }
  await Promise.allSettled(
    [queue, ...visitServers, commands, answers ?? queue].map((redis) =>
      redisReady(redis, PATIENCE_MS),
    ),
  );
  if (answers !== undefined) await tryKey(() => checkKey(source), 'the other processes', log);
  await visits.start();
  const stopRounds = acknowledgeRounds('redirect', queue, () => visits.isAllQueued);
  const warmed = await within(WARM_UP_MS, finder.warmUp(), 'the warm-up').catch(
    () => 'not in time',
  );
  log.info({ warmed }, 'the most requested links were loaded');
  const port = await server.listen(config.REDIRECT_PORT, config.HOST);
  log.info({ host: config.HOST, port }, 'redirect listens');

  return {
    checks,
    notes,
    redis: queue,
    async stop() {
      await server.close();
      errors.flush();
      await Promise.all([visits.close(), leftOut.close()]);
      await stopRounds();
      await passwords.close();
      finder.close();
      clearInterval(connection);
      for (const redis of [queue, jobsQueue, commands, subscriber, primary, answers]) {
        redis?.disconnect();
      }
    },
  };
});

/**
 * Restores fast access to `String.prototype`. ioredis declares a class that extends `String`, at
 * which V8 turns `String.prototype` into a dictionary: from then on every `length` and `charCodeAt`
 * of the process takes ten times as long. Reading a property through it a few times turns it back
 * (V8 11.3; `%HasFastProperties(String.prototype)` shows it).
 */
function mendStrings(): void {
  const read = (text: { at?: unknown }) => text.at;
  const text = Object('') as { at?: unknown };
  for (let i = 0; i < 100; i += 1) read(text);
}

/**
 * Keeps a connection to Postgres open for the look-ups that follow when Redis goes down: on a busy
 * machine, opening one takes longer than their time limit. A query a second opens it at once, also
 * after a restart of Postgres, which a minimum of the pool does not; it also prevents the pool from
 * closing it after 30 s of idleness.
 */
function keepWarm(): NodeJS.Timeout {
  let isAsking = false;
  const ask = () => {
    if (isAsking) return;
    isAsking = true;
    rows(db(), 'SELECT 1', [], POSTGRES_MS)
      .catch(() => {
        // Postgres is down: the next query tries again, and failed look-ups are logged.
      })
      .finally(() => {
        isAsking = false;
      });
  };
  ask();
  return setInterval(ask, WARM_MS).unref();
}

/**
 * Compares SECRET_KEY with that of the processes that have Postgres, and takes the lasting keys
 * from them.
 *
 * @throws ConfigError if the keys differ, since ids of clicks would differ too
 */
async function checkKey(source: EntrySource): Promise<void> {
  const [check, keys] = await Promise.all([
    source.read(KEY_CHECK_NAME),
    source.read(LASTING_KEYS_NAME),
  ]);
  if (check !== null && !secretKeys().some((key) => keyCheck(key) === check.entry)) {
    throw new ConfigError(
      'SECRET_KEY is not that of the other processes: set the same on every host',
    );
  }
  if (keys !== null) openLastingKeys(keys.entry);
}
