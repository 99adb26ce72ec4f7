import { flag, Joi, nullable, requiredCount, requiredText, requiredTime } from '../http/fields.ts';
import type { Page } from './model.ts';

/** A page shown before a destination. */
export type PageRecord = ReturnType<typeof toPage>;

/** The counters of a page. */
export interface PageCounters {
  views: number;
  leads: number;
}

export function toPage(row: Page, { views, leads }: PageCounters) {
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

/** Schema of the page record, for the reference and for checking answers. */
export const pageRecord = Joi.object({
  id: requiredText.description('Id of the page.').example('page_2Wm8nBv6Cx'),
  title: requiredText.description('Title.').example('Before you go'),
  text: nullable.description('Plain text; line breaks stay.'),
  image: nullable.description('URL of an image.'),
  button: nullable.description('Label of the button; null: "Continue" in the visitor’s language.'),
  fields: Joi.array()
    .items(
      Joi.object({
        name: requiredText
          .description('Name of the answer in the data of the lead.')
          .example('email'),
        label: requiredText.description('Question.').example('Your email'),
        type: requiredText.description('Kind of input.').example('email'),
        required: flag().required().description('Visitors must answer.'),
        placeholder: Joi.string().description('Hint in the empty input.'),
        options: Joi.array().items(Joi.string()).description('Choices of a `select`.'),
      }).meta({ name: 'FormField' }),
    )
    .required()
    .description('Fields of the form; empty: there is no form.'),
  waitSeconds: requiredCount.description('Seconds before the button can be used.').example(0),
  views: requiredCount.description('Number of times it was shown.'),
  leads: requiredCount.description('Number of times its form was filled in.'),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
}).meta({ name: 'Page' });
