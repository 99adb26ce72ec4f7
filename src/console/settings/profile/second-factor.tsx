import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../../api/people.ts';
import { meQuery, personClient, useMe } from '../../app/session.ts';
import { useConfirmation } from '../../sign-in/confirmation.tsx';
import { RecoveryCodes } from '../../sign-in/recovery-codes.tsx';
import { Button, buttonLook } from '../../ui/button.tsx';
import { countOf } from '../../ui/count-of.ts';
import { DoneDialog } from '../../ui/done-dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { Badge } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';

/** The section for the authenticator app of the person. */
export function SecondFactorSection() {
  const { secondFactor } = useMe();
  const to = useLocation({ select: ({ pathname }) => pathname });
  const [opened, open] = useState<'codes' | 'remove'>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => open(undefined);
  return (
    <Section
      title="Two-factor authentication"
      description="Signing in with a password then also needs a code from an app on your phone."
      footer={
        secondFactor === null ? (
          <Link to="/sign-in/second-factor" search={{ to }} className={buttonLook('primary')}>
            Set up
          </Link>
        ) : (
          <>
            <Button onClick={() => open('codes')}>New recovery codes</Button>
            <Button look="danger" onClick={() => open('remove')}>
              Turn off
            </Button>
          </>
        )
      }
    >
      {secondFactor !== null && (
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone="success">On</Badge>
          <span>
            since <Time at={secondFactor.createdAt} />,{' '}
            {countOf(secondFactor.recoveryCodes, 'unused recovery code')}
          </span>
        </p>
      )}
      {opened === 'codes' && <NewCodesDialog onClose={close} onDone={setCodes} />}
      {opened === 'remove' && <RemoveDialog onClose={close} />}
      {codes !== undefined && (
        <DoneDialog title="Your new recovery codes" onClose={() => setCodes(undefined)}>
          <RecoveryCodes codes={codes} />
        </DoneDialog>
      )}
    </Section>
  );
}

function NewCodesDialog({ onClose, onDone }: { onClose(): void; onDone(codes: string[]): void }) {
  const replace = useMutation(
    {
      mutationFn: people.rotateRecoveryCodes,
      onSuccess({ recoveryCodes }) {
        onClose();
        onDone(recoveryCodes);
        void personClient.invalidateQueries(meQuery);
      },
    },
    personClient,
  );
  const { body, fields } = useConfirmation(replace.error);
  return (
    <FormDialog
      title="New recovery codes"
      action="Create codes"
      busy={replace.isPending}
      error={replace.error}
      onSubmit={() => replace.mutate(body)}
      onClose={onClose}
    >
      <p>Your present recovery codes stop working.</p>
      {fields}
    </FormDialog>
  );
}

function RemoveDialog({ onClose }: { onClose(): void }) {
  const remove = useMutation(
    {
      mutationFn: people.removeSecondFactor,
      async onSuccess() {
        await personClient.refetchQueries(meQuery);
        toast('Two-factor authentication is off');
        onClose();
      },
    },
    personClient,
  );
  const { body, fields } = useConfirmation(remove.error);
  return (
    <FormDialog
      title="Turn off two-factor authentication?"
      action="Turn off"
      isDanger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate(body)}
      onClose={onClose}
    >
      <p>
        Your password alone then signs you in. Workspaces that require two-factor authentication no
        longer let you in.
      </p>
      {fields}
    </FormDialog>
  );
}
