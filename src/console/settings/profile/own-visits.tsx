import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { answer } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Section } from '../../ui/section.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';

/** Time after which the pages are requested again, in ms: they are valid for ten minutes. */
const REFRESH_MS = 300_000;

/** The section with a page on each short domain that turns off the counting of own visits. */
export function OwnVisits() {
  const { api } = useWorkspace();
  const pages = useQuery({
    queryKey: keys.domains.list('own visits'),
    queryFn: ({ signal }) => answer(api.GET('/workspace/own-visits', { signal })),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section
      title="Your own visits"
      description="Visits with this browser can be left out of the counts. Browsers keep this for each domain: open its page, and choose there."
    >
      {pages.isPending && <Skeleton className="h-8 w-full" />}
      {pages.error && <Failure error={pages.error} retry={() => void pages.refetch()} />}
      <ul className="flex flex-col gap-1">
        {pages.data?.map(({ domain, url }) => (
          <li key={domain}>
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex items-center gap-1.5 underline max-md:min-h-11"
            >
              {domain}
              <ExternalLink size={14} aria-hidden />
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
