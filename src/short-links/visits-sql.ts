/**
 * SQL of the number of visits of a record, over its counters `c` and its workspace `w`: with those
 * of suspects if the workspace counts them.
 */
export const VISITS =
  'coalesce(c.visits + CASE WHEN w.count_suspects THEN c.suspects ELSE 0 END, 0)';
