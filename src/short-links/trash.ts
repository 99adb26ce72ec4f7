import { type Db, execute, rows } from '../infra/db.ts';
import type { Actor } from '../queues/definition.ts';
import type { Name } from './claims.ts';
import type { ShortLinkTables } from './model.ts';

/*
 * A deleted link or QR code is a row of another table, so that no query of links must leave it out:
 * its own row, tags and counts, as JSON. Its history and its events stay in their tables.
 */

/** Retention of deleted records, in days. */
export const TRASH_DAYS = 30;

type Removed = Name & { id: string };

/**
 * SQL: deletes records with their counts. Another part of the statement can read the deleted rows,
 * and, as before the statement, their tags.
 */
const deletedSql = (table: string): string => `
  deleted AS (DELETE FROM ${table} r WHERE r.project_id = :projectId AND r.id = ANY(:ids) RETURNING r.*),
  counted AS (DELETE FROM counters c USING deleted
               WHERE c.project_id = :projectId AND c.record_id = deleted.id RETURNING c.*),
  kept AS (DELETE FROM kept_counts k USING deleted
            WHERE k.project_id = :projectId AND k.is_record AND k.owner = deleted.id RETURNING k.*)`;

/**
 * SQL: fails the scheduled changes of records that are deleted for good, without their values.
 *
 * @param deleted name of the part with the ids
 */
const discardedSql = (deleted: string): string => `
  discarded AS (UPDATE scheduled_changes s
                   SET changes = '{}', password = NULL, failed_at = coalesce(s.failed_at, now()),
                       error = coalesce(s.error, jsonb_build_object(
                         'code', 'not_found', 'message', 'The record was deleted for good'))
                  FROM ${deleted} d WHERE s.project_id = d.project_id AND s.record_id = d.id)`;

/** Moves links or QR codes to the trash. @returns their ids and names */
export const moveToTrash = (
  trx: Db,
  { kind, table, tags }: ShortLinkTables,
  {
    projectId,
    ids,
    actor,
  }: { projectId: string; ids: readonly string[]; actor?: Actor | undefined },
): Promise<Removed[]> =>
  rows<Removed>(
    trx,
    `WITH ${deletedSql(table)},
     moved AS (
       INSERT INTO trash (project_id, id, kind, user_id, api_key_id, record, password, tag_ids, counters,
                          kept_counts, is_announced)
       SELECT d.project_id, d.id, :kind, :userId, :apiKeyId, to_jsonb(d) - 'password', d.password,
              ARRAY(SELECT t.tag_id FROM ${tags.table} t
                     WHERE t.project_id = d.project_id AND t.${tags.column} = d.id ORDER BY t.position),
              (SELECT to_jsonb(c) FROM counted c WHERE c.record_id = d.id),
              (SELECT jsonb_agg(to_jsonb(k)) FROM kept k WHERE k.owner = d.id),
              EXISTS (SELECT FROM expired_links e WHERE e.project_id = d.project_id AND e.link_id = d.id)
         FROM deleted d)
     SELECT id, domain_id, key FROM deleted`,
    {
      projectId,
      ids: [...ids],
      kind,
      userId: actor?.userId ?? null,
      apiKeyId: actor?.apiKeyId ?? null,
    },
  );

/**
 * Deletes links or QR codes for good, with their histories and the values of scheduled changes.
 *
 * @returns their ids and names
 */
export const deleteForGood = (
  trx: Db,
  { table }: ShortLinkTables,
  projectId: string,
  ids: readonly string[],
): Promise<Removed[]> =>
  rows<Removed>(
    trx,
    `WITH ${deletedSql(table)},
     history AS (DELETE FROM record_changes h USING deleted
                  WHERE h.project_id = :projectId AND h.record_id = deleted.id),
     ${discardedSql('deleted')}
     SELECT id, domain_id, key FROM deleted`,
    { projectId, ids: [...ids] },
  );

/**
 * Deletes records in the trash for good, with their histories and with what was counted since their
 * deletion.
 *
 * @param chosen SQL of a condition on a row `t` of the trash
 * @returns the number of records
 */
export const emptyTrash = (
  trx: Db,
  chosen: string,
  bindings: Readonly<Record<string, string | number>>,
): Promise<number> =>
  execute(
    trx,
    // An import can have created a record with the same id again, which has the counts then.
    `WITH emptied AS (DELETE FROM trash t WHERE ${chosen} RETURNING t.project_id, t.id),
     gone AS (
       SELECT project_id, id FROM emptied e
        WHERE NOT EXISTS (SELECT FROM links l WHERE l.project_id = e.project_id AND l.id = e.id)
          AND NOT EXISTS (SELECT FROM qrcodes q WHERE q.project_id = e.project_id AND q.id = e.id)),
     counted AS (DELETE FROM counters c USING gone
                  WHERE c.project_id = gone.project_id AND c.record_id = gone.id),
     kept AS (DELETE FROM kept_counts k USING gone
               WHERE k.project_id = gone.project_id AND k.is_record AND k.owner = gone.id),
     history AS (DELETE FROM record_changes h USING gone
                  WHERE h.project_id = gone.project_id AND h.record_id = gone.id),
     ${discardedSql('gone')}
     SELECT FROM emptied`,
    bindings,
  );

/**
 * Takes records out of the trash that were created again with their ids, as an import of the same
 * archive does. Their counts and histories stay.
 */
export async function leaveTrash(
  trx: Db,
  projectId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0)
    await trx('trash').where({ project_id: projectId }).whereIn('id', ids).delete();
}

/** A record in the trash. */
export interface TrashRow {
  id: string;
  kind: ShortLinkTables['kind'];
  deleted_at: Date;
  user_id: string | null;
  user_name: string | null;
  api_key_id: string | null;
  /** Name of the domain; `null` for a deleted one. */
  domain: string | null;
  record: Readonly<Record<string, unknown>>;
  password: string | null;
  tag_ids: string[];
  is_announced: boolean;
}
