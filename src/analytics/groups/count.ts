import { EVENT_NAMES, type EventName } from '../../events/event.ts';
import { db } from '../../infra/db.ts';
import { Joi } from '../../infra/fields.ts';
import { EVENTS, type EventParameter, type Numbers, numbersSql } from '../events.ts';
import { ask, type Question, source } from '../source.ts';
import type { Group } from './group.ts';

/** How often each of some events came. */
export async function totalsOf(question: Question, events: readonly EventName[]): Promise<Numbers> {
  const [row] = await ask<Numbers>(
    source({ ...question, events }, 'all', 'none'),
    `SELECT ${numbersSql(events)} FROM source`,
  );
  return row!;
}

/** The totals object of the contract, which spells views its own way. */
const totals = ({ clicks, scans, views, leads, sales, saleAmount }: Numbers) => ({
  clicks,
  scans,
  viwes: views,
  leads,
  sales,
  saleAmount,
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
  ask: async (question) => totals(await totalsOf(question, EVENT_NAMES)),
};

/** The number of one event alone, or of those that are looked at together. */
export const countOf = (event: EventParameter): Group => ({
  answer: Joi.object({
    [event === 'composite' ? 'clicks' : event]: number,
    ...(event === 'composite' ? { leads: number, sales: number } : {}),
    ...(event === 'composite' || event === 'sales' ? { saleAmount: number } : {}),
  }),
  ask: (question) => totalsOf(question, EVENTS[event]),
});

/** How each total has changed since the same span before. */
export const kpis: Group = {
  answer: Joi.object().pattern(
    Joi.string().valid('clicks', 'scans', 'views', 'leads', 'sales', 'saleAmount'),
    Joi.object({
      value: number,
      previous: number,
      change: Joi.number().allow(null).required().description('In per cent; null after nothing.'),
    }),
  ),
  async ask(question) {
    const { start, end } = question.span;
    const before = new Date(start.getTime() - (end.getTime() - start.getTime()));
    const span = { ...question.span, start: before, end: start };
    const [now, previous] = await Promise.all([
      totalsOf(question, EVENT_NAMES),
      totalsOf({ ...question, span }, EVENT_NAMES),
    ]);
    return Object.fromEntries(
      Object.entries(now).map(([name, value]) => {
        const earlier = previous[name]!;
        const change = earlier === 0 ? null : round((100 * (value - earlier)) / earlier);
        return [name, { value, previous: earlier, change }];
      }),
    );
  },
};

const round = (value: number): number => Math.round(value * 100) / 100;

/** Totals since ever, from the counters kept on the records; visits of domain roots have no record. */
export async function countersTotal({
  projectId,
  filter,
}: Pick<Question, 'projectId' | 'filter'>): Promise<object> {
  const { records, domain } = filter;
  const { rows } = await db().raw<{ rows: [Numbers] }>(
    `SELECT coalesce(sum(c.visits) FILTER (WHERE l.kind = 'link'), 0)::bigint AS clicks,
            coalesce(sum(c.visits) FILTER (WHERE l.kind = 'qrcode'), 0)::bigint AS scans,
            coalesce(sum(c.leads), 0)::bigint AS leads,
            coalesce(sum(c.sales), 0)::bigint AS sales,
            coalesce(sum(c.sale_amount_cents), 0)::bigint AS "saleAmount",
            (SELECT coalesce(sum(p.visits), 0)::bigint FROM counters p JOIN pages ON pages.project_id = p.project_id AND pages.id = p.record_id
              WHERE p.project_id = :projectId AND :records::text[] IS NULL AND :domain::text IS NULL) AS views
       FROM counters c
       JOIN (SELECT 'link' AS kind, project_id, id, domain_id FROM links WHERE project_id = :projectId
             UNION ALL
             SELECT 'qrcode', project_id, id, domain_id FROM qrcodes WHERE project_id = :projectId) l
         ON l.project_id = c.project_id AND l.id = c.record_id
       JOIN domains d ON d.id = l.domain_id
      WHERE c.project_id = :projectId
        AND (:records::text[] IS NULL OR l.id = ANY(:records)) AND (:domain::text IS NULL OR d.slug = :domain)`,
    { projectId, records: records ?? null, domain: domain ?? null } as unknown as Record<
      string,
      string
    >,
  );
  return totals(rows[0]);
}
