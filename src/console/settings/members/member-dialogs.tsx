import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { Role } from '../../api/people.ts';
import { RemoveDialog } from '../../app/remove-dialog.tsx';
import { useRecords, useResource } from '../../app/resource.ts';
import { ROLE_NAMES } from '../../app/role-names.ts';
import { meQuery, personClient, useMe } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog, messagesOf } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { isEmpty, LimitFields, type Limits } from '../limit-fields.tsx';

interface InviteDialogProps {
  onClose(): void;
  onInvited(invitation: Schemas['InvitationWithUrl']): void;
}

/** A dialog that creates an invitation. */
export function InviteDialog({ onClose, onInvited }: InviteDialogProps) {
  const [role, setRole] = useState<Role>('member');
  const [limits, setLimits] = useState<Limits>(null);
  const { create: invite } = useResource('invitations', { onCreated: onInvited });
  const { values, messages, text } = useFields({ email: '' }, invite.error);
  const email = values.email.trim().toLowerCase();
  const isReplaced = useRecords('invitations').rows.some(
    (pending) => pending.email.toLowerCase() === email,
  );
  return (
    <FormDialog
      title="Invite a person"
      action="Create invitation"
      onClose={onClose}
      busy={invite.isPending}
      error={invite.error}
      isDisabled={role !== 'owner' && isEmpty(limits)}
      onSubmit={() => invite.write({ ...values, role, limits: role === 'owner' ? null : limits })}
    >
      <TextField
        label="Email"
        type="email"
        hint="We’ll email them an invite link. If email isn’t set up, you get the link to share."
        data-autofocus
        required
        {...text('email')}
      />
      <p role="status" className="text-warning empty:hidden">
        {isReplaced &&
          'This person has a pending invitation. A new one replaces it, with its role and limits.'}
      </p>
      <RoleChoice role={role} onChange={setRole} />
      {role !== 'owner' && (
        <LimitFields
          limits={limits}
          messages={messages}
          subject="The person"
          onChange={setLimits}
        />
      )}
    </FormDialog>
  );
}

interface MemberDialogProps {
  member: Schemas['Member'];
  onClose(): void;
}

/** A dialog that changes the role and the limits of a member. */
export function AccessDialog({ member, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<Role>(member.role);
  const [limits, setLimits] = useState<Limits>(member.limits);
  const { update: save } = useResource('members', {
    onUpdated: async () => {
      onClose();
      // The member may be the signed-in person, whose role decides which controls are visible.
      await personClient.invalidateQueries(meQuery);
    },
  });
  return (
    <FormDialog
      title={`Access of ${member.name === '' ? member.email : member.name}`}
      action="Save"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      isDisabled={
        (role === member.role && limits === member.limits) || (role !== 'owner' && isEmpty(limits))
      }
      onSubmit={() =>
        save.write({ seen: member, body: { role, limits: role === 'owner' ? null : limits } })
      }
    >
      <RoleChoice role={role} onChange={setRole} />
      {role !== 'owner' && (
        <LimitFields
          limits={limits}
          messages={messagesOf(save.error)}
          subject="The person"
          onChange={setLimits}
        />
      )}
    </FormDialog>
  );
}

/** A dialog that removes a member, or leaves the workspace. */
export function RemoveMemberDialog({ member, onClose }: MemberDialogProps) {
  const { name } = useWorkspace();
  const navigate = useNavigate();
  const isMe = useMe().id === member.userId;
  const onRemoved = async () => {
    if (!isMe) {
      toast(`${member.email} removed`);
      onClose();
      return;
    }
    await personClient.refetchQueries(meQuery);
    await navigate({ to: '/' });
  };
  return (
    <RemoveDialog
      noun="members"
      record={member}
      title={isMe ? `Leave ${name}?` : `Remove ${member.email}?`}
      action={isMe ? 'Leave' : 'Remove'}
      onClose={onClose}
      onRemoved={onRemoved}
    >
      {isMe
        ? 'You lose access to this workspace, and the API keys that you created here stop working. Your links and QR codes stay.'
        : 'They lose access to this workspace, and the API keys that they created here stop working. Their links and QR codes stay.'}
    </RemoveDialog>
  );
}

/** Description of each role's rights. */
const ROLES: Readonly<Record<Role, string>> = {
  owner: 'Can do everything, including people, API keys and settings.',
  member: 'Can create and edit links, QR codes and all other records.',
  viewer: 'Can see links, QR codes and analytics, but not change anything.',
};

function RoleChoice({ role, onChange }: { role: Role; onChange(role: Role): void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Role</legend>
      {(Object.keys(ROLES) as Role[]).map((one) => (
        <label
          key={one}
          className={`grid grid-cols-[auto_1fr] gap-x-3 rounded-md border p-3 ${one === role ? 'border-accent-text bg-accent-soft' : 'border-line'}`}
        >
          <input
            type="radio"
            name="role"
            className="mt-0.5 size-4 accent-accent"
            checked={one === role}
            onChange={() => onChange(one)}
          />
          <span className="font-medium capitalize">{ROLE_NAMES[one]}</span>
          <span className="col-start-2 text-muted">{ROLES[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
