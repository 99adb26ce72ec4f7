import type Joi from 'joi';
import type { EventParameter } from '../../kinds.ts';
import type { RecordNames } from '../../records.ts';
import type { Question } from '../../store/store.ts';

/**
 * One value of `groupBy`: how it is answered, and the shape of the answer. Rows are sorted by count, highest first, then by
 * value, and values without events have none; those of a time series are in the order of time, without gaps.
 */
export interface Group {
  /** For the reference, which names it after the first group that has it. */
  answer: Joi.Schema;
  /** Default of the parameter `event`; clicks without it. */
  defaultEvent?: EventParameter | undefined;
  /** @param names of the records of an answer; most groups need none */
  ask(question: Question, names: RecordNames): Promise<unknown>;
}
