import { db } from '../../infra/db.ts';
import { Joi } from '../../infra/fields.ts';
import type { EventFilter } from '../filters.ts';
import { ask, source } from '../source.ts';
import type { Group } from './group.ts';

/** The totals object of the contract, which spells views its own way. */
const totals = ({ clicks, scans }: { clicks: number; scans: number }) => ({
  clicks,
  scans,
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
    const sum = async (event: 'click' | 'scan') => {
      const [row] = await ask<{ total: number }>(
        source(projectId, 'all', span, filter, { event }),
        'SELECT coalesce(sum(n), 0)::bigint AS total FROM source',
      );
      return row!.total;
    };
    const [clicks, scans] = await Promise.all([sum('click'), sum('scan')]);
    return totals({ clicks, scans });
  },
};

/** Totals since ever, from the counters kept on the records; visits of domain roots have no record. */
export async function countersTotal(
  projectId: string,
  { linkId, domain }: EventFilter,
): Promise<object> {
  const { rows } = await db().raw<{ rows: { clicks: number; scans: number }[] }>(
    `SELECT coalesce(sum(c.visits) FILTER (WHERE l.kind = 'link'), 0)::bigint AS clicks,
            coalesce(sum(c.visits) FILTER (WHERE l.kind = 'qrcode'), 0)::bigint AS scans
       FROM counters c
       JOIN (SELECT 'link' AS kind, project_id, id, domain_id FROM links WHERE project_id = :projectId
             UNION ALL
             SELECT 'qrcode', project_id, id, domain_id FROM qrcodes WHERE project_id = :projectId) l
         ON l.project_id = c.project_id AND l.id = c.record_id
       JOIN domains d ON d.id = l.domain_id
      WHERE c.project_id = :projectId
        AND (:linkId::text IS NULL OR l.id = :linkId) AND (:domain::text IS NULL OR d.slug = :domain)`,
    { projectId, linkId: linkId ?? null, domain: domain ?? null } as Record<string, string>,
  );
  return totals(rows[0]!);
}
