import type Joi from 'joi';
import type { EventRow } from '../../events/event.ts';
import type { EventFilter } from '../filters.ts';
import type { Span } from '../interval.ts';

/** A question over the events of a workspace. */
export interface Question {
  projectId: string;
  span: Span;
  filter: EventFilter;
  /** What is counted; clicks without. */
  event?: EventRow['event'];
}

/** One value of `groupBy`: how it is answered, and the shape of the answer. */
export interface Group {
  answer: Joi.Schema;
  ask(question: Question): Promise<unknown>;
}
