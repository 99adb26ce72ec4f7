import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { Role } from '../../api/people.ts';
import { useResource } from '../../app/resource.ts';
import { meQuery, personClient, useMe } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { RoleChoice } from './roles.tsx';

interface MemberDialogProps {
  member: Schemas['Member'];
  onClose(): void;
}

/** A dialog that changes the role of a member. */
export function RoleDialog({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<Role>(member.role);
  const { update: save } = useResource('members', {
    onUpdated: async () => {
      onClose();
      // The member may be the signed-in person, whose role decides which controls are visible.
      await personClient.invalidateQueries(meQuery);
    },
  });
  return (
    <FormDialog
      title={`Role of ${member.name === '' ? member.email : member.name}`}
      action="Save"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      isDisabled={role === member.role}
      onSubmit={() => save.write({ seen: member, body: { role } })}
    >
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  );
}

/** A dialog that removes a member, or leaves the workspace. */
export function RemoveDialog({ member, onClose }: MemberDialogProps) {
  const { name } = useWorkspace();
  const navigate = useNavigate();
  const isMe = useMe().id === member.userId;
  const { remove } = useResource('members', {
    onRemoved: async () => {
      if (!isMe) {
        toast(`${member.email} removed`);
        onClose();
        return;
      }
      await personClient.refetchQueries(meQuery);
      await navigate({ to: '/' });
    },
  });
  return (
    <FormDialog
      title={isMe ? `Leave ${name}?` : `Remove ${member.email}?`}
      action={isMe ? 'Leave' : 'Remove'}
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(member)}
    >
      <p>
        {isMe ? 'You lose access to this workspace' : 'They lose access to this workspace'}, and the
        API keys that {isMe ? 'you' : 'they'} created here stop working. Their links and QR codes
        stay.
      </p>
    </FormDialog>
  );
}
