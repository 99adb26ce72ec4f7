import type { ReactNode } from 'react';
import { CopyButton } from './button.tsx';
import { DoneDialog } from './done-dialog.tsx';
import { Field, inputLook } from './field.tsx';
import { inSentence } from './sentence.ts';
import { useUnsaved } from './unsaved.ts';

interface SecretDialogProps {
  title: string;
  label: string;
  secret: string;
  onClose(): void;
  /** Instructions for the person who receives the secret. */
  children: ReactNode;
}

/** Shows a secret once; the service keeps no copy of it. */
export function SecretDialog({ title, label, secret, onClose, children }: SecretDialogProps) {
  useUnsaved(true);
  return (
    <DoneDialog title={title} onClose={onClose}>
      <div>{children}</div>
      <Field label={label} hint="Copy it now. You won’t see it again.">
        {(control) => (
          <div className="flex items-center gap-1">
            <input
              {...control}
              readOnly
              data-autofocus
              value={secret}
              spellCheck={false}
              autoComplete="off"
              onFocus={(event) => event.currentTarget.select()}
              className={`${inputLook} font-mono text-xs`}
            />
            <CopyButton text={secret} label={`Copy ${inSentence(label)}`} />
          </div>
        )}
      </Field>
    </DoneDialog>
  );
}
