import { db } from '../../infra/db.ts';
import { Joi } from '../../infra/fields.ts';
import type { EventFilter } from '../filters.ts';
import { ask, source } from '../source.ts';
import type { Group } from './group.ts';

/** The totals object of the contract, which spells views its own way. */
const totals = (clicks: number) => ({
  clicks,
  scans: 0,
  viwes: 0,
  leads: 0,
  sales: 0,
  saleAmount: 0,
});

const number = Joi.number().required();

export const count: Group = {
  answer: Joi.object({
    clicks: number,
    scans: number,
    viwes: number.description('Views; the contract spells it so.'),
    leads: number,
    sales: number,
    saleAmount: number.description('In cents.'),
  }),
  async ask({ projectId, span, filter }) {
    const [row] = await ask<{ clicks: number }>(
      source(projectId, 'all', span, filter),
      'SELECT coalesce(sum(n), 0)::bigint AS clicks FROM source',
    );
    return totals(row!.clicks);
  },
};

/** Totals since ever, from the counters kept on the records; visits of domain roots have no record. */
export async function countersTotal(
  projectId: string,
  { linkId, domain }: EventFilter,
): Promise<object> {
  const { rows } = await db().raw<{ rows: { clicks: number }[] }>(
    `SELECT coalesce(sum(c.visits), 0)::bigint AS clicks
       FROM counters c
       JOIN links l ON l.project_id = c.project_id AND l.id = c.record_id
       JOIN domains d ON d.id = l.domain_id
      WHERE c.project_id = :projectId
        AND (:linkId::text IS NULL OR l.id = :linkId) AND (:domain::text IS NULL OR d.slug = :domain)`,
    { projectId, linkId: linkId ?? null, domain: domain ?? null } as Record<string, string>,
  );
  return totals(rows[0]!.clicks);
}
