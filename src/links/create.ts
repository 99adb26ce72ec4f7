import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { type LookupChange, linkName } from '../lookup/publish.ts';
import type { TagReference } from '../tags/record.ts';
import { linkEntry } from './entry.ts';
import { drawKey } from './key.ts';
import type { LinkRow } from './model.ts';
import { type SealedLink, toSealedLink } from './record.ts';
import { loadReferences, type UsableDomain } from './references.ts';
import { applyChanges, blankRow, refuseLoop, resolve, taken } from './rules.ts';
import type { NewLink } from './schema.ts';

/** Draws of a random key before we give up: with 62^7 keys a second one is rare. */
const DRAWS = 8;

/** A link on its way into the database. */
interface Draft {
  input: NewLink;
  row: LinkRow;
  domain: UsableDomain;
  tags: TagReference[];
  entry: string;
  version?: number;
}

/** What became of each link, in the order given, and what redirect processes must learn. */
export interface Created {
  links: (SealedLink | Refusal)[];
  changes: LookupChange[];
}

/**
 * Makes links, each standing alone: one that is refused does not keep the others from being made. Of two that
 * ask for the same key or external id, the first one gets it.
 */
export async function insertLinks(
  trx: Db,
  projectId: string,
  userId: string,
  inputs: readonly NewLink[],
): Promise<Created> {
  const references = await loadReferences(trx, projectId, inputs);
  const now = new Date();
  const outcomes = await Promise.all(
    inputs.map(async (input): Promise<Draft | Refusal> => {
      try {
        const { domain = references.mainDomain, tags = [] } = resolve(input, references);
        const ids = { project_id: projectId, id: input.id, user_id: userId, domain_id: domain.id };
        const key = input.key ?? drawKey(input.prefix);
        const row = applyChanges(blankRow({ ...ids, key, url: input.url }, now), input);
        refuseLoop(row.url, domain.slug, key);
        return { input, row, domain, tags, entry: await linkEntry(row) };
      } catch (thrown) {
        if (thrown instanceof Refusal) return thrown;
        throw thrown;
      }
    }),
  );
  const refused = new Map<string, Refusal>();
  const drafts = outcomes.filter((outcome): outcome is Draft => !(outcome instanceof Refusal));
  await claimKeys(trx, drafts, refused);
  await insertRows(
    trx,
    drafts.filter((draft) => !refused.has(draft.row.id)),
    refused,
  );
  await insertTags(
    trx,
    drafts.filter((draft) => !refused.has(draft.row.id)),
  );

  const links = outcomes.map((outcome) =>
    outcome instanceof Refusal
      ? outcome
      : (refused.get(outcome.row.id) ??
        toSealedLink(outcome.row, { domain: outcome.domain.slug, tags: outcome.tags })),
  );
  const changes = drafts
    .filter((draft) => !refused.has(draft.row.id))
    .map(({ row, version, entry }) => ({
      name: linkName(row.domain_id, row.key),
      version: version!,
      entry,
      announce: false,
    }));
  return { links, changes };
}

/** Claims domain + key for every draft; a random key that is taken is drawn again. */
async function claimKeys(
  trx: Db,
  drafts: readonly Draft[],
  refused: Map<string, Refusal>,
): Promise<void> {
  let open = [...drafts];
  for (let draw = 0; draw < DRAWS && open.length > 0; draw += 1) {
    // Everybody claims in the same order, so that two bulk writes can't wait for each other.
    const ordered = open.toSorted(
      (a, b) => compare(a.row.domain_id, b.row.domain_id) || compare(a.row.key, b.row.key),
    );
    const claims = ordered.map(({ row, entry }) => ({
      domain_id: row.domain_id,
      key: row.key,
      project_id: row.project_id,
      record_id: row.id,
      entry,
    }));
    const { rows } = await trx.raw<{ rows: { record_id: string; version: number }[] }>(
      `INSERT INTO claims (domain_id, key, project_id, record_id, entry)
       SELECT domain_id, key, project_id, record_id, entry FROM json_populate_recordset(NULL::claims, ?)
       ON CONFLICT DO NOTHING RETURNING record_id, version`,
      [JSON.stringify(claims)],
    );
    const versions = new Map(rows.map(({ record_id, version }) => [record_id, version]));
    const again: Draft[] = [];
    for (const draft of open) {
      const version = versions.get(draft.row.id);
      if (version !== undefined) {
        draft.version = version;
      } else if (draft.input.key === undefined) {
        draft.row.key = drawKey(draft.input.prefix);
        again.push(draft);
      } else {
        refused.set(draft.row.id, taken('key', draft.row.key, `on ${draft.domain.slug}`));
      }
    }
    open = again;
  }
  if (open.length > 0) throw new Error('no free random key was found');
}

async function insertRows(
  trx: Db,
  drafts: readonly Draft[],
  refused: Map<string, Refusal>,
): Promise<void> {
  if (drafts.length === 0) return;
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `INSERT INTO links SELECT * FROM json_populate_recordset(NULL::links, ?)
     ON CONFLICT (project_id, external_id) WHERE external_id IS NOT NULL DO NOTHING RETURNING id`,
    [JSON.stringify(drafts.map(({ row }) => row))],
  );
  if (rows.length === drafts.length) return;
  const made = new Set(rows.map(({ id }) => id));
  const unmade = drafts.filter(({ row }) => !made.has(row.id));
  for (const { row } of unmade) {
    refused.set(row.id, taken('externalId', row.external_id ?? '', 'in this workspace'));
    await trx('claims').where({ domain_id: row.domain_id, key: row.key }).delete();
  }
}

async function insertTags(trx: Db, drafts: readonly Draft[]): Promise<void> {
  const rows = drafts.flatMap(({ row, tags }) => tagRows(row.project_id, row.id, tags));
  if (rows.length > 0) await trx('link_tags').insert(rows);
}

/** Rows that tie tags to a link, in their order. */
export function tagRows(projectId: string, linkId: string, tags: readonly TagReference[]) {
  return tags.map(({ id }, position) => ({
    project_id: projectId,
    link_id: linkId,
    tag_id: id,
    position,
  }));
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
