import { domainField } from '../domains/schema.ts';
import { Refusal } from '../errors.ts';
import { dateTime, externalIdIn, id, text, timezone } from '../infra/fields.ts';
import { linkQueries } from '../links/queries.ts';

/** Key under which visits of a domain's root are recorded. */
export const ROOT_KEY = '_root';

/** Filters that events and analytics share, as the query names them. */
export interface TargetQuery {
  domain?: string;
  key?: string;
  linkId?: string;
  externalId?: string;
}

/** Which events are meant. */
export interface EventFilter {
  linkId?: string;
  domain?: string;
  /** Visits of the domain's root only. */
  root?: true;
}

export const targetSchemas = {
  domain: domainField().description('Domain of the short link.'),
  key: text(1_000).description('Slug of the short link; needs domain.'),
  linkId: id().description('Id of the short link.'),
  externalId: id().description('The caller’s own id of the link, with the prefix `ext_`.'),
};

export const spanSchemas = {
  start: dateTime().description(
    'Without `interval`: the first moment that counts; default 24 hours before `end`.',
  ),
  end: dateTime().description('The first moment that counts no more; default now.'),
  timezone: timezone().description('IANA zone to which days and months are aligned.'),
};

/**
 * Which events a request means.
 *
 * @throws Refusal `not_found` when it names a link that is not in the workspace, `unprocessable_entity` for a
 *   key without its domain
 */
export async function resolveTarget(
  projectId: string,
  { domain, key, linkId, externalId }: TargetQuery,
): Promise<EventFilter> {
  const filter: EventFilter = domain === undefined ? {} : { domain };
  if (linkId !== undefined) {
    const own = externalIdIn(linkId);
    filter.linkId = await existing(
      own === undefined
        ? linkQueries.find(projectId, linkId)
        : linkQueries.findByExternalId(projectId, own),
      `link "${linkId}"`,
    );
  } else if (externalId !== undefined) {
    const own = externalIdIn(externalId) ?? externalId;
    filter.linkId = await existing(
      linkQueries.findByExternalId(projectId, own),
      `link "${externalId}"`,
    );
  } else if (key === ROOT_KEY && domain !== undefined) {
    filter.root = true;
  } else if (key !== undefined) {
    if (domain === undefined) {
      throw new Refusal('unprocessable_entity', 'key needs domain: a key alone names no link');
    }
    const link = linkQueries.findByKey(projectId, domain, key.normalize('NFC'));
    filter.linkId = await existing(link, `link "${key}" on ${domain}`);
  }
  return filter;
}

async function existing(found: Promise<{ id: string } | undefined>, what: string): Promise<string> {
  const link = await found;
  if (link === undefined) throw new Refusal('not_found', `There is no ${what}`);
  return link.id;
}

/** The filter as conditions on `events`, with their bindings. */
export function filterConditions({ linkId, domain, root }: EventFilter): {
  sql: string;
  bindings: Record<string, string>;
} {
  const conditions: string[] = [];
  const bindings: Record<string, string> = {};
  if (linkId !== undefined) {
    conditions.push('AND link_id = :linkId');
    bindings['linkId'] = linkId;
  }
  if (domain !== undefined) {
    conditions.push('AND domain = :domain');
    bindings['domain'] = domain;
  }
  if (root === true) conditions.push('AND link_id IS NULL');
  return { sql: conditions.join(' '), bindings };
}
