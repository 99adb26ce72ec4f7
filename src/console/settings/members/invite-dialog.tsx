import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import type { Role } from '../../api/people.ts';
import { useWrite } from '../../api/queries.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog, messagesOf } from '../../ui/form-dialog.tsx';
import { RoleChoice } from './roles.tsx';

interface InviteDialogProps {
  onClose(): void;
  onInvited(invitation: Schemas['InvitationWithUrl']): void;
}

/** Creates an invitation. */
export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const invite = useWrite({
    send: (body: Schemas['NewInvitation'], key) =>
      answer(api.POST('/invitations', { params: { header: { 'Idempotency-Key': key } }, body })),
    onDone: (made) => {
      void client.invalidateQueries({ queryKey: keys.invitations.all });
      onInvited(made);
    },
  });
  return (
    <FormDialog
      title="Invite a person"
      action="Create invitation"
      onClose={onClose}
      busy={invite.isPending}
      error={invite.error}
      onSubmit={() => invite.write({ email, role })}
    >
      <TextField
        label="Email"
        type="email"
        hint="We’ll email them an invite link. If email isn’t set up, you get the link to share."
        autoFocus
        required
        value={email}
        error={messagesOf(invite.error)['email']}
        onChange={(event) => setEmail(event.target.value)}
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}
