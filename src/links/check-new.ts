import { config } from '../config.ts';
import { errorBody, Refusal } from '../errors.ts';
import { Joi } from '../http/fields.ts';
import { db } from '../infra/db.ts';
import { withinLimits } from '../infra/limits.ts';
import { spellingKey } from '../lookup/key-spelling.ts';
import { type Name, refusalsOfBlocked, takenNames, takenRefusal } from '../short-links/claims.ts';
import type { Draft, Owner } from '../short-links/draft.ts';
import { loadReferences } from '../short-links/references.ts';
import { refuseUtmOf } from '../short-links/utm-rules.ts';
import { refuseBlocked, refuseOutsideOf } from '../short-links/write.ts';
import { draftLinks } from './commands.ts';
import { Link, type LinkRow } from './model.ts';
import type { NewLink } from './schema.ts';

/** Schema of the outcome of a check: the errors, in the order of the request. */
export const checkAnswer = Joi.array().items(
  Joi.object({
    error: Joi.object({
      code: Joi.string().required().description('Code of the error.').example('conflict'),
      message: Joi.string()
        .required()
        .description('Reason why the link would be refused.')
        .example('The key "spring" is taken on go.example.com'),
      doc_url: Joi.string().required().description('Page about errors with this code.'),
    })
      .allow(null)
      .required()
      .description('Error that the creation would return for the link; null: none.')
      .meta({ name: 'NewLinkError' }),
  }).meta({ name: 'NewLinkCheck' }),
);

/** Converts the outcomes of a check to the response. */
export const toCheckAnswer = (outcomes: readonly (Refusal | undefined)[]) =>
  outcomes.map((refusal) =>
    refusal === undefined ? { error: null } : errorBody(refusal, config().DOCS_URL),
  );

/**
 * Checks links as their creation would, without creating them.
 *
 * @returns the refusal of each link, `undefined` for a link that could be created
 */
export async function checkNewLinks(
  owner: Owner,
  links: readonly (NewLink | Refusal)[],
): Promise<(Refusal | undefined)[]> {
  const references = await loadReferences(db(), owner.projectId, links);
  const drafted = refuseUtmOf(draftLinks(owner, links, references), references.utmRules);
  const drafts = await refuseBlocked(db(), refuseOutsideOf(drafted));
  const accepted = drafts.filter((draft): draft is Draft<LinkRow> => !(draft instanceof Refusal));
  const fixed = accepted.filter(({ drawKey }) => drawKey === undefined).map(({ row }) => row);
  const isTaken = await takenNames(db(), owner.projectId, fixed);
  const refusalOfName = await refusalsOfBlocked(db(), fixed);
  const earlier = await externalIdsAmong(owner.projectId, accepted);
  const keys = new Set<string>();
  return drafts.map((draft) => {
    if (draft instanceof Refusal) return draft;
    const { row, domain, drawKey } = draft;
    if (drawKey === undefined) {
      const name = nameOf(row, references.domain(domain)?.caseSensitive === false);
      if (isTaken(row) || keys.has(name)) {
        return refusalOfName(row) ?? takenRefusal('key', row.key, `on ${domain}`);
      }
      keys.add(name);
    }
    if (row.external_id === null) return undefined;
    if (earlier.has(row.external_id)) {
      return takenRefusal('externalId', row.external_id, 'in this workspace');
    }
    earlier.add(row.external_id);
    return undefined;
  });
}

/** Returns a text that all spellings of a name share. */
const nameOf = ({ domain_id, key }: Name, ignoresCase: boolean): string =>
  `${domain_id} ${spellingKey(key, { ignoresCase: ignoresCase || undefined }) ?? key}`;

async function externalIdsAmong(
  projectId: string,
  drafts: readonly Draft<LinkRow>[],
): Promise<Set<string>> {
  const ids = drafts.flatMap(({ row }) => row.external_id ?? []);
  if (ids.length === 0) return new Set();
  // Ids of records outside of the limits of the caller are taken too.
  const existing = await withinLimits(undefined, () =>
    Link.of(projectId).whereIn('external_id', ids).select('external_id'),
  );
  return new Set(existing.map(({ external_id }) => external_id!));
}
