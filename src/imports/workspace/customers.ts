import { customerFields } from '../../customers/fields.ts';
import type { FirstClick } from '../../customers/model.ts';
import { dateTime, Joi } from '../../http/fields.ts';
import type { Db } from '../../infra/db.ts';
import { type ArchiveContext, importedId } from './context.ts';

type Data = Record<string, unknown>;

const count = () => Joi.number().strict().integer().min(0).max(Number.MAX_SAFE_INTEGER).required();

/** Customers of an archive. Their leads, sales and refunds are counted when they are imported. */
export const CUSTOMERS = {
  table: 'customers',
  schema: Joi.object<Data>({
    ...customerFields,
    id: Joi.string().required(),
    externalId: Joi.string().max(500).required(),
    clickId: Joi.string().pattern(/^(?:evt|clk)_[\w-]{1,64}$/),
    // Archives of earlier releases have no first click.
    firstClickAt: dateTime(),
    firstClick: Joi.object({
      linkId: Joi.string().max(100).allow(null).required(),
      domain: Joi.string().max(253).allow('').required(),
      key: Joi.string().max(1_000).allow('').required(),
      country: Joi.string().max(20).allow('').required(),
      referer: Joi.string().max(253).allow('').required(),
    }),
    lastSeenAt: dateTime(),
    countersBefore: Joi.object({
      leads: count(),
      sales: count(),
      saleAmountCents: count().min(-Number.MAX_SAFE_INTEGER),
      refundAmountCents: count(),
    }),
    createdAt: dateTime().required(),
    updatedAt: dateTime().required(),
  }),
  row: (
    context: ArchiveContext,
    {
      externalId,
      name,
      email,
      avatar,
      country,
      clickId,
      firstClickAt,
      firstClick,
      createdAt,
      updatedAt,
    }: Data,
  ) => ({
    external_id: externalId,
    name,
    email,
    avatar,
    country,
    click_id: typeof clickId === 'string' ? importedId(context, clickId) : null,
    first_click_at: firstClickAt ?? null,
    first_click: firstClick === undefined ? null : importedClick(context, firstClick as FirstClick),
    created_at: createdAt,
    updated_at: updatedAt,
  }),
};

const importedClick = (context: ArchiveContext, click: FirstClick): FirstClick => ({
  ...click,
  linkId: click.linkId === null ? null : importedId(context, click.linkId),
});

/** Creates the counters of new customers, with the counts of events that had been deleted. */
export async function insertCustomerCounters(
  trx: Db,
  context: ArchiveContext,
  customers: readonly Data[],
): Promise<void> {
  if (customers.length === 0) return;
  await trx('customer_counters').insert(
    customers.map(({ id, lastSeenAt, countersBefore: before }) => {
      const sums = (before ?? {}) as Data;
      return {
        project_id: context.importRow.project_id,
        customer_id: importedId(context, String(id)),
        leads: sums['leads'] ?? 0,
        sales: sums['sales'] ?? 0,
        sale_amount_cents: sums['saleAmountCents'] ?? 0,
        refund_amount_cents: sums['refundAmountCents'] ?? 0,
        last_seen_at: lastSeenAt ?? null,
      };
    }),
  );
}
