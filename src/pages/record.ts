import { flag, Joi } from '../infra/fields.ts';
import type { FormField } from '../lookup/entry.ts';
import type { Page } from './model.ts';

/** A page that is shown before a destination. */
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

/** What has been counted of a page. */
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

/** The page record, for the reference and for checking answers. */
export const pageRecord = Joi.object({
  id: Joi.string().required(),
  title: Joi.string().required(),
  text: nullable,
  image: nullable,
  button: nullable,
  fields: Joi.array()
    .items(
      Joi.object({
        name: Joi.string().required(),
        label: Joi.string().required(),
        type: Joi.string().required(),
        required: flag().required(),
        placeholder: Joi.string(),
        options: Joi.array().items(Joi.string()),
      }),
    )
    .required(),
  waitSeconds: Joi.number().integer().required(),
  views: Joi.number().integer().required().description('How often it was shown.'),
  leads: Joi.number().integer().required().description('How often its form was filled in.'),
  createdAt: Joi.string().isoDate().required(),
  updatedAt: Joi.string().isoDate().required(),
});
