import { useQueryClient } from '@tanstack/react-query';
import { Archive, LayoutGrid, Trash2, X } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import type { QrCode } from './look.ts';
import { archiveCodes } from './pending.ts';

interface SelectionBarProps {
  selected: readonly QrCode[];
  clear(): void;
  onSheet(): void;
  onDelete(): void;
}

/** Actions on all selected codes. */
export function SelectionBar({ selected, clear, onSheet, onDelete }: SelectionBarProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const isArchived = selected.every(({ archived }) => archived);
  return (
    <div
      role="toolbar"
      aria-label="Selected QR codes"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 md:px-6"
    >
      <span className="font-medium tabular-nums">{selected.length} selected</span>
      <IconButton icon={X} label="Clear the selection" onClick={clear} />
      <span className="flex-1" />
      <Button icon={LayoutGrid} onClick={onSheet}>
        Sheet or ZIP
      </Button>
      {may('qrcodes.write') && (
        <>
          <Button
            icon={Archive}
            onClick={() => {
              archiveCodes(
                { api, client },
                selected.map(({ id }) => id),
                !isArchived,
              );
              clear();
            }}
          >
            {isArchived ? 'Restore' : 'Archive'}
          </Button>
          <Button look="danger" icon={Trash2} onClick={onDelete}>
            Delete
          </Button>
        </>
      )}
    </div>
  );
}
