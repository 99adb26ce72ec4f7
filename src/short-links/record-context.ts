/** A tag of a link or QR code. */
export interface TagReference {
  id: string;
  name: string;
}

/** The parts of a record that are not columns of its row. */
export interface RecordContext {
  /** Name of the domain. */
  domain: string;
  tags: TagReference[];
  /** Absent if nobody has visited the record. */
  counters?: Counters;
}

/** Counts of visits, leads and sales of a record; amounts in US cents, of sales less refunds. */
export interface Counters {
  visits: number;
  leads: number;
  sales: number;
  saleAmountCents: number;
  refundAmountCents: number;
  lastVisitAt: Date | null;
}

/** The counters of a record without visits. */
export const NO_COUNTERS: Counters = {
  visits: 0,
  leads: 0,
  sales: 0,
  saleAmountCents: 0,
  refundAmountCents: 0,
  lastVisitAt: null,
};
