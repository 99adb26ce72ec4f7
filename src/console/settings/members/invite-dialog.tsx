import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { Role } from '../../api/people.ts';
import { useResource } from '../../app/resource.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog, messagesOf } from '../../ui/form-dialog.tsx';
import { RoleChoice } from './roles.tsx';

interface InviteDialogProps {
  onClose(): void;
  onInvited(invitation: Schemas['InvitationWithUrl']): void;
}

/** A dialog that creates an invitation. */
export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { create: invite } = useResource('invitations', { onCreated: onInvited });
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
