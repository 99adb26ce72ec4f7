import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { FormDialog } from '../ui/form-dialog.tsx';
import { type RecordOf, type ResourceNoun, useResource } from './resource.ts';
import { useWorkspace } from './workspace.tsx';

interface RemoveDialogProps<N extends ResourceNoun> {
  noun: N;
  record: RecordOf<N>;
  title: string;
  /** Label of the button, such as "Delete domain". */
  action: string;
  onClose(): void;
  /** List to open after the deletion, for a dialog on the page of the record. */
  list?: '/$workspace/customers' | '/$workspace/pages' | '/$workspace/webhooks';
  /** Called after the deletion; by default, the list opens or the dialog closes. */
  onRemoved?(): unknown;
  /** Explanation of what the deletion does. */
  children: ReactNode;
}

/** A dialog that asks before it deletes a record. */
export function RemoveDialog<N extends ResourceNoun>(props: RemoveDialogProps<N>) {
  const { noun, record, title, action, onClose, list, children } = props;
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const leave = () =>
    list === undefined
      ? onClose()
      : // Unsaved changes of the deleted record do not matter.
        navigate({ to: list, params: { workspace: slug }, ignoreBlocker: true });
  const { remove } = useResource(noun, { onRemoved: props.onRemoved ?? leave });
  return (
    <FormDialog
      title={title}
      action={action}
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(record)}
    >
      <p>{children}</p>
    </FormDialog>
  );
}
