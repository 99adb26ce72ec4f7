import { domainField, toHostName } from '../http/domain-name.ts';
import { bodyFlag, flag, id, Joi, paging, text } from '../http/fields.ts';
import { destination, destinationTemplate, webAddress } from '../short-links/url-field.ts';
import type { SearchQuery } from '../workspaces/lists.ts';
import {
  type AppleAppSiteAssociation,
  type AssetLink,
  appleField,
  assetLinksField,
} from './site-files.ts';

/** Writable fields of a domain. */
export interface DomainChanges {
  target?: string | null;
  type?: 'redirect' | 'rewrite';
  placeholder?: string;
  expiredUrl?: string | null;
  notFoundUrl?: string | null;
  shlinkPaths?: boolean;
  appleAppSiteAssociation?: AppleAppSiteAssociation | null;
  assetLinks?: AssetLink[] | null;
  caseSensitive?: boolean;
  archived?: boolean;
  primary?: boolean;
  /** Determined by the API before the write; callers cannot set it. */
  targetFrameable?: boolean;
}

export type NewDomain = DomainChanges & { slug: string };

const changes = {
  target: destination()
    .allow(null)
    .description('Destination of the root of the domain. Default: `notFoundUrl`.'),
  type: Joi.string()
    .valid('redirect', 'rewrite')
    .description('`rewrite` shows the target in a frame. Default `redirect`.'),
  placeholder: webAddress()
    .max(2_000)
    .description('Example of a destination URL, at most 2,000 characters.'),
  expiredUrl: destination()
    .allow(null)
    .description('Destination of expired links without `expiredUrl`.'),
  notFoundUrl: destinationTemplate()
    .allow(null)
    .description(
      'Destination of visits with an unknown key. In its path, query and fragment, `{path}` and ' +
        '`{query}` stand for the path and the parameters that were requested.',
    )
    .example('https://example.com/{path}?{query}')
    .meta({ extension: true }),
  shlinkPaths: bodyFlag()
    .description(
      'true: `/{key}/qr-code` and `/{key}/track` are answered as by Shlink. Default false.',
    )
    .meta({ extension: true }),
  appleAppSiteAssociation: appleField(),
  assetLinks: assetLinksField(),
  caseSensitive: bodyFlag()
    .description(
      'Slugs that differ by case only are different. False: they are one slug. Cannot become false ' +
        'while two links differ by case only (409). Default true.',
    )
    .meta({ extension: true }),
  archived: bodyFlag().description('Lists leave it out by default. Default false.'),
  primary: bodyFlag().description(
    'New links are created on it unless they name a domain; the workspace has one. Default false.',
  ),
};

export const newDomainBody = Joi.object<NewDomain>({
  slug: domainField()
    .pattern(/\./, { name: 'a full domain name' })
    .required()
    .description('Domain name, with at least one dot.')
    .example('go.example.com'),
  ...changes,
}).meta({ name: 'NewDomain' });

export const domainChangesBody = Joi.object<DomainChanges>(changes)
  .meta({ name: 'DomainUpdate' })
  .example({ target: 'https://example.com' });

export const domainParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the domain, or its name.'),
});

/**
 * Returns the column by which a path names a domain. Ids contain an underscore, which no host name
 * does.
 */
export function namedBy(ref: string): { slug: string } | { id: string } {
  const slug = toHostName(ref);
  return slug === undefined ? { id: ref } : { slug };
}

export interface DomainListQuery extends SearchQuery {
  archived: boolean;
}

export const domainListQuery = Joi.object<DomainListQuery>({
  archived: flag().default(false).description('Include archived domains.'),
  search: text(253).description('Part of the name.'),
  ...paging(50),
});
