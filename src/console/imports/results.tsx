import { Link } from '@tanstack/react-router';
import { Download, List, QrCode } from 'lucide-react';
import { Suspense, useState } from 'react';
import { download, type Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Skeleton } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';

const BatchImages = lazyPart(() => import('../qrcodes/batch-images.tsx'), 'BatchImages');

/** The links that an import created: as a list, as CSV, and as QR codes. */
export function Results({ one: { id, name } }: { one: Schemas['ImportDetails'] }) {
  const { slug, may } = useWorkspace();
  const [isBusy, run] = useAction();
  const [isDrawing, setDrawing] = useState(false);
  const filter = new URLSearchParams({ importId: id, showArchived: 'true' }).toString();
  const save = async () => {
    const file = await download(slug, `/links/export?${filter}`);
    saveFile(file, `links of ${(name ?? 'import').replace(/\.csv$/i, '')}.csv`);
  };
  return (
    <section aria-label="Created links" className="flex flex-col gap-4 px-4 md:px-6">
      <div className="flex flex-wrap gap-2">
        <Link
          to="/$workspace/links"
          params={{ workspace: slug }}
          search={{ importId: id, showArchived: 'true' }}
          className={buttonLook('primary')}
        >
          <List size={15} aria-hidden />
          Show links
        </Link>
        <Button icon={Download} busy={isBusy} onClick={() => run(save)}>
          Download links
        </Button>
        {may('qrcodes.read') && (
          <Button icon={QrCode} aria-expanded={isDrawing} onClick={() => setDrawing(!isDrawing)}>
            QR codes
          </Button>
        )}
      </div>
      {isDrawing && (
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <div className="max-w-3xl">
            <BatchImages selection={{ linkFilter: filter }} />
          </div>
        </Suspense>
      )}
    </section>
  );
}
