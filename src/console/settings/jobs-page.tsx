import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../api/error.ts';
import { refusalInWords } from '../api/error-words.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { Section, Sections } from '../ui/section.tsx';
import { Badge, Failure, Skeleton } from '../ui/states.tsx';

/** Time between two reads of an unfinished job, in ms. */
const REFRESH_MS = 1_000;
const TONES = { queued: undefined, running: 'warning', done: 'success', failed: 'danger' } as const;

/** Looks up the state and the result of a background job. */
export function JobsPage() {
  const [id, setId] = useState('');
  const [asked, setAsked] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(id.trim());
  };
  return (
    <Page title="Jobs">
      <Sections>
        <Section
          title="Find a job"
          description={
            <>
              Look up a background job by its ID. The API returns it with status 202.{' '}
              <DocsLink guide="api">How jobs work</DocsLink>
            </>
          }
        >
          <form onSubmit={submit} className="flex items-end gap-2">
            <div className="flex-1">
              <TextField
                label="Job ID"
                required
                spellCheck={false}
                autoComplete="off"
                placeholder="job_…"
                value={id}
                onChange={(event) => setId(event.target.value)}
              />
            </div>
            <Button type="submit" icon={Search}>
              Find
            </Button>
          </form>
          {asked !== '' && <FoundJob id={asked} />}
        </Section>
      </Sections>
    </Page>
  );
}

function FoundJob({ id }: { id: string }) {
  const { api } = useWorkspace();
  const query = useQuery({
    queryKey: ['jobs', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/jobs/{id}', { params: { path: { id } }, signal })).data,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'running' ? REFRESH_MS : false,
  });
  if (query.isPending) return <Skeleton className="h-10 w-full" />;
  if (query.error instanceof ApiError && query.error.status === 404) {
    return <p role="status">Job not found. Finished jobs are removed after a while.</p>;
  }
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  const job = query.data;
  if (job === undefined) return null;
  const tone = TONES[job.status];
  return (
    <div role="status" className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2">
        <Badge {...(tone !== undefined && { tone })}>
          <span className="capitalize">{job.status}</span>
        </Badge>
        <code className="text-xs break-all">{job.id}</code>
      </p>
      {job.error && <p className="text-danger">{refusalInWords(422, job.error.message)}</p>}
      {job.result !== undefined && (
        <textarea
          readOnly
          aria-label="Result"
          rows={10}
          value={JSON.stringify(job.result, undefined, 2)}
          className="w-full rounded-md border border-line bg-ground p-3 font-mono text-xs"
        />
      )}
    </div>
  );
}
