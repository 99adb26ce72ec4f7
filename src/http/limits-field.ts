import { type StoredLimits } from '../workspaces/limits.ts';
import { domainField } from './domain-name.ts';
import { bodyFlag, flag, id, Joi, list } from './fields.ts';

/** Maximum number of folders, and of domains, of limits. */
const MAX_PLACES = 100;

const WHAT = 'a link or QR code must be inside of all that are set';

/** Schema of limits in a body; the value is in the form in which limits are stored. */
export const limitsField = () =>
  Joi.object({
    folderIds: list(id())
      .min(1)
      .max(MAX_PLACES)
      .allow(null)
      .description('Ids of folders: only records in one of them.')
      .example(['fold_5Hx1vQ0aTq']),
    domains: list(domainField())
      .min(1)
      .max(MAX_PLACES)
      .allow(null)
      .description('Names of domains: only records on one of them.')
      .example(['go.example.com']),
    own: bodyFlag()
      .allow(null)
      .description('true: only records that the person created, also with their keys.'),
  })
    .custom(
      (sent: Partial<SentLimits>, { error }) =>
        toStored(sent) ??
        error('rule', { rule: 'must have folderIds, domains or own, or be null' }),
    )
    .allow(null)
    .description(`Limits to some links and QR codes: ${WHAT}. \`null\`: no limits.`)
    .meta({ name: 'NewLimits' });

type SentLimits = { [Name in keyof StoredLimits]-?: StoredLimits[Name] | false | null };

/** Leaves out what limits nothing; `undefined` if nothing remains. */
function toStored({ folderIds, domains, own }: Partial<SentLimits>): StoredLimits | undefined {
  const limits = {
    ...(folderIds && { folderIds }),
    ...(domains && { domains }),
    ...(own === true && { own }),
  };
  return Object.keys(limits).length === 0 ? undefined : limits;
}

/** Converts stored limits for records. */
export const toLimits = (limits: StoredLimits | null) =>
  limits && {
    folderIds: limits.folderIds ?? null,
    domains: limits.domains ?? null,
    own: limits.own === true,
  };

/** Schema of limits in records. */
export const limitsRecord = Joi.object({
  folderIds: Joi.array()
    .items(Joi.string())
    .allow(null)
    .required()
    .description('Ids of folders; null: of any folder, and of none.')
    .example(['fold_5Hx1vQ0aTq']),
  domains: Joi.array()
    .items(Joi.string())
    .allow(null)
    .required()
    .description('Names of domains; null: of any domain.')
    .example(null),
  own: flag().required().description('Only records that the person created.').example(false),
})
  .allow(null)
  .required()
  .description(`Limits to some links and QR codes: ${WHAT}. Null: no limits.`)
  .meta({ name: 'Limits' });
