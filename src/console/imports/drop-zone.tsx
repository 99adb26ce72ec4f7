import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { answer } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FileDrop } from '../ui/file-drop.tsx';
import { Refused } from '../ui/form-dialog.tsx';

/** Largest file that the API takes, in bytes. */
const LARGEST_BYTES = 25 * 1024 * 1024;

/** Takes a CSV file, by drop or choice, and has it checked; nothing is imported before the person says so. */
export function DropZone() {
  const { slug, api } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const upload = useWrite({
    send: (file: File, key) =>
      answer(
        api.POST('/imports', {
          params: {
            query: { name: file.name.slice(0, 200), dryRun: true },
            header: { 'Idempotency-Key': key },
          },
          headers: { 'Content-Type': 'text/csv' },
          // The reference has a file as text; it goes out as it is.
          body: file as unknown as string,
          bodySerializer: (body) => body,
        }),
      ),
    onDone: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['imports'] });
      return navigate({
        to: '/$workspace/imports/$importId',
        params: { workspace: slug, importId: id },
      });
    },
  });
  return (
    <FileDrop
      label="New import"
      control={{ 'aria-label': 'CSV file' }}
      accept=".csv,.tsv,.txt,text/csv"
      most={{
        bytes: LARGEST_BYTES,
        message: 'The file is larger than 25 MiB. Split it into several.',
      }}
      isDisabled={upload.isPending}
      onFile={upload.write}
      className="mx-4 mb-5 flex flex-col items-center gap-3 rounded-xl border-2 border-dashed px-4 py-8 text-center md:mx-6"
      idleLook="border-line bg-panel"
      lead={
        <>
          <FileUp size={24} aria-hidden className="text-muted" />
          <div>
            <p className="font-medium">Drop a CSV file here</p>
            <p className="text-muted">
              From Bitly, Dub, Short.io, Rebrandly, YOURLS or a spreadsheet: one link in each row.
              You see what will happen before anything does.
            </p>
          </div>
        </>
      }
      button={{
        look: 'primary',
        busy: upload.isPending,
        children: upload.isPending ? 'Uploading' : 'Choose a file',
      }}
    >
      <Refused error={upload.error} />
    </FileDrop>
  );
}
