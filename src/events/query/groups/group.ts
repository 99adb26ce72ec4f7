import type Joi from 'joi';
import type { Phrase } from '../../../web/phrases/en.ts';
import type { EventParameter } from '../../kinds.ts';
import type { RecordNames } from '../../records.ts';
import type { CountQuery } from '../../store/store.ts';

/** A row of an answer. */
export type Row = Readonly<Record<string, string | number | null>>;

/** Names of values in a language; those that the service does not name stay unchanged. */
export interface ValueNames {
  country(code: string): string;
  continent(code: string): string;
  device(name: string): string;
  /** Name of a source or referrer. */
  source(name: string): string;
}

/** The list of a group on pages for people. */
export interface GroupList {
  /** Phrase, or the name of a UTM parameter. */
  title: Phrase | `utm_${string}`;
  /** Returns the value of a row, as files have it. */
  valueOf(row: Row): string;
  /** Returns its name for people; absent if the value is the name. */
  nameOf?(row: Row, names: ValueNames): string;
  /** Field with the count, if it is not that of the counted events. */
  measure?: 'count';
}

/**
 * A value of `groupBy`: the query that answers it, and the schema of the answer. Rows are sorted by
 * count, highest first, then by value, and values without events are left out. Rows of a time
 * series are in order of time, without gaps.
 */
export interface Group {
  /** Schema of the answer for the reference, which names it after the first group that uses it. */
  answer: Joi.Schema;
  /** Default of the parameter `event`; clicks if absent. */
  defaultEvent?: EventParameter | undefined;
  /** Absent if its rows are no values with counts. */
  list?: GroupList;
  /** @param names reads the names of the records in an answer; most groups need none */
  read(query: CountQuery, names: RecordNames): Promise<unknown>;
}
