import { config } from '../../config.ts';
import { ok } from '../../http/answer.ts';
import { type DomainRecord, listDomains } from '../links.ts';
import { type Fields, fieldsOf, type PeerRoute } from '../peer.ts';
import { domainNotFound, invalid } from './problem.ts';

const NO_REDIRECTS = {
  baseUrlRedirect: null,
  regular404Redirect: null,
  invalidShortUrlRedirect: null,
};

/** Every path that is not found is one of a short link here. */
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
    async answer(_, ask) {
      const own = await listDomains(ask);
      const shared = config().DEFAULT_SHORT_DOMAIN;
      const main = own.find(({ primary }) => primary)?.slug ?? shared;
      const data = own.map((domain) => ({
        domain: domain.slug,
        isDefault: domain.slug === main,
        redirects: redirectsOf(domain),
      }));
      const isListed = own.some(({ slug }) => slug === shared);
      const others = isListed
        ? []
        : [{ domain: shared, isDefault: shared === main, redirects: NO_REDIRECTS }];
      const all = [...data, ...others].toSorted(
        (a, b) => Number(b.isDefault) - Number(a.isDefault),
      );
      return ok({ domains: { data: all, defaultRedirects: NO_REDIRECTS } });
    },
  },
  {
    method: 'patch',
    path: '/domains/redirects',
    operation: 'updateDomain',
    takes: 'json',
    async answer({ body }, ask) {
      const { domain, ...redirects } = fieldsOf(body);
      if (typeof domain !== 'string' || domain === '') throw invalid('domain', 'is required');
      const own = (await listDomains(ask)).find(({ slug }) => slug === domain.toLowerCase());
      if (own === undefined) throw domainNotFound(domain);
      const changes = fromRedirects(redirects);
      if (Object.keys(changes).length === 0) return ok(redirectsOf(own));
      const { body: changed } = await ask<DomainRecord>('updateDomain', {
        params: { id: own.id },
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
  return {
    ...rest,
    target: baseUrlRedirect,
    notFoundUrl: invalidShortUrlRedirect,
  };
}
