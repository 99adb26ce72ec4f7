import type Joi from 'joi';
import type { EventParameter } from '../../kinds.ts';
import type { RecordNames } from '../../records.ts';
import type { CountQuery } from '../../store/store.ts';

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
  /** @param names reads the names of the records in an answer; most groups need none */
  read(query: CountQuery, names: RecordNames): Promise<unknown>;
}
