import { db } from '../../infra/db.ts';
import { Joi } from '../../infra/fields.ts';
import { Page } from '../../pages/model.ts';
import { shortLinkOf } from '../../records/record.ts';
import { numberSchemas } from '../events.ts';
import type { Question } from '../source.ts';
import { countByValue } from './dimension.ts';
import type { Group } from './group.ts';

/** What a link or QR code is called, as it is now; of one that was deleted, as its newest event has it. */
interface Named {
  id: string;
  domain: string;
  key: string;
  url: string;
  createdAt: Date | null;
}

async function namesOf(projectId: string, ids: readonly string[]): Promise<Map<string, Named>> {
  const { rows } = await db().raw<{ rows: Named[] }>(
    `SELECT r.id, coalesce(d.slug, e.domain, '') AS domain, coalesce(r.key, e.key, '') AS key,
            coalesce(r.url, e.url, '') AS url, r.created_at AS "createdAt"
       FROM (SELECT wanted.id, coalesce(l.domain_id, q.domain_id) AS domain_id, coalesce(l.key, q.key) AS key,
                    coalesce(l.url, q.url) AS url, coalesce(l.created_at, q.created_at) AS created_at
               FROM unnest(:ids::text[]) AS wanted(id)
               LEFT JOIN links l ON l.project_id = :projectId AND l.id = wanted.id
               LEFT JOIN qrcodes q ON q.project_id = :projectId AND q.id = wanted.id) AS r
       LEFT JOIN domains d ON d.id = r.domain_id
       LEFT JOIN LATERAL (SELECT domain, key, url FROM events
                           WHERE project_id = :projectId AND link_id = r.id AND r.domain_id IS NULL
                           ORDER BY occurred_at DESC LIMIT 1) AS e ON true`,
    { projectId, ids: ids as string[] },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * The links or the QR codes of which there is most.
 *
 * @param name the field that names the record, beside its `id`
 */
function topRecords(name: 'link' | 'qrcode', prefix: 'link_' | 'qr_'): Group {
  const text = Joi.string().allow('').required();
  return {
    ...(name === 'qrcode' ? { defaultEvent: 'scans' as const } : {}),
    answer: Joi.array().items(
      Joi.object({
        [name]: text,
        id: text,
        domain: text,
        key: text,
        shortLink: text,
        url: text.description('The destination.'),
        createdAt: Joi.string().isoDate().allow(null).required(),
        ...numberSchemas,
      }),
    ),
    async ask(question) {
      const rows = await countByValue(question, 'record', {
        condition: `starts_with(value, '${prefix}')`,
      });
      const names = await namesOf(
        question.projectId,
        rows.map(({ value }) => value),
      );
      return rows.map(({ value: id, numbers }) => {
        const { domain, key, url, createdAt } = names.get(id)!;
        return {
          [name]: id,
          id,
          domain,
          key,
          shortLink: shortLinkOf(domain, key),
          url,
          createdAt: createdAt?.toISOString() ?? null,
          ...numbers,
        };
      });
    },
  };
}

export const topLinks = topRecords('link', 'link_');
export const topQrCodes = topRecords('qrcode', 'qr_');

/** The pages before destinations that were shown most. */
export const topPages: Group = {
  defaultEvent: 'views',
  answer: Joi.array().items(
    Joi.object({
      page: Joi.string().required(),
      id: Joi.string().required(),
      title: Joi.string().allow('').required().description('Empty of a page that was deleted.'),
      ...numberSchemas,
    }),
  ),
  async ask(question) {
    const rows = await countByValue(question, 'page');
    const pages = await Page.of(question.projectId).whereIn(
      'id',
      rows.map(({ value }) => value),
    );
    const titles = new Map(pages.map(({ id, content }) => [id, content.title]));
    return rows.map(({ value: id, numbers }) => ({
      page: id,
      id,
      title: titles.get(id) ?? '',
      ...numbers,
    }));
  },
};

/** Leads and sales by their names. */
export const topEvents: Group = {
  answer: Joi.array().items(
    Joi.object({ eventName: Joi.string().required(), count: Joi.number().required() }),
  ),
  async ask(question: Question) {
    const rows = await countByValue({ ...question, events: ['lead', 'sale'] }, 'event_name', {});
    return rows
      .map(({ value, numbers }) => ({
        eventName: value,
        count: numbers['leads']! + numbers['sales']!,
      }))
      .toSorted((a, b) => b.count - a.count || (a.eventName < b.eventName ? -1 : 1));
  },
};
