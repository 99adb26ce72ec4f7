import { useQuery } from '@tanstack/react-query';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Failure } from '../ui/states.tsx';
import { formatCount } from './names.ts';
import { parametersOf } from './queries.ts';
import { useEventQuery } from './use-event-query.ts';

const CLASS_NAMES: Record<Schemas['LeftOut']['programs'][number]['class'], string> = {
  bot: 'Bot',
  preview: 'Link preview',
  excluded: 'Excluded',
};

/** The number of requests that were not counted in the period, with a list of their programs. */
export function LeftOut() {
  const { api, limits } = useWorkspace();
  const { query } = useEventQuery();
  const { interval, start, end, timezone } = parametersOf(query);
  const period = {
    ...(interval !== undefined && { interval }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    timezone,
  } as object;
  const { data, error, refetch } = useQuery({
    queryKey: keys.analytics.list('left-out', period),
    queryFn: ({ signal }) =>
      answer(api.GET('/analytics/left-out', { params: { query: period }, signal })),
    placeholderData: (before) => before,
    // The numbers are those of the whole workspace.
    enabled: limits === null,
  });
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined || data.requests === 0) return null;
  const { requests, programs } = data;
  return (
    <details className="rounded-lg border border-line bg-panel">
      <summary className="cursor-pointer px-3 py-2.5 text-muted">
        Left out: {formatCount(requests)} {requests === 1 ? 'visit' : 'visits'} by{' '}
        {formatCount(programs.length)} {programs.length === 1 ? 'program' : 'programs'}
      </summary>
      <div className="max-h-96 overflow-auto border-t border-line p-3">
        <table className="w-full text-left">
          <caption className="pb-2 text-left text-muted">
            Bots, link previews and excluded visitors aren’t counted. All links and QR codes, in
            whole days of UTC.
          </caption>
          <thead className="text-xs text-muted">
            <tr>
              <th className="py-1 font-medium">Program</th>
              <th className="py-1 font-medium">Kind</th>
              <th className="py-1 text-right font-medium">Requests</th>
            </tr>
          </thead>
          <tbody>
            {programs.map((row) => (
              <tr key={`${row.class} ${row.program}`} className="border-t border-line">
                <td className="max-w-0 truncate py-1 pr-2" title={row.program}>
                  {row.program}
                </td>
                <td className="w-28 py-1 pr-2 text-muted">{CLASS_NAMES[row.class]}</td>
                <td className="w-24 py-1 text-right tabular-nums">{formatCount(row.requests)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
