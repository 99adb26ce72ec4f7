import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { refusalInWords } from '../api/error-words.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Badge } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import type { BatchRow } from './batch.ts';
import type { Outcome } from './create-batch.ts';

/** Rows shown at first, and added by each press of the button. */
const STEP = 50;

interface BatchTableProps {
  rows: readonly BatchRow[];
  outcomes: ReadonlyMap<number, Outcome>;
}

/** The rows of a file with their errors, those with errors first. */
export function BatchTable({ rows, outcomes }: BatchTableProps) {
  const { slug } = useWorkspace();
  const [shown, setShown] = useState(STEP);
  const messagesOf = ({ number, faults }: BatchRow): string[] => {
    const outcome = outcomes.get(number);
    return outcome !== undefined && 'message' in outcome ? [outcome.message] : faults;
  };
  const sorted = rows.toSorted(
    (a, b) => Number(messagesOf(a).length === 0) - Number(messagesOf(b).length === 0),
  );
  const columns: Column<BatchRow>[] = [
    { name: 'Row', render: ({ number }) => number },
    {
      name: 'State',
      render(row) {
        if (messagesOf(row).length > 0) return <Badge tone="danger">Error</Badge>;
        const outcome = outcomes.get(row.number);
        if (outcome === undefined || 'message' in outcome) return <Badge>Ready</Badge>;
        return (
          <Link
            to="/$workspace/qrcodes/$qrcode"
            params={{ workspace: slug, qrcode: outcome.id }}
            className="whitespace-nowrap underline"
          >
            Created
          </Link>
        );
      },
    },
    { name: 'Title', isMinor: true, render: ({ title }) => title },
    {
      name: 'Content',
      render: (row) => (
        <div className="flex flex-col">
          <span className="line-clamp-2 break-all">{row.shown}</span>
          {messagesOf(row).map((message) => (
            <span key={message} className="text-xs text-danger">
              {refusalInWords(422, message)}
            </span>
          ))}
        </div>
      ),
    },
  ];
  return (
    <div className="flex flex-col items-start gap-2">
      <Table
        label="Codes of the file"
        rows={sorted.slice(0, shown)}
        keyOf={({ number }) => String(number)}
        columns={columns}
      />
      {shown < sorted.length && (
        <Button className="ml-4 md:ml-6" onClick={() => setShown(shown + STEP)}>
          Show more
        </Button>
      )}
    </div>
  );
}
