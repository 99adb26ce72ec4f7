import { Download } from 'lucide-react';
import { download, type Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Table } from '../ui/table.tsx';
import { useAction } from '../ui/use-action.ts';
import { reasonInWords } from './fields.ts';

/** Number of errors on the page; the downloadable file has all of them. */
const SHOWN = 20;

/** The rejected rows with their reasons. */
export function Errors({ one }: { one: Schemas['ImportDetails'] }) {
  const { slug } = useWorkspace();
  const [isBusy, run] = useAction();
  if (one.errors.length === 0) return null;
  const save = async () => {
    const file = await download(slug, `/imports/${one.id}/errors`);
    saveFile(file, `errors of ${one.name ?? 'import.csv'}`);
  };
  return (
    <section aria-labelledby="errors" className="flex flex-col gap-2">
      <header className="flex flex-wrap items-center justify-between gap-2 px-4 md:px-6">
        <h2 id="errors" className="font-semibold">
          Refused rows
        </h2>
        <Button icon={Download} busy={isBusy} onClick={() => run(save)}>
          Download errors
        </Button>
      </header>
      <p className="px-4 text-muted md:px-6">
        Download the refused rows, fix them and import that file.
      </p>
      <Table
        label="Refused rows"
        rows={one.errors.slice(0, SHOWN)}
        keyOf={({ row, column, message }) => `${row} ${column} ${message}`}
        columns={[
          { name: 'Row', render: ({ row }) => row },
          { name: 'Column', isMinor: true, render: ({ column }) => column ?? '–' },
          {
            name: 'Reason',
            render: ({ message }) => <span className="break-words">{reasonInWords(message)}</span>,
          },
        ]}
      />
    </section>
  );
}
