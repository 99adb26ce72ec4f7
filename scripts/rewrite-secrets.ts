import { type Db, db, execute, rows } from '../src/infra/db.ts';
import { keyCheck, secretKeys } from '../src/infra/keys.ts';
import { type Purpose, seal, sealPrefix, unseal } from '../src/infra/seal.ts';
import {
  checkSecretKey,
  installed,
  KEY_CHECK,
  LASTING_KEYS,
  LASTING_KEYS_CONTEXT,
  takeLastingKeys,
} from '../src/infra/secret-key.ts';
import { passwordFingerprints } from '../src/infra/secrets.ts';
import type { StoredOutcome } from '../src/jobs/outcomes.ts';
import { sealAgain } from '../src/jobs/sealed.ts';
import { QUEUES } from '../src/queues/index.ts';
import type { Inspector } from '../src/queues/inspect.ts';
import { decodeOutcome, encodeOutcome } from '../src/queues/replies.ts';

/*
 * Reseals everything in Postgres with the present SECRET_KEY, while the service runs. Each row is
 * written, in small transactions, only if it is unchanged since it was read. Texts that are sealed
 * with the present key are skipped, so an interrupted command can simply be run again.
 */

/** A column with sealed texts, and the primary key of its table. */
interface SealedColumn {
  table: string;
  key: readonly string[];
  column: string;
  purpose: Purpose;
  /** SQL: owner of the text; default: `project_id`. */
  owner?: string;
  /** Column of the fingerprint with which the text is looked up. */
  fingerprint?: string;
}

const COLUMNS: readonly SealedColumn[] = [
  ...['links', 'qrcodes'].map((table) => ({
    table,
    key: ['project_id', 'id'],
    column: 'password',
    purpose: 'password' as const,
    fingerprint: 'password_fingerprint',
  })),
  { table: 'trash', key: ['project_id', 'id'], column: 'password', purpose: 'password' },
  {
    table: 'record_changes',
    key: ['project_id', 'record_id', 'id'],
    column: 'password',
    purpose: 'password',
  },
  {
    table: 'scheduled_changes',
    key: ['project_id', 'record_id', 'id'],
    column: 'password',
    purpose: 'password',
  },
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'webhooks',
    key: ['project_id', 'id'],
    column,
    purpose: 'webhook secret' as const,
  })),
  ...['secret', 'previous_secret'].map((column) => ({
    table: 'integrations',
    key: ['project_id', 'id'],
    column,
    purpose: 'integration secret' as const,
  })),
  {
    table: 'destinations',
    key: ['project_id', 'id'],
    column: 'secret',
    purpose: 'destination secret',
  },
  {
    table: 'webhooks',
    key: ['project_id', 'id'],
    column: 'credentials',
    purpose: 'webhook credentials',
  },
  { table: 'shared_reports', key: ['project_id', 'id'], column: 'token', purpose: 'report' },
  { table: 'api_keys', key: ['id'], column: 'sealed_key', purpose: 'api key' },
  {
    table: 'mails',
    key: ['id'],
    column: 'content',
    purpose: 'mail',
    owner: "coalesce(project_id, '')",
  },
  {
    table: 'second_factors',
    key: ['user_id'],
    column: 'secret',
    purpose: 'second factor',
    owner: 'user_id',
  },
  ...['token', 'preview'].map((column) => ({
    table: 'imports',
    key: ['project_id', 'id'],
    column,
    purpose: 'import' as const,
  })),
  {
    table: 'import_slices',
    key: ['project_id', 'import_id', 'position'],
    column: 'rows',
    purpose: 'import',
  },
  {
    table: 'import_errors',
    key: ['project_id', 'import_id', 'row'],
    column: 'cells',
    purpose: 'import',
  },
];

/** Number of rows read at a time; some have half a megabyte. */
const PAGE = 50;

type Row = Readonly<Record<string, unknown>> & { owner: string; text: string };

/** Numbers of resealed texts by place, and of jobs in Redis that still need SECRET_KEY_OTHER. */
export interface Rewritten {
  rewritten: Record<string, number>;
  jobsLeft: number;
}

/**
 * Reseals all texts in Postgres with the present key, which then becomes the key of the database.
 * @throws ConfigError
 */
export async function rewriteSecrets(
  inspector: Inspector,
  log: (line: string) => void,
): Promise<Rewritten> {
  const [secretKey] = secretKeys() as [string];
  const prefix = sealPrefix(secretKey);
  await takeLastingKeys(db());
  const rewritten: Record<string, number> = {};
  for (const place of COLUMNS) {
    const name = `${place.table}.${place.column}`;
    rewritten[name] = await rewriteColumn(place, prefix);
    log(`${name}: ${rewritten[name]}`);
  }
  rewritten['jobs.outcome'] = await rewriteOutcomes(prefix);
  await takeOver(secretKey);
  return { rewritten, jobsLeft: await countJobs(inspector, prefix) };
}

async function rewriteColumn(place: SealedColumn, prefix: string): Promise<number> {
  const { table, key, column, purpose, owner, fingerprint } = place;
  const isStale = `${column} IS NOT NULL AND NOT starts_with(${column}, ?)`;
  return eachPage(
    { table, key, owner, text: column, where: [isStale, [prefix]] },
    async (trx, row) => {
      const context = { purpose, owner: row.owner };
      const plain = unseal(context, row.text);
      const changes = {
        [column]: seal(context, plain),
        ...(fingerprint === undefined ? {} : { [fingerprint]: passwordFingerprints(plain)[0] }),
      };
      return trx(table)
        .where(keyOf(key, row))
        .where({ [column]: row.text })
        .update(changes);
    },
  );
}

/** Reseals the results of jobs, in which sealed texts are members of records. */
function rewriteOutcomes(prefix: string): Promise<number> {
  const key = ['project_id', 'id'];
  // Callers' texts may look sealed; such rows are read and left unchanged.
  const where: [string, string[]] = [
    `outcome LIKE '%"sealed:v_:%' AND replace(outcome, ?, '') LIKE '%"sealed:v_:%'`,
    [`"${prefix}`],
  ];
  return eachPage({ table: 'jobs', key, text: 'outcome', where }, async (trx, row) => {
    const outcome = decodeOutcome<StoredOutcome>(row.text);
    if (!('result' in outcome)) return 0;
    const result = sealAgain(row.owner, outcome.result);
    return trx('jobs')
      .where(keyOf(key, row))
      .where({ outcome: row.text })
      .update({ outcome: encodeOutcome({ result }) });
  });
}

const keyOf = (key: readonly string[], row: Row) =>
  Object.fromEntries(key.map((name) => [name, row[name]]));

/**
 * Calls a function for each matching row, page by page in the order of the key. @returns the sum of
 * its results
 */
async function eachPage(
  {
    table,
    key,
    owner = 'project_id',
    text,
    where: [condition, bindings],
  }: {
    table: string;
    key: readonly string[];
    owner?: string | undefined;
    text: string;
    where: [string, string[]];
  },
  rewrite: (trx: Db, row: Row) => Promise<number>,
): Promise<number> {
  const columns = key.join(', ');
  const places = key.map(() => '?').join(', ');
  let after: unknown[] | undefined;
  for (let total = 0; ; ) {
    const page = await rows<Row>(
      db(),
      `SELECT ${columns}, ${owner} AS owner, ${text} AS text FROM ${table}
        WHERE ${condition} ${after === undefined ? '' : `AND (${columns}) > (${places})`}
        ORDER BY ${columns} LIMIT ${PAGE}`,
      [...bindings, ...((after ?? []) as string[])],
    );
    total += await db().transaction(async (trx) => {
      let count = 0;
      for (const row of page) count += await rewrite(trx, row);
      return count;
    });
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return total;
    after = key.map((name) => last[name]);
  }
}

/** Makes a key the key of the database. */
async function takeOver(secretKey: string): Promise<void> {
  await db().transaction(async (trx) => {
    await checkSecretKey(trx, secretKeys());
    const lasting = unseal(LASTING_KEYS_CONTEXT, (await installed(trx, LASTING_KEYS))!);
    for (const [name, value] of [
      [LASTING_KEYS, seal(LASTING_KEYS_CONTEXT, lasting)],
      [KEY_CHECK, keyCheck(secretKey)],
    ] as const) {
      await execute(trx, 'UPDATE installation SET value = ? WHERE name = ?', [value, name]);
    }
  });
}

/** Counts jobs, including dead letters, with texts that are not sealed with the present key. */
async function countJobs(inspector: Inspector, prefix: string): Promise<number> {
  let count = 0;
  for (const { queue } of Object.values(QUEUES)) {
    for await (const { fields } of inspector.storedJobs(queue)) {
      const rest = fields['data']?.replaceAll(`"${prefix}`, '') ?? '';
      if (/"sealed:v\d:/.test(rest)) count += 1;
    }
  }
  return count;
}
