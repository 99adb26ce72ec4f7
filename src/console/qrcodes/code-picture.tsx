import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { FILE_ENDINGS } from '../../qrcodes/render/design.ts';
import { describe } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { fileName, pictureOf } from './downloads.ts';
import type { QrCode } from './look.ts';
import { nameOf, usePicture } from './row.tsx';

/** Formats with a button; the designer has all of them. */
const FORMATS = ['png', 'svg', 'pdf'] as const;

/** The image of a code in a dialog. */
export function CodeDialog({ record, onClose }: { record: QrCode; onClose(): void }) {
  return (
    <Dialog title={nameOf(record)} size="small" onClose={onClose}>
      <CodePicture record={record} />
    </Dialog>
  );
}

/** The image of a code with its downloads. */
export function CodePicture({ record }: { record: QrCode }) {
  const { slug } = useWorkspace();
  const picture = usePicture(record);
  const [isBusy, run] = useAction();
  const look = 'aspect-square w-full max-w-72';
  return (
    <div className="flex flex-col gap-3">
      {picture.data !== undefined ? (
        <img
          src={picture.data}
          alt={`QR code ${nameOf(record)}`}
          className={`${look} rounded-lg border border-line bg-white object-contain p-2`}
        />
      ) : picture.error ? (
        <p className="text-muted">{describe(picture.error)}</p>
      ) : (
        <Skeleton className={look} />
      )}
      {!picture.error && (
        <div className="flex flex-wrap items-center gap-2">
          {FORMATS.map((format) => (
            <Button
              key={format}
              icon={Download}
              disabled={isBusy}
              onClick={() =>
                run(async () =>
                  saveFile(
                    await pictureOf(slug, record, format, { size: record.size }),
                    fileName(record, FILE_ENDINGS[format]),
                  ),
                )
              }
            >
              {format.toUpperCase()}
            </Button>
          ))}
        </div>
      )}
      <Link
        to="/$workspace/qrcodes/$qrcode/edit"
        params={{ workspace: slug, qrcode: record.id }}
        className="self-start text-accent-text hover:underline max-md:py-3"
      >
        Design, sizes and other formats
      </Link>
    </div>
  );
}
