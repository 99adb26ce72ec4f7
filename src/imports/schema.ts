import { domainField } from '../http/domain-name.ts';
import { bodyFlag, flag, id, Joi, list, oneOf, paging, queryList, text } from '../http/fields.ts';
import { webAddress } from '../short-links/url-field.ts';
import type { Paging } from '../workspaces/lists.ts';
import { type Mapping, ON_CONFLICT } from './model.ts';
import { API_PROVIDER_NAMES, API_PROVIDERS, type ApiProviderName } from './providers/index.ts';
import type { ProviderWithApi } from './providers/provider.ts';
import { importField, importSource } from './record.ts';
import type { Source } from './source.ts';

/** Options of an import in a request; absent ones do not change. */
export interface OptionChanges {
  mapping?: Mapping;
  domain?: string | null | undefined;
  folderId?: string | null | undefined;
  tagIds?: string[] | null | undefined;
  onConflict?: (typeof ON_CONFLICT)[number];
  allowRandomKeys?: boolean | undefined;
  /** Passphrase of the export of a workspace. */
  passphrase?: string;
}

export interface NewImportQuery extends OptionChanges {
  name?: string;
  source?: Source;
  dryRun: boolean;
}

const MAPPING =
  'Fields by column name; null ignores a column. Columns that are not named are mapped by their ' +
  'headers.';
const DOMAIN = 'Domain of rows that name none; by default the workspace’s primary domain.';
const FOLDER = 'Id of the folder of rows that name none.';
const TAGS = 'Ids of up to 50 tags that all links get.';
const CONFLICT =
  'Handling of rows that match a link of the workspace by external id, or by domain and key: ' +
  '`skip` leaves the link as it is, `update` changes the fields that the row has, `fail-row` ' +
  'refuses the row.';

const RANDOM_KEYS =
  'Whether rows without a key, alone or in a short link, may become links with a random key. ' +
  'Required for a file that has such rows, because their old short links will not work.';

const mapping = Joi.object<Mapping>().pattern(text(210), importField.allow(null)).max(200);

/** A mapping in the query, as JSON. */
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

const onConflict = oneOf(ON_CONFLICT);

export const newImportQuery = Joi.object<NewImportQuery>({
  name: text(200).description('Name of the file, for display.'),
  source: importSource.description(
    'Service that exported the file. Default: detected by the properties or columns of the file. ' +
      '`csv`: the columns are mapped to fields, as they also are if `mapping` maps one; ' +
      '`workspace`: an export of `POST /exports`, which is never detected.',
  ),
  dryRun: flag()
    .default(false)
    .description('Checks the file without importing it; `POST /imports/{id}/start` imports it.'),
  mapping: mappingText.description(
    `${MAPPING} A JSON object. If it only ignores columns, the service is still detected.`,
  ),
  domain: domainField().description(DOMAIN),
  folderId: id().description(FOLDER),
  tagIds: queryList(id()).max(50).description(TAGS),
  onConflict: onConflict.default('skip').description(CONFLICT),
  allowRandomKeys: flag().default(false).description(RANDOM_KEYS),
});

export interface NewFetchBody extends OptionChanges {
  source: ApiProviderName;
  token: string;
  url?: string;
  name?: string;
  dryRun: boolean;
}

const INSTALLED = API_PROVIDER_NAMES.filter(
  (name) => (API_PROVIDERS[name] as ProviderWithApi).api.url === undefined,
);

export const newFetchBody = Joi.object<NewFetchBody>({
  source: oneOf(API_PROVIDER_NAMES)
    .required()
    .description('Service whose links are read.')
    .example('shlink')
    .meta({ name: 'ImportPeer' }),
  token: text(1_000)
    .required()
    .description(
      'Key of the service’s API: a Bitly access token, a Dub, Kutt, Shlink or Short.io API key, ' +
        'or a YOURLS signature token. It is stored encrypted, and deleted when the links have ' +
        'been read.',
    )
    .example('5d3f1c2a-7f0e-4a52-9c1b-0e6f6c1d2b3a'),
  url: webAddress()
    .when('source', { is: Joi.valid(...INSTALLED), then: Joi.required() })
    .description('URL of the service, if you host it; required for Shlink and YOURLS.')
    .example('https://s.example.com'),
  name: text(200).description('Name of the import, for display.').example('Our Shlink'),
  dryRun: bodyFlag()
    .default(false)
    .description(
      'Checks the links without importing them; `POST /imports/{id}/start` imports them.',
    )
    .example(true),
  domain: domainField().description(DOMAIN).example('go.example.com'),
  folderId: id().description(FOLDER).example('fold_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  tagIds: list(id()).max(50).description(TAGS).example(['tag_0VKAM3TWq8Zr5XnYb2VdLcHs']),
  onConflict: onConflict.default('skip').description(CONFLICT).example('skip'),
  allowRandomKeys: bodyFlag().default(false).description(RANDOM_KEYS).example(false),
}).meta({ name: 'NewImportFetch' });

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
  allowRandomKeys: bodyFlag().description(RANDOM_KEYS).example(true),
  passphrase: Joi.string()
    .max(200)
    .description(
      'Passphrase that encrypts the passwords in the export of a workspace. It is stored ' +
        'encrypted, and deleted when the import ends.',
    )
    .example('correct horse battery staple'),
})
  .min(1)
  .meta({ name: 'ImportUpdate' });

export const importParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the import.'),
});

export interface StartQuery {
  allowRandomKeys?: boolean;
}

export const startQuery = Joi.object<StartQuery>({
  allowRandomKeys: flag().description(RANDOM_KEYS),
});

export const importListQuery = Joi.object<Paging>(paging(100));
