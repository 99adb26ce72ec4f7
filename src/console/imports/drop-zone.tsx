import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { answer } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Refused } from '../ui/form-dialog.tsx';
import { toast } from '../ui/toasts.tsx';

/** Largest file that the API takes, in bytes. */
const LARGEST_BYTES = 25 * 1024 * 1024;

/** Takes a CSV file, by drop or choice, and has it checked; nothing is imported before the person says so. */
export function DropZone() {
  const { slug, api } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
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
  const take = (file: File | undefined) => {
    if (file === undefined || upload.isPending) return;
    if (file.size > LARGEST_BYTES) {
      toast('The file is larger than 25 MiB. Split it into several.', 'danger');
      return;
    }
    upload.write(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  return (
    <div
      role="group"
      aria-label="New import"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        'mx-4 mb-5 flex flex-col items-center gap-3 rounded-xl border-2 border-dashed px-4 py-8 text-center md:mx-6',
        isOver ? 'border-accent-text bg-accent-soft' : 'border-line bg-panel',
      )}
    >
      <FileUp size={24} aria-hidden className="text-muted" />
      <div>
        <p className="font-medium">Drop a CSV file here</p>
        <p className="text-muted">
          From Bitly, Dub, Short.io, Rebrandly, YOURLS or a spreadsheet: one link in each row. You
          see what will happen before anything does.
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        aria-label="CSV file"
        tabIndex={-1}
        className="sr-only"
        onChange={(event) => {
          take(event.target.files?.[0]);
          event.target.value = '';
        }}
      />
      <Button look="primary" busy={upload.isPending} onClick={() => input.current?.click()}>
        {upload.isPending ? 'Uploading' : 'Choose a file'}
      </Button>
      <Refused error={upload.error} />
    </div>
  );
}
