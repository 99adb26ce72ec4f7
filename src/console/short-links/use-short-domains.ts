import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { workspaceQuery } from '../settings/queries.ts';
import type { OptionList } from '../ui/field.tsx';

/**
 * Returns the domain of new records, and the others that a person can choose.
 *
 * @param chosen domain of the form, empty for the domain of new records
 */
export function useShortDomains(chosen: string): { main: string | undefined; others: OptionList } {
  const { api } = useWorkspace();
  const domains = useQuery(domainsQuery(api)).data ?? [];
  const shared = useQuery(workspaceQuery(api)).data?.defaultDomain;
  const usable = domains
    .filter(({ verified, archived }) => verified && !archived)
    .map(({ slug }) => slug);
  const main = domains.find(({ primary }) => primary)?.slug ?? shared;
  const others = [...usable, ...(shared === undefined ? [] : [shared]), chosen].filter(
    (slug) => slug !== '' && (slug !== main || slug === chosen),
  );
  return { main, others: [...new Set(others)].map((slug) => [slug, slug]) };
}
