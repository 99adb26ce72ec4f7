import { Joi, nullable, nullableTime, requiredTime } from '../http/fields.ts';
import { db, rows } from '../infra/db.ts';
import type { ShortLinkTables } from './model.ts';

/** A destination URL of a record, and the period in which it was in force. */
interface VersionRow {
  id: string | null;
  url: string | null;
  since: Date;
  until: Date | null;
}

/**
 * Lists the destination URLs that a record has had, newest first. The periods touch: one ends in
 * the millisecond in which the next begins. They are in the order of their times: in entries of
 * earlier releases, this can differ from that of the ids.
 */
export const listVersions = (
  { table }: ShortLinkTables,
  projectId: string,
  recordId: string,
): Promise<VersionRow[]> =>
  rows<VersionRow>(
    db(),
    `WITH versions AS (
       SELECT id, at AS since, changes->'url'->>0 AS before, changes->'url'->>1 AS url,
              lead(at) OVER (ORDER BY at, id) AS until
         FROM record_changes
        WHERE project_id = :projectId AND record_id = :recordId
          AND changes->'url'->0 <> changes->'url'->1)
     SELECT id, url, since, until FROM versions
      UNION ALL
     -- Before the first stored change.
     SELECT NULL, CASE WHEN v.id IS NULL THEN r.url ELSE v.before END, r.created_at, v.since
       FROM ${table} r
       LEFT JOIN LATERAL (SELECT id, before, since FROM versions ORDER BY since, id LIMIT 1) AS v ON true
      WHERE r.project_id = :projectId AND r.id = :recordId
     ORDER BY since DESC, id DESC NULLS LAST`,
    { projectId, recordId },
  );

/** Converts a row to its public record. */
export const toVersion = ({ id, url, since, until }: VersionRow) => ({
  changeId: id,
  url,
  start: since.toISOString(),
  end: until?.toISOString() ?? null,
});

/** Schema of the record, for the reference and for checking answers. */
export const versionRecord = Joi.object({
  changeId: nullable
    .description('Id of the entry of the history that began it; null for the oldest one.')
    .example('chg_0Qa2wSx4Ed'),
  url: nullable
    .description('Destination URL; null for the content of a QR code of another type than url.')
    .example('https://example.com/autumn'),
  start: requiredTime.description(
    'Time from which it was in force; for the oldest one, the creation of the record.',
  ),
  end: nullableTime.description(
    'Time until which it was in force, excluding it; null for the present one.',
  ),
}).meta({ name: 'DestinationVersion' });
