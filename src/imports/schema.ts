import { domainField } from '../http/domain-name.ts';
import { flag, id, Joi, list, paging, queryList, text } from '../http/fields.ts';
import { type Mapping, ON_CONFLICT } from './model.ts';
import { importField } from './record.ts';

/** Options of an import as a request has them; an absent one stays. */
export interface OptionChanges {
  mapping?: Mapping;
  domain?: string | null;
  folderId?: string | null;
  tagIds?: string[] | null;
  onConflict?: (typeof ON_CONFLICT)[number];
}

export interface NewImportQuery extends OptionChanges {
  name?: string;
  dryRun: boolean;
}

const MAPPING =
  'Fields by the names of columns; null ignores a column. A column that is not named is mapped by its header.';
const DOMAIN = 'Domain of rows that name none; by default the workspace’s primary domain.';
const FOLDER = 'Id of the folder of rows that name none.';
const TAGS = 'Ids of up to 50 tags that all links get.';
const CONFLICT =
  'Handling of rows whose external id, or domain and key, a link of the workspace has: `skip` leaves the link as it is, ' +
  '`update` changes the fields that the row has, `fail-row` refuses the row.';

const mapping = Joi.object<Mapping>().pattern(text(210), importField.allow(null)).max(200);

/** A mapping in a query, as JSON. */
const mappingText = Joi.string().custom((value: string, { error }) => {
  const wrong = () =>
    error('rule', { rule: 'must be a JSON object of fields by columns, such as {"Target":"url"}' });
  try {
    const { value: checked, error: fault } = mapping.validate(JSON.parse(value));
    return fault === undefined ? (checked as Mapping) : wrong();
  } catch {
    return wrong();
  }
});

const onConflict = Joi.string().valid(...ON_CONFLICT);

export const newImportQuery = Joi.object<NewImportQuery>({
  name: text(200).description('Name of the file, for people.'),
  dryRun: flag()
    .default(false)
    .description('Checks the file without importing it; `POST /imports/{id}/start` imports it.'),
  mapping: mappingText.description(`${MAPPING} A JSON object.`),
  domain: domainField().description(DOMAIN),
  folderId: id().description(FOLDER),
  tagIds: queryList(id()).max(50).description(TAGS),
  onConflict: onConflict.default('skip').description(CONFLICT),
});

export const importChangesBody = Joi.object<OptionChanges>({
  mapping: mapping.description(MAPPING).example({ Target: 'url', Clicks: null }),
  domain: domainField().allow(null).description(DOMAIN).example('go.example.com'),
  folderId: id().allow(null).description(FOLDER).example('fold_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  tagIds: list(id())
    .max(50)
    .allow(null)
    .description(TAGS)
    .example(['tag_0VKAM3TWq8Zr5XnYb2VdLcHs']),
  onConflict: onConflict.description(CONFLICT).example('update'),
})
  .min(1)
  .meta({ name: 'ImportUpdate' });

export const importParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the import.'),
});

export interface ImportListQuery {
  page: number;
  pageSize: number;
}

export const importListQuery = Joi.object<ImportListQuery>(paging(100));
