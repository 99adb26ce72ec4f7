import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { workspaceQuery } from '../settings/queries.ts';
import type { OptionList } from '../ui/field.tsx';

interface ShortDomains {
  /** Domain of new records. */
  main: string | undefined;
  /** Other domains that a person can choose. */
  others: OptionList;
  /** Names of all domains that are not archived. */
  names: string[];
  /** True while the domains are loading. */
  isPending: boolean;
}

/**
 * Returns the domains for short links.
 *
 * @param chosen domain of the form, empty for the domain of new records
 */
export function useShortDomains(chosen: string): ShortDomains {
  const { api } = useWorkspace();
  const own = useQuery(domainsQuery(api));
  const workspace = useQuery(workspaceQuery(api));
  const domains = own.data ?? [];
  const shared = workspace.data?.defaultDomain;
  const usable = domains
    .filter(({ verified, archived }) => verified && !archived)
    .map(({ slug }) => slug);
  const main = domains.find(({ primary }) => primary)?.slug ?? shared;
  const others = [...usable, ...(shared === undefined ? [] : [shared]), chosen].filter(
    (slug) => slug !== '' && (slug !== main || slug === chosen),
  );
  const names = domains.map(({ slug }) => slug);
  return {
    main,
    others: [...new Set(others)].map((slug) => [slug, slug]),
    names: shared === undefined ? names : [...names, shared],
    isPending: own.isPending || workspace.isPending,
  };
}
