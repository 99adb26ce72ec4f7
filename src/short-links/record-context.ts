/** A tag of a link or QR code. */
export interface TagReference {
  id: string;
  name: string;
}

/** The parts of a record that its row does not contain. */
export interface RecordContext {
  /** Name of the domain. */
  domain: string;
  tags: TagReference[];
  /** Absent: nobody has come yet. */
  counters?: Counters;
}

/** Counts of visits, leads and sales of a record; amounts in US cents. */
export interface Counters {
  visits: number;
  leads: number;
  sales: number;
  saleAmountCents: number;
  lastVisitAt: Date | null;
}

/** The counters of a record that nobody has visited. */
export const NO_COUNTERS: Counters = {
  visits: 0,
  leads: 0,
  sales: 0,
  saleAmountCents: 0,
  lastVisitAt: null,
};
