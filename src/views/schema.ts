import type { ObjectSchema } from 'joi';
import { bodyFlag, Joi, nameText } from '../http/fields.ts';
import { check, parseQueryField } from '../http/input.ts';
import { linkListQuery } from '../links/schema.ts';
import { qrCodeListQuery } from '../qrcodes/schema.ts';

/** Parameters of lists that views do not store: paging, and filters that must not be shared. */
const LEFT_OUT = ['page', 'pageSize', 'after', 'projectSlug', 'password'];

const viewed = (query: ObjectSchema): ObjectSchema =>
  query.fork(LEFT_OUT, (field) => field.forbidden());

/** Lists with views, and the parameters that a view can store. */
const LISTS = { links: viewed(linkListQuery), qrcodes: viewed(qrCodeListQuery) };
export type ListName = keyof typeof LISTS;
export const LIST_NAMES = Object.keys(LISTS) as ListName[];

/** The writable fields of a view. An absent field is not changed. */
export interface ViewChanges {
  name?: string;
  query?: string;
  shared?: boolean;
}

export interface NewView extends ViewChanges {
  list: ListName;
  name: string;
  query: string;
  shared: boolean;
}

const MAX_QUERY_LENGTH = 2_000;

const fields = {
  name: nameText(190)
    .description('Name, at most 190 characters; unique regardless of case in its list.')
    .example('Spring launch'),
  query: Joi.string()
    .allow('')
    .max(MAX_QUERY_LENGTH)
    .description(
      'Filters and order: the query string of `GET /links` or `GET /qrcodes`, at most 2,000 characters, without pages and ' +
        'passwords.',
    )
    .example('search=spring&sort=clicks'),
  shared: bodyFlag().description(
    'true: everyone in the workspace has the view; false: only the caller.',
  ),
};

export const list = Joi.string().valid(...LIST_NAMES);

export const newViewBody = Joi.object<NewView>({
  ...fields,
  list: list.required().description('List that the view is for.'),
  name: fields.name.required(),
  query: fields.query.required(),
  shared: fields.shared.default(false),
}).meta({ name: 'NewView' });

export const viewChangesBody = Joi.object<ViewChanges>(fields).meta({ name: 'ViewUpdate' });

/**
 * Validates the query of a view. @throws Refusal `unprocessable_entity` naming the unknown
 * parameters
 */
export function checkQuery(name: ListName, query: string): void {
  check(Joi.object({ query: LISTS[name] }), { query: parseQueryField('query', query) }, 'body');
}
