import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField } from '../ui/field.tsx';
import { FileDrop } from '../ui/file-drop.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { SERVICES } from './fields.ts';
import { useOpenImport } from './use-open-import.ts';

/** Maximum file size of the API in bytes. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** True when the file name has the extension of a workspace export. */
const isArchive = ({ name }: File): boolean => /\.gz$/i.test(name);

function mediaOf(file: File): string {
  if (isArchive(file)) return 'application/gzip';
  return /\.json$/i.test(file.name) ? 'application/json' : 'text/csv';
}

type Source = Schemas['Import']['source'];

/**
 * A drop zone that uploads a file of links for a check; the import starts only after a
 * confirmation.
 */
export function DropZone() {
  const { api } = useWorkspace();
  const openImport = useOpenImport();
  const [source, setSource] = useState<Source | ''>('');
  const upload = useWrite({
    send: (file: File, key) =>
      answer(
        api.POST('/imports', {
          params: {
            query: {
              name: file.name.slice(0, 200),
              dryRun: true,
              ...(source !== '' && { source }),
              ...(isArchive(file) && { source: 'workspace' as const }),
            },
            header: { 'Idempotency-Key': key },
          },
          headers: { 'Content-Type': mediaOf(file) },
          // The reference types the file as a string, but the request sends it as binary.
          body: file as unknown as string,
          bodySerializer: (body) => body,
        }),
      ),
    onDone: openImport,
  });
  return (
    <FileDrop
      label="New import"
      control={{ 'aria-label': 'File to import' }}
      accept=".csv,.tsv,.txt,.json,.sql,.gz,text/csv,application/json,application/gzip"
      most={{
        bytes: LARGEST_BYTES,
        message: 'The file is larger than 64 MiB. Split it into smaller files.',
      }}
      isDisabled={upload.isPending}
      onFile={upload.write}
      className="mx-4 mb-5 flex flex-col items-center gap-3 rounded-xl border-2 border-dashed px-4 py-8 text-center md:mx-6"
      idleLook="border-line bg-panel"
      lead={
        <>
          <FileUp size={24} aria-hidden className="text-muted" />
          <div>
            <p className="font-medium">Drop a file here</p>
            <p className="text-muted">
              An export from Bitly, Dub, Kutt, Polr, Shlink, Short.io, Sink or YOURLS, a CSV file
              with one link per row, or a workspace export (.jsonl.gz). You see a preview before
              anything is imported.
            </p>
          </div>
          <div className="w-full max-w-60 text-left">
            <SelectField
              label="Source"
              value={source}
              onChange={({ target: { value } }) => setSource(value as typeof source)}
              none="Detect automatically"
              options={[...Object.entries(SERVICES), ['csv', 'Other (choose columns)']]}
            />
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
