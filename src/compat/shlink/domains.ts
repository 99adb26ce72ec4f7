import { config } from '../../config.ts';
import { ok } from '../../http/route.ts';
import { type DomainRecord, listDomains } from '../links.ts';
import { type Fields, fieldsOf, type PeerRoute } from '../peer.ts';
import { domainNotFound, invalid } from './problem.ts';

const NO_REDIRECTS = {
  baseUrlRedirect: null,
  regular404Redirect: null,
  invalidShortUrlRedirect: null,
};

/** Every path without a redirect is treated as a missing short link here. */
const redirectsOf = ({ target, notFoundUrl }: DomainRecord) => ({
  baseUrlRedirect: target,
  regular404Redirect: null,
  invalidShortUrlRedirect: notFoundUrl,
});

export const domainRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/domains',
    operation: 'listDomains',
    async answer(_, call) {
      const ownDomains = await listDomains(call);
      const shared = config().DEFAULT_SHORT_DOMAIN;
      const main = ownDomains.find(({ primary }) => primary)?.slug ?? shared;
      const data = ownDomains.map((domain) => ({
        domain: domain.slug,
        isDefault: domain.slug === main,
        redirects: redirectsOf(domain),
      }));
      const isListed = ownDomains.some(({ slug }) => slug === shared);
      const otherDomains = isListed
        ? []
        : [{ domain: shared, isDefault: shared === main, redirects: NO_REDIRECTS }];
      const sorted = [...data, ...otherDomains].toSorted(
        (a, b) => Number(b.isDefault) - Number(a.isDefault),
      );
      return ok({ domains: { data: sorted, defaultRedirects: NO_REDIRECTS } });
    },
  },
  {
    method: 'patch',
    path: '/domains/redirects',
    operation: 'updateDomain',
    takes: 'any',
    async answer({ body }, call) {
      const { domain, ...redirects } = fieldsOf(body);
      if (typeof domain !== 'string' || domain === '') throw invalid('domain', 'is required');
      const existing = (await listDomains(call)).find(({ slug }) => slug === domain.toLowerCase());
      if (existing === undefined) throw domainNotFound(domain);
      const changes = fromRedirects(redirects);
      if (Object.keys(changes).length === 0) return ok(redirectsOf(existing));
      const { body: changed } = await call<DomainRecord>('updateDomain', {
        params: { id: existing.id },
        body: changes,
      });
      return ok(redirectsOf(changed));
    },
  },
];

function fromRedirects({
  baseUrlRedirect,
  invalidShortUrlRedirect,
  regular404Redirect,
  ...rest
}: Fields): Fields {
  if (typeof regular404Redirect === 'string') {
    throw invalid('regular404Redirect', 'must be null: use invalidShortUrlRedirect');
  }
  return { ...rest, target: baseUrlRedirect, notFoundUrl: invalidShortUrlRedirect };
}
