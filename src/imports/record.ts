import { ARCHIVE_KINDS } from '../exports/archive.ts';
import { Joi, nullable, oneOf, requiredCount, requiredText, requiredTime } from '../http/fields.ts';
import { FIELD_NAMES } from './fields.ts';
import { fieldsOf } from './mapping.ts';
import { type Import, ON_CONFLICT, STATES } from './model.ts';
import { PROVIDER_NAMES } from './providers/index.ts';
import { importWarning, warningsOf } from './warnings.ts';

/** Time for which the file of an import is kept after the import ends, in ms. */
export const KEEP_FILE_MS = 24 * 3_600_000;

/** The public record of an import. */
export type ImportRecord = ReturnType<typeof toImport>;

/** Converts a row to the public record. */
export function toImport(importRow: Import) {
  const { bytes, encoding, delimiter, columns } = importRow.file;
  const { domain = null, folderId = null, tagIds, onConflict } = importRow.options;
  const { allowRandomKeys = false } = importRow.options;
  const fields = fieldsOf(importRow);
  const { undo } = importRow;
  return {
    id: importRow.id,
    name: importRow.name,
    state: importRow.state,
    source: importRow.source,
    warnings: warningsOf(importRow),
    userId: importRow.user_id,
    createdAt: importRow.created_at.toISOString(),
    startedAt: importRow.started_at?.toISOString() ?? null,
    endedAt: importRow.ended_at?.toISOString() ?? null,
    url: importRow.remote?.url ?? null,
    failure: importRow.failure,
    file: { bytes, encoding, delimiter, expiresAt: expiryOf(importRow) },
    columns: columns.map((name, at) => ({ name, field: fields[at] ?? null })),
    options: { domain, folderId, tagIds: tagIds ?? [], onConflict, allowRandomKeys },
    progress: progressOf(importRow),
    counts: {
      created: importRow.created,
      updated: importRow.updated,
      skipped: importRow.skipped,
      refused: importRow.refused,
    },
    renamed: importRow.renamed,
    keyless: importRow.file.keyless ?? 0,
    undo:
      undo === null
        ? null
        : { total: undo.total, deleted: undo.deleted, changed: undo.changed, gone: undo.gone },
  };
}

function progressOf({ state, undo, remote, rows, done }: Import): { done: number; total: number } {
  if (undo !== null) {
    return { done: undo.deleted + undo.changed + undo.gone, total: undo.total };
  }
  const isFetching = state === 'fetching' || state === 'failed';
  return isFetching ? { done: rows, total: remote?.total ?? rows } : { done, total: rows };
}

/** Returns the time at which the file is deleted; `null` while it is needed. */
const expiryOf = ({ ended_at }: Import): string | null =>
  ended_at === null ? null : new Date(ended_at.getTime() + KEEP_FILE_MS).toISOString();

const count = (description: string) => requiredCount.description(description).example(0);
const time = (description: string) => requiredTime.description(description);

/** Schema of a link field that a column can be mapped to. */
export const importField = oneOf(FIELD_NAMES).meta({ name: 'ImportField' });

/** Schema of the source of an import. */
export const importSource = Joi.string()
  .valid('csv', 'workspace', ...PROVIDER_NAMES)
  .meta({ name: 'ImportSource' });

const fault = Joi.object({
  column: nullable
    .description('Name of the column; null if no column has the field.')
    .example('long_url'),
  message: requiredText.description('The field and its rule.').example('url must be a valid URL'),
}).meta({ name: 'ImportFault' });

const outcome = Joi.string().valid('created', 'updated', 'skipped', 'refused').required();

const fields = {
  id: requiredText.description('Id of the import.').example('imp_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  name: nullable.description('Name of the file, if one was given.').example('links.csv'),
  state: oneOf(STATES)
    .required()
    .description(
      '`fetching`: links are read from an API; `failed`: they could not be read; `checking`: a ' +
        'dry run is in progress; `checked`: it is done, and the import can be started; `queued`, ' +
        '`running`, `done`; `cancelled`: rows that were imported before stay; `undoing`, ' +
        '`undone`.',
    )
    .example('checked'),
  source: importSource
    .required()
    .description(
      'Service that the links come from; `csv`: columns are mapped to fields; `workspace`: a ' +
        'whole workspace.',
    )
    .example('dub'),
  warnings: Joi.array()
    .items(importWarning)
    .required()
    .description(
      'Warnings, to read before the import starts: first how many rows have no key; then how ' +
        'ambiguous dates and numbers are read, and which values were left out because links do ' +
        'not depend on them.',
    ),
  userId: requiredText
    .description('Id of the user who created it.')
    .example('user_0VKAM3TWq8Zr5XnYb2VdLcHs'),
  createdAt: time('Time of the upload (ISO 8601, UTC).'),
  startedAt: time('Time at which the first rows were imported.').allow(null),
  endedAt: time('Time at which it was checked, done, cancelled or undone, or failed.').allow(null),
  url: nullable
    .description('URL of the API that the links are read from; null for a file.')
    .example(null),
  failure: nullable.description('Why the links could not be read from the API.').example(null),
  file: Joi.object({
    bytes: requiredCount.description('Size, in bytes.').example(20_480),
    encoding: requiredText.description('Detected character encoding.').example('utf-8'),
    delimiter: nullable
      .description('Detected delimiter: a comma, a semicolon or a tab; null for JSON.')
      .example(','),
    expiresAt: time(
      'Time at which the file and its errors are deleted; null while the import is running.',
    ).allow(null),
  })
    .required()
    .description('The file.')
    .meta({ name: 'ImportFile' }),
  columns: Joi.array()
    .items(
      Joi.object({
        name: requiredText.description('Header of the column.').example('long_url'),
        field: importField
          .allow(null)
          .required()
          .description('Field that it is mapped to; null: it is ignored.')
          .example('url'),
      }).meta({ name: 'ImportColumn' }),
    )
    .required()
    .description('Columns of the file, in their order.'),
  options: Joi.object({
    domain: nullable.description('Domain of rows that name none.').example('go.example.com'),
    folderId: nullable.description('Folder of rows that name none.').example(null),
    tagIds: Joi.array()
      .items(Joi.string())
      .required()
      .description('Tags that all links get.')
      .example([]),
    onConflict: oneOf(ON_CONFLICT)
      .required()
      .description('Handling of rows that match a link by key or external id.')
      .example('skip'),
    allowRandomKeys: Joi.boolean()
      .required()
      .description('Whether rows without a key may become links with a random key.')
      .example(false),
  })
    .required()
    .description('Options.')
    .meta({ name: 'ImportOptions' }),
  progress: Joi.object({
    done: count('Rows read, at first from the API; for an undo, links processed.'),
    total: count('Rows of the file; for an undo, its links.'),
  })
    .required()
    .description('Progress of the check, the import or the undo.')
    .meta({ name: 'ImportProgress' }),
  counts: Joi.object({
    created: count('Rows that became links.'),
    updated: count('Rows that changed a link.'),
    skipped: count('Rows whose link existed already.'),
    refused: count('Rows that break a rule.'),
  })
    .required()
    .description('Outcomes of rows; after a check, the outcomes to expect.')
    .meta({ name: 'ImportCounts' }),
  renamed: count(
    'Created or updated rows whose short link changes, because its domain is not the workspace’s.',
  ),
  keyless: count(
    'Rows without a key, whose links get random keys; to import them, set `allowRandomKeys`.',
  ),
  undo: Joi.object({
    total: count('Links that the import created and that existed at the undo.'),
    deleted: count('Links that were deleted.'),
    changed: count('Links that stay, because they were changed after the import.'),
    gone: count('Links that had been deleted before.'),
  })
    .allow(null)
    .required()
    .description('Outcome of the undo, so far.')
    .meta({ name: 'ImportUndo' }),
};

/** Schema of the import record, for the reference and for checking answers. */
export const importRecord = Joi.object(fields).meta({ name: 'Import' });

/** Schema of the import record with its preview and first errors. */
export const importDetails = Joi.object({
  ...fields,
  preview: Joi.object({
    rows: Joi.array()
      .items(
        Joi.object({
          row: requiredCount
            .description('Number of the row; the first one of the file is 1.')
            .example(2),
          outcome: outcome.description('Outcome if the row is imported.').example('created'),
          cells: Joi.object()
            .pattern(Joi.string(), Joi.string().allow(''))
            .required()
            .description('Cells by column, up to 200 characters each; passwords are hidden.')
            .example({ long_url: 'https://example.com/' }),
          link: Joi.object()
            .pattern(Joi.string(), Joi.string())
            .required()
            .description('Cells by the field that they map to.')
            .example({ url: 'https://example.com/' }),
          errors: Joi.array().items(fault).required().description('Rules that the row breaks.'),
        }).meta({ name: 'ImportPreviewRow' }),
      )
      .required()
      .description('The first 20 rows.'),
    newTags: Joi.array()
      .items(Joi.string())
      .required()
      .description('Names of tags that the import creates, at most 100.')
      .example(['spring']),
    otherDomains: Joi.array()
      .items(Joi.string())
      .required()
      .description(
        'Domains of short links that are not the workspace’s, at most 100: their links get the domain of the options.',
      )
      .example(['bit.ly']),
    newDomains: Joi.array()
      .items(Joi.string())
      .required()
      .description(
        'Domains that the import of a workspace adds, at most 100. They must be verified before their links redirect.',
      )
      .example(['go.example.com']),
    takenDomains: Joi.array()
      .items(Joi.string())
      .required()
      .description(
        'Of these, domains that another workspace has verified: they can’t be verified here while it has them.',
      )
      .example([]),
    kinds: Joi.array()
      .items(
        Joi.object({
          kind: oneOf(ARCHIVE_KINDS).required().description('Kind of the records.').example('link'),
          created: count('Records that were new.'),
          updated: count('Always 0.'),
          skipped: count('Records that existed already.'),
          refused: count('Records that break a rule.'),
        }).meta({ name: 'ImportKind' }),
      )
      .required()
      .description('Outcomes of the records of a workspace, by kind; empty for other files.'),
  })
    .allow(null)
    .required()
    .description('Result of a check; null without one.')
    .meta({ name: 'ImportPreview' }),
  errors: Joi.array()
    .items(
      Joi.object({
        row: requiredCount
          .description('Number of the row; the first one of the file is 1.')
          .example(3),
        column: fault.extract('column'),
        message: fault.extract('message'),
      }).meta({ name: 'ImportError' }),
    )
    .required()
    .description('The first 100 errors; `GET /imports/{id}/errors` has all.'),
}).meta({ name: 'ImportDetails' });
