import { bodyFlag, id, Joi, nameText, nullableText, oneOf, paging, text } from '../http/fields.ts';
import type { FormField } from '../lookup/entry.ts';
import { webAddress } from '../short-links/url-field.ts';
import type { SearchQuery } from '../workspaces/lists.ts';

const FIELD_TYPES = ['text', 'email', 'phone', 'number', 'textarea', 'select', 'checkbox'] as const;
const MAX_FIELDS = 30;
const MAX_WAIT_SECONDS = 60;

/** The writable fields of a page. An absent field is not changed, `null` clears it. */
export interface PageChanges {
  title?: string;
  text?: string | null;
  image?: string | null;
  button?: string | null;
  fields?: FormField[] | null;
  waitSeconds?: number | null;
}

export type NewPage = PageChanges & { title: string };

const field = Joi.object<FormField>({
  name: text(50)
    .pattern(/^[A-Za-z][A-Za-z0-9_-]*$/, {
      name: 'letters, digits, _ or -, beginning with a letter',
    })
    .required()
    .example('email')
    .description('Name of the answer in the data of the lead.'),
  label: text(200).required().description('Question that visitors read.').example('Your email'),
  type: oneOf(FIELD_TYPES).default('text').description('Kind of input.'),
  required: bodyFlag().default(false).description('Visitors must answer.'),
  placeholder: text(200).description('Hint in the empty input, at most 200 characters.'),
  options: Joi.array()
    .items(text(200))
    .min(1)
    .max(100)
    .unique()
    .when('type', { is: 'select', then: Joi.required(), otherwise: Joi.forbidden() })
    .description('Choices. Required for `select`, not allowed otherwise.'),
}).meta({ name: 'NewFormField' });

const changes = {
  title: nameText(200).description('Title, at most 200 characters.').example('Before you go'),
  text: nullableText(5_000).description('Plain text, at most 5,000 characters; line breaks stay.'),
  image: webAddress()
    .max(2_000)
    .allow(null)
    .description('URL of an image, which browsers load from there.'),
  button: nullableText(80).description(
    'Label of the button, at most 80 characters. Default: "Continue".',
  ),
  fields: Joi.array()
    .items(field)
    .max(MAX_FIELDS)
    .unique('name')
    .allow(null)
    .description('Fields of a form, at most 30. Answers are recorded as a lead.'),
  waitSeconds: Joi.number()
    .integer()
    .strict()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .allow(null)
    .description('Seconds before the button can be used, at most 60. Default 0.'),
};

export const newPageBody = Joi.object<NewPage>({
  ...changes,
  title: changes.title.required(),
}).meta({
  name: 'NewPage',
});

export const pageChangesBody = Joi.object<PageChanges>(changes).meta({ name: 'PageUpdate' });

export const pageParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the page.'),
});

export type PageListQuery = SearchQuery;

export const pageListQuery = Joi.object<PageListQuery>({
  search: text(200).description('Part of the title, regardless of case.'),
  ...paging(100),
});
