import { bodyFlag, id, Joi, nullableText, paging, text } from '../infra/fields.ts';
import { parseUrl } from '../infra/url.ts';
import type { FormField } from '../lookup/entry.ts';

const FIELD_TYPES = ['text', 'email', 'phone', 'number', 'textarea', 'select', 'checkbox'] as const;
const MOST_FIELDS = 30;
const LONGEST_WAIT = 60;

/** What may be set on a page. An absent field stays, `null` clears it. */
export interface PageChanges {
  title?: string;
  text?: string | null;
  image?: string | null;
  button?: string | null;
  fields?: FormField[] | null;
  waitSeconds?: number | null;
}

export interface NewPage extends PageChanges {
  title: string;
}

const picture = () =>
  Joi.string()
    .max(2_000)
    .custom((value: string, { error }) => {
      const url = /^https?:\/\/[^/]/i.test(value) ? parseUrl(value) : undefined;
      return (
        url?.href ?? error('rule', { rule: 'must be a URL that begins with http:// or https://' })
      );
    });

const field = Joi.object<FormField>({
  name: text(50)
    .pattern(/^[A-Za-z][A-Za-z0-9_-]*$/, { name: 'a letter, then letters, digits, _ and -' })
    .required()
    .description('Under which the answer is kept.'),
  label: text(200).required().description('The question.'),
  type: Joi.string()
    .valid(...FIELD_TYPES)
    .default('text'),
  required: bodyFlag().default(false),
  placeholder: text(200),
  options: Joi.array()
    .items(text(200))
    .min(1)
    .max(100)
    .unique()
    .when('type', { is: 'select', then: Joi.required(), otherwise: Joi.forbidden() })
    .description('What can be chosen; of a select only.'),
});

const changes = {
  title: text(200),
  text: nullableText(5_000).description('Plain text; line breaks are kept.'),
  image: picture().allow(null).description('Address of a picture; shown, not copied.'),
  button: nullableText(80).description('Words on the button; without it, "Continue".'),
  fields: Joi.array()
    .items(field)
    .max(MOST_FIELDS)
    .unique('name')
    .allow(null)
    .description('Questions of a form. Its answers become a lead.'),
  waitSeconds: Joi.number()
    .integer()
    .strict()
    .min(0)
    .max(LONGEST_WAIT)
    .allow(null)
    .description('Time before the button can be used, in seconds.'),
};

export const newPageBody = Joi.object<NewPage>({ ...changes, title: changes.title.required() });

export const pageChangesBody = Joi.object<PageChanges>(changes);

export const pageParams = Joi.object<{ id: string }>({ id: id().required() });

export interface PageListQuery {
  search?: string;
  page: number;
  pageSize: number;
}

export const pageListQuery = Joi.object<PageListQuery>({
  search: text(200).description('A part of the title.'),
  ...paging(100),
});
