import type { FormEvent, ReactNode } from 'react';
import { useUnsavedForm } from '../app/leaving.ts';
import { Button } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Section } from '../ui/section.tsx';

interface FormSectionProps {
  title: string;
  description?: ReactNode;
  /** Label of the submit button; "Save" by default. */
  action?: string;
  /** False for a form that only displays its values. */
  mayWrite: boolean;
  isChanged: boolean;
  /** The write that the form sends. */
  write: { isPending: boolean; error: Error | null };
  onSubmit(): void;
  children: ReactNode;
}

/** A section with a form that has its own submit button. */
export function FormSection(props: FormSectionProps) {
  const { mayWrite, isChanged, write, children } = props;
  useUnsavedForm(mayWrite && isChanged);
  const { title } = props;
  const action = props.action ?? 'Save';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Section
        title={title}
        description={props.description}
        footer={
          mayWrite && (
            <Button
              type="submit"
              look="primary"
              busy={write.isPending}
              disabled={!isChanged}
              // A page can have several forms.
              aria-label={`${action}: ${title}`}
            >
              {action}
            </Button>
          )
        }
      >
        <Refused error={write.error} />
        {children}
      </Section>
    </form>
  );
}
