import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface DoneDialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
}

/** A dialog that only shows something, with a button that closes it. */
export function DoneDialog({ title, onClose, children }: DoneDialogProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">{children}</div>
    </Dialog>
  );
}
