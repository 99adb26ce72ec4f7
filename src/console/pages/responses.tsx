import { Inbox } from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';

/** Visitors' responses to the form of a page, newest first. */
export function Responses({ page }: { page: Schemas['Page'] }) {
  const { api } = useWorkspace();
  const leads = { event: 'leads', interval: 'all', limit: PAGE_SIZE } as const;
  const responses = usePaged(keys.events.list({ pageId: page.id }), async (number, signal) => {
    const params = { query: { ...leads, pageId: [page.id], page: number } };
    const events = await answer(api.GET('/events', { params, signal }));
    return events.filter((event) => event.event === 'lead');
  });
  const isRefused = responses.error instanceof ApiError && responses.error.status === 403;
  return (
    <section aria-labelledby="responses" className="border-t border-line pb-10">
      <h2 id="responses" className="px-4 py-3 font-semibold md:px-6">
        Responses
      </h2>
      {isRefused ? (
        <p className="px-4 text-muted md:px-6">
          {page.leads} so far. You need the Business plan to read responses. Ask your administrator
          to upgrade.
        </p>
      ) : (
        <RecordList
          query={responses}
          empty={
            <Empty icon={Inbox} title="No responses yet">
              Select this page in a link or QR code to collect responses here.
            </Empty>
          }
        >
          {(rows) => (
            <Table
              label="Responses"
              rows={rows}
              keyOf={({ timestamp, click }) => `${timestamp} ${click?.id ?? ''}`}
              columns={[
                { name: 'Time', render: ({ timestamp }) => <Time at={timestamp} /> },
                ...page.fields.map((field, at) => ({
                  name: field.label,
                  isMinor: at > 1,
                  render: ({ metadata }: Schemas['LeadEvent']) => (
                    <span className="break-words whitespace-pre-line">
                      {textOf(metadata?.[field.name])}
                    </span>
                  ),
                })),
                {
                  name: 'Link',
                  isMinor: true,
                  render: ({ link }) => (
                    <span className="text-muted">{link && `${link.domain}/${link.key}`}</span>
                  ),
                },
              ]}
            />
          )}
        </RecordList>
      )}
    </section>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'string' || typeof value === 'number'
    ? `${value}`
    : JSON.stringify(value);
}
