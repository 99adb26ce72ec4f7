/**
 * SQL of what the days of rollups count for a workspace `:id`, by dimension and value, with what was added to them and not
 * merged yet.
 */
export const ROLLED_UP = `
  SELECT dimension, CASE WHEN dimension = 'all' THEN '' ELSE v.value END AS value, n
    FROM (SELECT dimension, u.id, u.n FROM rollups, unnest(ids, counts) AS u(id, n) WHERE project_id = :id AND step = 'd'
           UNION ALL
          SELECT dimension, u.id, u.n FROM rollup_deltas, unnest(ids, counts) AS u(id, n)
           WHERE project_id = :id AND NOT is_record) AS counted
    LEFT JOIN (SELECT id, value FROM event_values WHERE project_id = :id) AS v
      ON v.id = CASE WHEN dimension IN ('country', 'device', 'browser', 'os') THEN counted.id / 96 ELSE counted.id END`;
