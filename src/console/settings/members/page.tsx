import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useRecords } from '../../app/resource.ts';
import { ROLE_NAMES } from '../../app/role-names.ts';
import { useMe } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { RowMenu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { SecretDialog } from '../../ui/secret-dialog.tsx';
import { Badge } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { LastTime } from '../last-time.tsx';
import { Invitations } from './invitations.tsx';
import { AccessDialog, InviteDialog, RemoveMemberDialog } from './member-dialogs.tsx';

type Member = Schemas['Member'];
type Opened =
  | { what: 'invite' }
  | { what: 'role' | 'remove'; member: Member }
  | { what: 'invited'; invitation: Schemas['InvitationWithUrl'] };

/** The page that lists the members of a workspace. */
export function MembersPage() {
  const { may } = useWorkspace();
  const me = useMe();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const mayWrite = may('members.write');
  const showLink = (invitation: Schemas['InvitationWithUrl']) => {
    if (invitation.url !== null) return setOpened({ what: 'invited', invitation });
    toast(`Invitation sent to ${invitation.email}. It is valid for seven days.`);
    return close();
  };
  const members = useRecords('members');
  return (
    <Page
      title="Members"
      actions={
        mayWrite && (
          <Button look="primary" icon={UserPlus} onClick={() => setOpened({ what: 'invite' })}>
            Invite
          </Button>
        )
      }
    >
      <RecordList query={members} empty={null}>
        {(rows) => (
          <Table
            label="Members"
            rows={rows}
            keyOf={({ userId }) => userId}
            columns={[
              {
                name: 'Person',
                render: ({ userId, name, email }) => (
                  <div className="flex min-w-0 flex-col">
                    <span className="font-medium">
                      {name === '' ? email : name} {userId === me.id && <Badge>You</Badge>}
                    </span>
                    <span className="text-xs break-all text-muted">{email}</span>
                  </div>
                ),
              },
              {
                name: 'Role',
                render: ({ role, limits }) => (
                  <span className="whitespace-nowrap">
                    <span className="capitalize">{ROLE_NAMES[role]}</span>{' '}
                    {limits !== null && <Badge>Limited</Badge>}
                  </span>
                ),
              },
              { name: 'Joined', isMinor: true, render: ({ joinedAt }) => <Time at={joinedAt} /> },
              {
                name: 'Last seen',
                isMinor: true,
                render: ({ lastSeenAt }) => <LastTime at={lastSeenAt} />,
              },
              {
                name: 'Actions',
                isBare: true,
                render: (member) => <MemberMenu member={member} open={setOpened} />,
              },
            ]}
          />
        )}
      </RecordList>
      {mayWrite && <Invitations onResent={showLink} />}
      {opened?.what === 'invite' && <InviteDialog onClose={close} onInvited={showLink} />}
      {opened?.what === 'invited' && opened.invitation.url !== null && (
        <SecretDialog
          title={`Invite ${opened.invitation.email}`}
          label="Invite link"
          secret={opened.invitation.url}
          onClose={close}
        >
          Send this link to {opened.invitation.email}. It works once, within seven days.
        </SecretDialog>
      )}
      {opened?.what === 'role' && <AccessDialog member={opened.member} onClose={close} />}
      {opened?.what === 'remove' && <RemoveMemberDialog member={opened.member} onClose={close} />}
    </Page>
  );
}

function MemberMenu({ member, open }: { member: Member; open(what: Opened): void }) {
  const { may } = useWorkspace();
  const isMe = member.userId === useMe().id;
  const roleItem = { label: 'Change access', onSelect: () => open({ what: 'role', member }) };
  const removeItem = {
    label: isMe ? 'Leave workspace' : 'Remove',
    isDanger: true,
    onSelect: () => open({ what: 'remove', member }),
  };
  const mayWrite = may('members.write');
  if (!mayWrite && !isMe) return null;
  return (
    <RowMenu
      label={`Actions for ${member.email}`}
      items={mayWrite ? [roleItem, removeItem] : [removeItem]}
    />
  );
}
