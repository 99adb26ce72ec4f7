/** Sort keys of the list, with the tables and expressions of their indexes. */
export const SORTS = {
  createdAt: { table: 'customers', sql: 'customers.id', type: 'text' },
  saleAmount: { table: 't', sql: 't.sale_amount_cents', type: 'bigint' },
  sales: { table: 't', sql: 't.sales', type: 'bigint' },
  leads: { table: 't', sql: 't.leads', type: 'bigint' },
  lastSeenAt: {
    table: 't',
    sql: "coalesce(t.last_seen_at, '-infinity'::timestamptz)",
    type: 'timestamptz',
  },
  firstClick: {
    table: 'customers',
    sql: "coalesce(customers.first_click_at, '-infinity'::timestamptz)",
    type: 'timestamptz',
  },
  country: { table: 'customers', sql: "coalesce(customers.country, '')", type: 'text' },
} as const;

export type CustomerSort = keyof typeof SORTS;
