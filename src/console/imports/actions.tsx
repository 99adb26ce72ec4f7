import { useQueryClient } from '@tanstack/react-query';
import { Play, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toastError } from '../ui/toast-error.ts';
import { isBusy, isEmpty } from './state.tsx';

type Action = 'start' | 'cancel' | 'undo';

/** Buttons that start, cancel or undo an import. */
export function ImportActions({ one }: { one: Schemas['ImportDetails'] }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [isUndoing, setUndoing] = useState(false);
  const act = useWrite({
    send: (action: Action, key) =>
      answer(api.POST(`/imports/{id}/${action}`, idempotent(key, { id: one.id }))),
    onDone: () => {
      setUndoing(false);
      void client.invalidateQueries({ queryKey: keys.imports.all });
      void client.invalidateQueries({ queryKey: keys.links.all });
    },
    onFailed: (error, action) => {
      if (action !== 'undo') toastError(error);
    },
  });
  const isSending = (action: Action) => act.isPending && act.variables.input === action;
  const { state, counts, keyless, options } = one;
  const isOver = state === 'done' || state === 'cancelled';
  return (
    <>
      {(isBusy(state) || state === 'checked') && state !== 'undoing' && (
        <Button
          icon={X}
          busy={isSending('cancel')}
          disabled={act.isPending}
          onClick={() => act.write('cancel')}
        >
          Cancel
        </Button>
      )}
      {state === 'checked' && (
        <Button
          look="primary"
          icon={Play}
          busy={isSending('start')}
          disabled={act.isPending || isEmpty(one) || (keyless > 0 && !options.allowRandomKeys)}
          onClick={() => act.write('start')}
        >
          Import
        </Button>
      )}
      {isOver && counts.created > 0 && one.source !== 'workspace' && (
        <Button look="danger" icon={Undo2} onClick={() => setUndoing(true)}>
          Undo
        </Button>
      )}
      {isUndoing && (
        <FormDialog
          title="Undo the import?"
          action="Delete links"
          isDanger
          onClose={() => setUndoing(false)}
          busy={act.isPending}
          error={act.error}
          onSubmit={() => act.write('undo')}
        >
          <p>
            This deletes {counts.created === 1 ? 'the link' : `the ${counts.created} links`} that
            the import created, and their short links stop working. Links that were edited since, or
            only updated by the import, stay.
          </p>
        </FormDialog>
      )}
    </>
  );
}
