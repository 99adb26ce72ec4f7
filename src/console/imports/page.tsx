import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { answer } from '../api/client.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { DropZone } from './drop-zone.tsx';
import { ImportState } from './state.tsx';

const format = new Intl.NumberFormat();

/** Makes links of files, and shows earlier imports. */
export function ImportsPage() {
  const { slug, api, may } = useWorkspace();
  const imports = usePaged(['imports', 'list'], (page, signal) =>
    answer(api.GET('/imports', { params: { query: { page, pageSize: PAGE_SIZE } }, signal })),
  );
  return (
    <Page title="Imports">
      {may('imports.write') && <DropZone />}
      <RecordList
        query={imports}
        empty={
          <Empty icon={History} title="No imports yet">
            Each import stays here with its counts and errors, and can be undone.{' '}
            <DocsLink guide="imports">How imports work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Imports"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'File',
                render: ({ id, name, createdAt }) => (
                  <div className="flex min-w-0 flex-col">
                    <Link
                      to="/$workspace/imports/$importId"
                      params={{ workspace: slug, importId: id }}
                      className="font-medium break-all hover:underline max-md:-my-2.5 max-md:py-3"
                    >
                      {name ?? 'File without a name'}
                    </Link>
                    <span className="text-xs text-muted">
                      <Time at={createdAt} />
                    </span>
                  </div>
                ),
              },
              { name: 'State', render: ({ state }) => <ImportState state={state} /> },
              {
                name: 'Created',
                isNumber: true,
                isMinor: true,
                render: ({ counts }) => format.format(counts.created),
              },
              {
                name: 'Skipped',
                isNumber: true,
                isMinor: true,
                render: ({ counts }) => format.format(counts.skipped),
              },
              {
                name: 'Refused',
                isNumber: true,
                isMinor: true,
                render: ({ counts }) => format.format(counts.refused),
              },
              {
                name: 'Rows',
                isNumber: true,
                render: ({ progress }) => format.format(progress.total),
              },
            ]}
          />
        )}
      </RecordList>
    </Page>
  );
}
