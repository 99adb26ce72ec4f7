import { Joi, requiredText } from '../../../http/fields.ts';
import { shortLinkOf } from '../../../lookup/short-link.ts';
import { partsOf } from '../../dimensions.ts';
import { kindOf, kindsOfFamily, pluralOf, visitKindOf } from '../../kinds.ts';
import { eventsStore } from '../../store/index.ts';
import { numberSchemas } from '../numbers.ts';
import type { Group } from './group.ts';
import { listOf, recordList, variantList } from './list.ts';

/**
 * Makes the group of the links or QR codes with the most events.
 *
 * @param name the field that names the record, beside its `id`
 */
function topRecords(name: 'link' | 'qrcode', prefix: 'link_' | 'qr_'): Group {
  const text = Joi.string().allow('').required();
  return {
    list: recordList(name === 'link' ? 'Links' : 'QR codes'),
    defaultEvent: name === 'qrcode' ? pluralOf(visitKindOf(prefix)) : undefined,
    answer: Joi.array().items(
      Joi.object({
        [name]: text.description('Id, as in `id`.'),
        id: text.description('Id.'),
        domain: text.description('Domain of the short link.'),
        key: text.description('Key of the short link.'),
        shortLink: text.description('Short link.'),
        url: text.description('Destination URL.'),
        title: Joi.string()
          .allow('', null)
          .required()
          .description('Title; null if it has none, or was deleted.')
          .meta({ extension: true }),
        createdAt: Joi.string()
          .isoDate()
          .allow(null)
          .required()
          .description('Time of creation; null if it was deleted.'),
        ...numberSchemas,
      }),
    ),
    async read(query, { findNames }) {
      const rows = await eventsStore().countByValue(query, 'record', prefix);
      const names = await findNames(
        query.projectId,
        rows.map(({ value }) => value),
      );
      return rows.map(({ value: id, numbers }) => {
        const { domain, key, url, title = null, createdAt } = names.get(id)!;
        const row: Record<string, unknown> = {
          [name]: id,
          id,
          domain,
          key,
          shortLink: shortLinkOf(domain, key),
          url,
          title,
          createdAt,
        };
        // `Object.assign` instead of a spread: see V8 in docs/performance.md.
        return Object.assign(row, numbers);
      });
    },
  };
}

export const topLinks = topRecords('link', 'link_');
export const topQrCodes = topRecords('qrcode', 'qr_');

/** The pages in front of destinations that were shown most often. */
export const topPages: Group = {
  list: listOf('Pages', 'title'),
  defaultEvent: 'views',
  answer: Joi.array().items(
    Joi.object({
      page: requiredText.description('Id, as in `id`.'),
      id: requiredText.description('Id of the page.'),
      title: Joi.string().allow('').required().description('Title; empty if the page was deleted.'),
      ...numberSchemas,
    }),
  ),
  async read(query, { findTitles }) {
    const rows = await eventsStore().countByValue(query, 'page');
    const titles = await findTitles(
      query.projectId,
      rows.map(({ value }) => value),
    );
    return rows.map(({ value: id, numbers }) => ({
      page: id,
      id,
      title: titles.get(id) ?? '',
      ...numbers,
    }));
  },
};

/** Variants of A/B tests, each with its link or QR code. */
export const variants: Group = {
  list: variantList,
  answer: Joi.array().items(
    Joi.object({
      variant: requiredText.description('Name of the variant.'),
      id: requiredText.description('Id of the link or QR code.'),
      domain: Joi.string().allow('').required().description('Domain of the short link.'),
      key: Joi.string().allow('').required().description('Key of the short link.'),
      ...numberSchemas,
    }),
  ),
  async read(query, { findNames }) {
    const rows = await eventsStore().countByValue(query, 'variant');
    const variantRows = rows.map(({ value, numbers }) => {
      const [id = '', variant = ''] = partsOf(value);
      return { id, variant, numbers };
    });
    const ids = [...new Set(variantRows.map(({ id }) => id))];
    const names = await findNames(query.projectId, ids);
    return variantRows.map(({ id, variant, numbers }) => {
      const { domain, key } = names.get(id)!;
      return { variant, id, domain, key, ...numbers };
    });
  },
};

const CONVERSIONS = kindsOfFamily('conversion').filter(
  (kind) => kindOf(kind).reduces === undefined,
);

/** Leads and sales by name. */
export const topEvents: Group = {
  list: { ...listOf('Conversions', 'eventName'), measure: 'count' },
  answer: Joi.array().items(
    Joi.object({
      eventName: requiredText.description('Name of the lead or sale.'),
      count: Joi.number().required().description('Number of leads and sales.'),
    }),
  ),
  async read(query) {
    const rows = await eventsStore().countByValue({ ...query, events: CONVERSIONS }, 'event_name');
    return rows
      .map(({ value, numbers }) => ({
        eventName: value,
        count: CONVERSIONS.reduce((sum, kind) => sum + numbers[pluralOf(kind)]!, 0),
      }))
      .toSorted((a, b) => b.count - a.count || (a.eventName < b.eventName ? -1 : 1));
  },
};
