import { useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, MailOpen, Plus } from 'lucide-react';
import { Menu } from '../ui/menu.tsx';
import { useMe } from './session.ts';
import { useWorkspace } from './workspace.tsx';

/** The current workspace, with a menu to switch to another. */
export function WorkspaceSwitcher() {
  const { slug, name } = useWorkspace();
  const { workspaces, invitations } = useMe();
  const navigate = useNavigate();
  return (
    <Menu
      label="Workspaces"
      button={{
        className:
          'flex h-10 max-md:h-11 w-full items-center gap-2 rounded-md px-2 text-left font-medium hover:bg-hover',
        children: (
          <>
            <span
              aria-hidden
              className="grid size-6 shrink-0 place-items-center rounded-md bg-accent text-xs font-semibold text-accent-ink"
            >
              {name.slice(0, 1).toUpperCase()}
            </span>
            <span className="sr-only">Workspace:</span>
            <span className="flex-1 truncate">{name}</span>
            <ChevronsUpDown size={14} aria-hidden className="text-muted" />
          </>
        ),
      }}
      items={[
        ...workspaces.map((workspace) => ({
          label: workspace.name,
          isChecked: workspace.slug === slug,
          onSelect: () =>
            void navigate({ to: '/$workspace/links', params: { workspace: workspace.slug } }),
        })),
        invitations.length > 0 && {
          label: `Invitations (${invitations.length})`,
          icon: MailOpen,
          onSelect: () => void navigate({ to: '/welcome' }),
        },
        {
          label: 'Create workspace',
          icon: Plus,
          onSelect: () => void navigate({ to: '/welcome' }),
        },
      ]}
    />
  );
}
