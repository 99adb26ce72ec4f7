import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { refusalInWords } from '../api/error-words.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { saveFrom } from '../ui/save-file.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { toastError } from '../ui/toast-error.ts';
import { exportQuery, isDrawing } from './exports.ts';

/** Number of codes without an image that are listed. */
const LISTED = 10;

/** The progress of an export of images, with its file once it is done. */
export function ExportProgress({ id }: { id: string }) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(exportQuery(api, id));
  const cancel = useWrite({
    send: (_: undefined, key) => answer(api.POST('/exports/{id}/cancel', idempotent(key, { id }))),
    onDone: (record) => client.setQueryData(keys.exports.one(id), record),
    onFailed(failure) {
      toastError(failure);
      void refetch();
    },
  });
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-12" />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  return (
    <section aria-label="Progress of the images" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p role="status">{stateText(data)}</p>
        {isDrawing(data) && may('qrcodes.write') && (
          <Button busy={cancel.isPending} onClick={() => cancel.write(undefined)}>
            Cancel
          </Button>
        )}
        {data.url !== null && (
          <Button look="primary" icon={Download} onClick={() => save(data.url!)}>
            Download {data.format === 'sheet' ? 'PDF' : 'ZIP'}
          </Button>
        )}
      </div>
      {isDrawing(data) && (
        <progress
          aria-label="Images drawn"
          value={data.done}
          max={data.total}
          className="h-2 w-full overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-accent"
        />
      )}
      {data.failed > 0 && <Errors record={data} />}
    </section>
  );
}

function stateText({ state, done, total, failed, failure }: Schemas['Export']): string {
  if (state === 'failed') return failure ?? '';
  if (state === 'cancelled') return 'Cancelled.';
  if (state === 'done')
    return `${countOf(total - failed, 'image')} ready. The file is stored for a day.`;
  return `${done.toLocaleString()} of ${countOf(total, 'image')} drawn`;
}

/** Saves the file, whose origin is BASE_URL and may differ from ours behind a proxy. */
function save(url: string): void {
  const { pathname, search } = new URL(url);
  // The answer has the name of the file.
  saveFrom(pathname + search, '');
}

function Errors({ record: { failed, errors } }: { record: Schemas['Export'] }) {
  return (
    <div className="flex flex-col gap-1 text-danger">
      <p>{countOf(failed, 'code')} could not be drawn:</p>
      <ul className="list-disc pl-5">
        {errors.slice(0, LISTED).map(({ qrcodeId, message }) => (
          <li key={qrcodeId}>
            <span className="font-mono text-xs">{qrcodeId}</span> {refusalInWords(422, message)}
          </li>
        ))}
      </ul>
      {failed > LISTED && <p>A ZIP file lists all of them in errors.csv.</p>}
    </div>
  );
}
