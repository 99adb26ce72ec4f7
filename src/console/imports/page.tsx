import { Link } from '@tanstack/react-router';
import { History, Plug } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { DropZone } from './drop-zone.tsx';
import { sourceName } from './fields.ts';
import { ImportState } from './state.tsx';

type Import = Schemas['Import'];

/** Creates the column of a number of rows by outcome; a dash before the import starts. */
const outcome = (name: string, count: 'created' | 'skipped' | 'refused'): Column<Import> => ({
  name,
  isNumber: true,
  isMinor: true,
  render({ state, counts }) {
    const isBegun = !['fetching', 'checking', 'checked', 'queued'].includes(state);
    return isBegun ? counts[count].toLocaleString() : '–';
  },
});

/**
 * Counts the rows of an import. The progress of an undone import counts the links that the undo
 * deletes, which are not its rows.
 */
function rowsOf({ progress, counts, undo }: Import): number {
  if (undo === null) return progress.total;
  return counts.created + counts.updated + counts.skipped + counts.refused;
}

/** The page that imports links from files and other services, and lists earlier imports. */
export function ImportsPage() {
  const { slug, may } = useWorkspace();
  const [isConnecting, setConnecting] = useState(false);
  const imports = useRecords('imports');
  return (
    <Page
      title="Imports"
      actions={
        may('imports.write') && (
          <Button icon={Plug} onClick={() => setConnecting(true)}>
            Import from another service
          </Button>
        )
      }
    >
      {isConnecting && <ConnectDialog onClose={() => setConnecting(false)} />}
      {may('imports.write') && <DropZone />}
      <RecordList
        query={imports}
        empty={
          <Empty icon={History} title="No imports yet">
            Imports appear here with their results, and can be undone.{' '}
            <DocsLink guide="migrate">How to move from another service</DocsLink>
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
                render: ({ id, name, source, createdAt }) => (
                  <div className="flex min-w-0 flex-col">
                    <Link
                      to="/$workspace/imports/$importId"
                      params={{ workspace: slug, importId: id }}
                      className="font-medium break-all hover:underline max-md:-my-2.5 max-md:py-3"
                    >
                      {name ?? `Unnamed ${sourceName(source)} import`}
                    </Link>
                    <span className="text-xs text-muted">
                      {sourceName(source)} · <Time at={createdAt} />
                    </span>
                  </div>
                ),
              },
              {
                name: 'Status',
                render: (one) => <ImportState state={one.state} counts={one.counts} />,
              },
              outcome('Created', 'created'),
              outcome('Skipped', 'skipped'),
              outcome('Refused', 'refused'),
              {
                name: 'Rows',
                isNumber: true,
                render: (one) => rowsOf(one).toLocaleString(),
              },
            ]}
          />
        )}
      </RecordList>
    </Page>
  );
}
