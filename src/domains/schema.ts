import { bodyFlag, flag, id, Joi, paging, text } from '../infra/fields.ts';
import { parseUrl } from '../infra/url.ts';
import { destination } from '../links/destination.ts';

/** Lower-case and ASCII, as domains are stored; `undefined` when the text is no host name. */
export function toHostName(value: string): string | undefined {
  const url = /^[^\s/?#@:[\]\\%]+$/.test(value) ? parseUrl(`http://${value}`) : undefined;
  if (url === undefined) return undefined;
  const host = url.hostname.replace(/\.$/, '');
  const isAddress = /^[\d.]+$/.test(host);
  return isAddress || host === '' || host.length > 253 ? undefined : host;
}

/** A domain name as a field; the checked value is lower-case and ASCII. */
export const domainField = () =>
  Joi.string()
    .max(253)
    .custom(
      (value: string, { error }) =>
        toHostName(value) ?? error('rule', { rule: 'must be a host name such as go.example.com' }),
    );

/** What may be set on a domain. */
export interface DomainChanges {
  target?: string | null;
  type?: 'redirect' | 'rewrite';
  placeholder?: string;
  expiredUrl?: string | null;
  notFoundUrl?: string | null;
  archived?: boolean;
  primary?: boolean;
  /** Found out by the API before the write, never sent by a caller. */
  targetFrameable?: boolean;
}

export interface NewDomain extends DomainChanges {
  slug: string;
}

const changes = {
  target: destination().allow(null).description('Where the root of the domain leads.'),
  type: Joi.string().valid('redirect', 'rewrite'),
  placeholder: text(2_000).description('An example link, shown to teammates.'),
  expiredUrl: destination().allow(null),
  notFoundUrl: destination()
    .allow(null)
    .description('Addition: where visitors are led who ask for a key that nothing has.'),
  archived: bodyFlag(),
  primary: bodyFlag(),
};

export const newDomainBody = Joi.object<NewDomain>({
  slug: domainField()
    .pattern(/\./, { name: 'a domain with a dot' })
    .required()
    .description('The domain name.'),
  ...changes,
});

export const domainChangesBody = Joi.object<DomainChanges>(changes);

export const domainParams = Joi.object<{ id: string }>({ id: id().required() });

export interface DomainListQuery {
  archived: boolean;
  search?: string;
  page: number;
  pageSize: number;
}

export const domainListQuery = Joi.object<DomainListQuery>({
  archived: flag().default(false).description('Include archived domains.'),
  search: text(253),
  ...paging(50),
});
