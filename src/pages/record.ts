import { flag, Joi } from '../http/fields.ts';
import type { FormField } from '../lookup/entry.ts';
import type { Page } from './model.ts';

/** A page shown before a destination. */
export interface PageRecord {
  id: string;
  title: string;
  text: string | null;
  image: string | null;
  button: string | null;
  fields: FormField[];
  waitSeconds: number;
  views: number;
  leads: number;
  createdAt: string;
  updatedAt: string;
}

/** The counters of a page. */
export interface PageCounters {
  views: number;
  leads: number;
}

export function toPage(row: Page, { views, leads }: PageCounters): PageRecord {
  const { title, text = null, image = null, button = null, fields = [] } = row.content;
  return {
    id: row.id,
    title,
    text,
    image,
    button,
    fields,
    waitSeconds: row.content.waitSeconds ?? 0,
    views,
    leads,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

const nullable = Joi.string().allow(null).required();

/** Schema of the page record, for the reference and for checking answers. */
export const pageRecord = Joi.object({
  id: Joi.string().required().description('Id of the page.').example('page_2Wm8nBv6Cx'),
  title: Joi.string().required().description('Title.').example('Before you go'),
  text: nullable.description('Plain text; line breaks are kept.'),
  image: nullable.description('Address of an image.'),
  button: nullable.description('Label of the button; null: "Continue" in the visitor’s language.'),
  fields: Joi.array()
    .items(
      Joi.object({
        name: Joi.string()
          .required()
          .description('Name under which the answer is stored.')
          .example('email'),
        label: Joi.string().required().description('Question.').example('Your email'),
        type: Joi.string().required().description('Kind of input.').example('email'),
        required: flag().required().description('Visitors must answer.'),
        placeholder: Joi.string().description('Hint in the empty input.'),
        options: Joi.array().items(Joi.string()).description('Choices of a `select`.'),
      }).meta({ name: 'FormField' }),
    )
    .required()
    .description('Fields of the form; empty: there is no form.'),
  waitSeconds: Joi.number()
    .integer()
    .required()
    .description('Seconds before the button can be used.')
    .example(0),
  views: Joi.number().integer().required().description('Number of times it was shown.'),
  leads: Joi.number().integer().required().description('Number of times its form was filled in.'),
  createdAt: Joi.string().isoDate().required().description('Time of creation.'),
  updatedAt: Joi.string().isoDate().required().description('Time of the last change.'),
}).meta({ name: 'Page' });
