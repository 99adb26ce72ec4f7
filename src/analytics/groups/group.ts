import type Joi from 'joi';
import type { EventParameter } from '../events.ts';
import type { Question } from '../source.ts';

/** One value of `groupBy`: how it is answered, and the shape of the answer. */
export interface Group {
  answer: Joi.Schema;
  /** What is counted where the request does not say; clicks without. */
  defaultEvent?: EventParameter;
  ask(question: Question): Promise<unknown>;
}
