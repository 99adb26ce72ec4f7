import { config } from '../config.ts';
import { type Db, db, execute, rows } from '../infra/db.ts';
import type { Log } from '../infra/log.ts';
import { handlers } from '../queues/job.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { DESTINATION_STATES } from './destination-state.ts';
import { announceExpired } from './expire.ts';
import { linkMaintenanceJobs } from './jobs.ts';
import { type DestinationAnswer, DestinationProber } from './probe-destination.ts';
import { linkQueries } from './queries.ts';

/*
 * Checks of destinations, in a run every minute. A run first walks over the next links and records
 * new and changed destinations. Then it requests the destinations that are due: an interval after a
 * successful check, sooner after a failure. A run is large enough for all destinations to be
 * checked within an interval, and bounded per host.
 */

/** Links walked over per run: seven million a day. */
const LINKS_PER_RUN = 5_000;
/**
 * Minimum number of destinations per run, so that new ones of a small installation are checked at
 * once.
 */
const MIN_PER_RUN = 200;
/** Factor on the average size of a run, for repeated checks and hosts that ask for pauses. */
const SPARE = 1.5;
/**
 * Further due destinations that a run reads, so that a host with many of them does not hide the
 * others.
 */
const CANDIDATES = 20_000;
/** Maximum number of further destinations of a link to check. */
const MAX_OTHERS = 10;
/** Destinations per host and run. Each takes up to two requests, at one a second. */
const MAX_PER_HOST = 20;
const HOSTS_AT_ONCE = 20;
/**
 * Time after which a run starts no further check, in ms, and time for which it keeps others from
 * running, in seconds.
 */
const RUN_MS = 40_000;
const HELD_SECONDS = 170;
/** Delay of the first retry, in minutes. Each further delay is four times as long. */
const RETRY_MINUTES = 15;
/** Number of hosts that must fall silent together for the cause to be this machine's network. */
const SILENT_HOSTS = 3;

/** Shared by all runs, so that two runs cannot request a host within a second. */
const prober = new DestinationProber();

/** A link whose destinations are due for a check. */
interface Due {
  project_id: string;
  link_id: string;
  url: string;
  /** Further destinations of the link. */
  others: string[];
  host: string;
  /** True if the last check succeeded and is not long overdue. */
  was_well: boolean;
}

/** The result of a check: the answer of a link's worst destination. */
interface CheckResult extends DestinationAnswer {
  /** The destination of this answer. */
  url: string;
  /** Pause that a host asked for. */
  rest?: { host: string; seconds: number } | undefined;
}

/** SQL: the distinct further destinations of a row of `links`, sorted. */
const OTHERS = `ARRAY(
  SELECT other FROM (
    SELECT unnest(ARRAY[ios, android, expired_url]) AS other
    UNION SELECT value FROM jsonb_each_text(CASE jsonb_typeof(geo) WHEN 'object' THEN geo END)
    UNION SELECT value ->> 'url' FROM jsonb_array_elements(CASE jsonb_typeof(rules) WHEN 'array' THEN rules END)
    UNION SELECT value ->> 'url'
            FROM jsonb_array_elements(CASE jsonb_typeof(test_variants) WHEN 'array' THEN test_variants END)
           WHERE test_completed_at IS NULL OR test_completed_at > now()) AS named
   WHERE other ~* '^https\\?://' AND other <> url ORDER BY other LIMIT ${MAX_OTHERS})`;

/** Records the destinations of the links after a position, and stores the new position. */
async function recordDestinations(after: { project_id: string; link_id: string }): Promise<void> {
  const links = (columns: string) =>
    `SELECT project_id, id${columns} FROM links WHERE (project_id, id) > (:project_id, :link_id)`;
  const inOrder = 'ORDER BY project_id, id LIMIT :limit';
  const bindings = { ...after, limit: LINKS_PER_RUN };
  await execute(
    db(),
    `INSERT INTO destination_checks AS known (project_id, link_id, url, others, host)
     SELECT walked.project_id, walked.id, walked.url, walked.others, lower(substring(walked.url FROM '^[^/]*//([^/\\?#]*)'))
       FROM (${links(`, url, ${OTHERS} AS others`)} ${inOrder}) AS walked
       LEFT JOIN destination_checks noted ON noted.project_id = walked.project_id AND noted.link_id = walked.id
      WHERE walked.url ~* '^https\\?://' AND (noted.url, noted.others) IS DISTINCT FROM (walked.url, walked.others)
     ON CONFLICT (project_id, link_id) DO UPDATE
        SET url = excluded.url, others = excluded.others, host = excluded.host, state = NULL, failures = 0, next_check_at = now()`,
    bindings,
  );
  await execute(
    db(),
    `WITH walked AS (${links('')} ${inOrder}),
          last AS (SELECT project_id, id FROM walked ORDER BY project_id DESC, id DESC LIMIT 1),
          reached AS (SELECT count(*) = :limit AS is_full FROM walked)
     UPDATE destination_walk
        SET project_id = CASE WHEN is_full THEN last.project_id ELSE '' END,
            link_id = CASE WHEN is_full THEN last.id ELSE '' END
       FROM reached LEFT JOIN last ON true`,
    bindings,
  );
}

/**
 * Reads the destinations of a run: the longest overdue first, hosts in turn. It postpones the rest
 * of a host with too many by minutes, and links whose destination has changed until the walk
 * reaches them.
 */
async function findDue(): Promise<Due[]> {
  const [size] = await rows<{ links: number }>(
    db(),
    "SELECT reltuples AS links FROM pg_class WHERE oid = 'destination_checks'::regclass",
  );
  const runs = config().DESTINATION_CHECK_HOURS * 60;
  const most = Math.max(MIN_PER_RUN, Math.ceil((size!.links * SPARE) / runs));
  // The limit is computed here, not in SQL, so that Postgres knows it when it plans.
  return rows<Due>(
    db(),
    `WITH looked_at AS MATERIALIZED (
       SELECT * FROM destination_checks WHERE next_check_at <= now() ORDER BY next_check_at LIMIT :lookedAt),
     ranked AS MATERIALIZED (
       SELECT d.*, l.id IS NOT NULL AS is_present,
              row_number() OVER (PARTITION BY l.id IS NOT NULL, d.host ORDER BY d.next_check_at) AS turn
         FROM looked_at d LEFT JOIN links l ON l.project_id = d.project_id AND l.id = d.link_id AND l.url = d.url),
     put_off AS (
       UPDATE destination_checks d
          SET next_check_at = now() + make_interval(mins => CASE WHEN is_present THEN (turn / :perHost)::int ELSE 60 END)
         FROM ranked r
        WHERE d.project_id = r.project_id AND d.link_id = r.link_id AND d.url = r.url
          AND (r.turn > :perHost OR NOT r.is_present))
     SELECT project_id, link_id, url, others, host,
            coalesce(state IN ('ok', 'redirecting'), false) AND next_check_at > now() - interval '1 day' AS was_well
       FROM ranked WHERE is_present AND turn <= :perHost
      ORDER BY turn, next_check_at LIMIT :most`,
    { perHost: MAX_PER_HOST, most, lookedAt: most + CANDIDATES },
  );
}

/**
 * Requests destinations, several hosts in parallel. A host that asks for a pause gets no further
 * request.
 */
async function probeAll(destinations: readonly Due[]): Promise<Map<Due, CheckResult>> {
  const until = Date.now() + RUN_MS;
  const answers = new Map<Due, CheckResult>();
  const hosts = byHost(destinations);
  const probeHosts = async () => {
    for (let host = hosts.shift(); host !== undefined; host = hosts.shift()) {
      for (const one of host) {
        if (Date.now() > until) return;
        const result = await probeDestinations(one);
        answers.set(one, result);
        if (result.rest?.host === one.host) break;
      }
    }
  };
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, probeHosts));
  return answers;
}

/** Requests the destinations of a link until one fails. */
async function probeDestinations({ url, others }: Due): Promise<CheckResult> {
  let worst: CheckResult | undefined;
  let rest: CheckResult['rest'];
  for (const one of [url, ...others]) {
    const answer = await prober.probe(one);
    if (answer.restSeconds !== undefined) {
      rest = { host: new URL(one).host, seconds: answer.restSeconds };
    }
    if (worst === undefined || badness(answer) > badness(worst)) worst = { ...answer, url: one };
    if (worst.state === 'failing') break;
  }
  return { ...worst!, rest };
}

const badness = ({ state }: DestinationAnswer): number => DESTINATION_STATES.indexOf(state);

function byHost(due: readonly Due[]): Due[][] {
  const hosts = new Map<string, Due[]>();
  for (const one of due) hosts.set(one.host, [...(hosts.get(one.host) ?? []), one]);
  return [...hosts.values()];
}

async function saveAll(answers: ReadonlyMap<Due, CheckResult>, log: Log): Promise<void> {
  if (isOurOutage(answers)) {
    log.warn(
      { destinations: answers.size },
      'no destination responded: check the network of this machine',
    );
    return;
  }
  for (const [one, answer] of answers) {
    await db().transaction((trx) => save(trx, one, answer));
    const { rest } = answer;
    if (rest === undefined) continue;
    await execute(
      db(),
      `UPDATE destination_checks SET next_check_at = now() + make_interval(secs => :seconds)
        WHERE host = :host AND next_check_at < now() + make_interval(secs => :seconds)`,
      { ...rest },
    );
  }
}

/**
 * True when no host responded although several did at their last check: the links are not broken,
 * and no owner should be alarmed. After a day such answers count as failures.
 */
function isOurOutage(answers: ReadonlyMap<Due, DestinationAnswer>): boolean {
  const hosts = new Set([...answers.keys()].filter((one) => one.was_well).map(({ host }) => host));
  return (
    hosts.size >= SILENT_HOSTS &&
    [...answers.values()].every(({ status, state }) => status === null && state === 'failing')
  );
}

/** Stores the result of a check, and publishes an event if the link broke or recovered. */
async function save(trx: Db, due: Due, answer: CheckResult): Promise<void> {
  const { DESTINATION_CHECK_HOURS, DESTINATION_FAILURES } = config();
  const { project_id: projectId, link_id: linkId, url } = due;
  // Locks the link first, in the order of all its writers.
  const [before] = await rows<{ failures: number; broken_since: Date | null }>(
    trx,
    `WITH l AS MATERIALIZED (
       SELECT project_id, id FROM links
        WHERE project_id = :projectId AND id = :linkId AND url = :url FOR NO KEY UPDATE)
     SELECT d.failures, d.broken_since
       FROM l
       JOIN destination_checks d ON d.project_id = l.project_id AND d.link_id = l.id AND d.url = :url`,
    { projectId, linkId, url },
  );
  // The link was deleted or changed meanwhile.
  if (before === undefined) return;
  const { state, status, error, leadsTo } = answer;
  const failures = {
    ok: 0,
    redirecting: 0,
    unclear: before.failures,
    failing: before.failures + 1,
  };
  const isBroken = state === 'failing' && failures.failing >= DESTINATION_FAILURES;
  const isWell = state === 'ok' || state === 'redirecting';
  const intervalMinutes = DESTINATION_CHECK_HOURS * 60;
  const retryMinutes = RETRY_MINUTES * 4 ** before.failures;
  await execute(
    trx,
    `UPDATE destination_checks
        SET state = :state, other_url = :otherUrl, status = :status, error = :error, leads_to = :leadsTo, failures = :failures,
            checked_at = now(), next_check_at = now() + make_interval(mins => :minutes),
            broken_since = CASE WHEN :isBroken THEN coalesce(broken_since, now()) WHEN :isWell THEN NULL
                                ELSE broken_since END
      WHERE project_id = :projectId AND link_id = :linkId`,
    {
      projectId,
      linkId,
      state: isBroken ? 'broken' : state,
      otherUrl: answer.url === url ? null : answer.url,
      status,
      error,
      leadsTo,
      failures: failures[state],
      minutes:
        state === 'failing' && !isBroken
          ? Math.min(retryMinutes, intervalMinutes)
          : intervalMinutes,
      isBroken,
      isWell,
    },
  );
  const kind =
    before.broken_since === null ? isBroken && 'link.broken' : isWell && 'link.recovered';
  if (kind === false) return;
  await publishRecordEvent(trx, projectId, kind, await linkQueries.get(projectId, linkId, trx));
}

export const linkMaintenanceHandlers = handlers(linkMaintenanceJobs, {
  'links.expire': announceExpired,

  /**
   * Runs the checks that are due. Does nothing if they are switched off or another process is
   * running them.
   */
  async 'destinations.check'(_data, { log }) {
    if (config().DESTINATION_CHECK_HOURS === 0) return;
    const [walk] = await rows<{ project_id: string; link_id: string }>(
      db(),
      `UPDATE destination_walk SET held_until = now() + make_interval(secs => ?)
        WHERE held_until < now() RETURNING project_id, link_id`,
      [HELD_SECONDS],
    );
    if (walk === undefined) return;
    try {
      await recordDestinations(walk);
      await saveAll(await probeAll(await findDue()), log);
    } finally {
      await execute(db(), "UPDATE destination_walk SET held_until = '-infinity'");
    }
  },
});
