import { BatchImages } from '../qrcodes/batch-images.tsx';
import { countOf } from '../ui/count-of.ts';
import { Dialog } from '../ui/dialog.tsx';

interface ImagesDialogProps {
  /** Ids of the links. */
  ids: readonly string[];
  onClose(): void;
}

/** Draws the QR codes of links: images in a ZIP file, or a sheet to print. */
export function ImagesDialog({ ids, onClose }: ImagesDialogProps) {
  return (
    <Dialog title={`QR codes of ${countOf(ids.length, 'link')}`} onClose={onClose}>
      <BatchImages selection={{ linkIds: [...ids] }} />
    </Dialog>
  );
}
