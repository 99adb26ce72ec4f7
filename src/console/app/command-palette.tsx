import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Building2, Link2, type LucideIcon, Plus, QrCode } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { answer } from '../api/client.ts';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { DESTINATIONS } from './navigation.ts';
import { useMe } from './session.ts';
import { useWorkspace } from './workspace.tsx';

interface Command {
  id: string;
  label: string;
  hint?: string;
  icon: LucideIcon;
  run(): void;
}

/** Links, and QR codes, that the palette shows for what is typed. */
const RECORDS_SHOWN = 6;

/** Everything by a few letters: views, actions, workspaces, links, QR codes. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const listId = useId();
  const commands = useCommands(text);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((chosen + step + commands.length) % Math.max(1, commands.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[chosen]);
    }
  };
  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <input
        data-autofocus
        role="combobox"
        aria-label="Search views, actions, links and QR codes"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={commands[chosen] && `${listId}-${chosen}`}
        placeholder="Type a view, an action, a link or a QR code"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        className="mb-2 h-10 max-md:h-11 w-full rounded-md border border-edge bg-panel px-3 text-base"
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Results"
        className="h-96 overflow-y-auto max-md:h-[70dvh]"
      >
        {commands.map((command, index) => (
          <div
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseMove={() => setChosen(index)}
            onClick={() => run(command)}
            onKeyDown={onKeyDown}
            className={classes(
              'flex h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 max-md:h-11',
              index === chosen && 'bg-hover',
            )}
          >
            <command.icon size={16} aria-hidden className="shrink-0 text-muted" />
            <span className="shrink-0">{command.label}</span>
            <span className="truncate text-muted">{command.hint}</span>
          </div>
        ))}
      </div>
      <p role="status" className="text-muted">
        {commands.length === 0 ? 'Nothing found.' : ''}
      </p>
    </Dialog>
  );
}

function useCommands(text: string): Command[] {
  const { slug, may, api } = useWorkspace();
  const { workspaces } = useMe();
  const navigate = useNavigate();
  const search = useDebounced(text.trim(), 120);
  const query = { search, pageSize: RECORDS_SHOWN };
  const foundLinks = useQuery({
    queryKey: ['links', 'palette', search],
    queryFn: ({ signal }) => answer(api.GET('/links', { params: { query }, signal })),
    enabled: search !== '',
    placeholderData: (before) => before,
  });
  const foundCodes = useQuery({
    queryKey: ['qrcodes', 'palette', search],
    queryFn: ({ signal }) => answer(api.GET('/qrcodes', { params: { query }, signal })),
    enabled: search !== '',
    placeholderData: (before) => before,
  });
  const params = { workspace: slug };
  const fixed: Command[] = [
    ...(may('links.write')
      ? [
          {
            id: 'create-link',
            label: 'Create a link',
            icon: Plus,
            run: () => void navigate({ to: '/$workspace/links', params, search: { new: 'link' } }),
          },
        ]
      : []),
    ...(may('qrcodes.write')
      ? [
          {
            id: 'create-qrcode',
            label: 'Create a QR code',
            icon: Plus,
            run: () => void navigate({ to: '/$workspace/qrcodes/new', params }),
          },
        ]
      : []),
    ...DESTINATIONS.filter(({ scope }) => may(scope)).map(({ to, label, icon }) => ({
      id: to,
      label,
      icon,
      run: () => void navigate({ to, params }),
    })),
    ...workspaces
      .filter((other) => other.slug !== slug)
      .map((other) => ({
        id: `workspace-${other.slug}`,
        label: other.name,
        hint: 'Switch workspace',
        icon: Building2,
        run: () => void navigate({ to: '/$workspace/links', params: { workspace: other.slug } }),
      })),
  ];
  const wanted = text.trim().toLowerCase();
  const links = (wanted === '' ? [] : (foundLinks.data ?? [])).map((link) => ({
    id: link.id,
    label: `${link.domain}/${link.key}`,
    hint: link.url,
    icon: Link2,
    run: () => void navigate({ to: '/$workspace/links', params, search: { edit: link.id } }),
  }));
  const codes = (wanted === '' ? [] : (foundCodes.data ?? [])).map((code) => ({
    id: code.id,
    label: code.title ?? `${code.domain}/${code.key}`,
    hint: code.url ?? 'QR code',
    icon: QrCode,
    run: () =>
      void navigate({
        to: '/$workspace/qrcodes/$qrcode',
        params: { workspace: slug, qrcode: code.id },
      }),
  }));
  return [...fixed.filter(({ label }) => label.toLowerCase().includes(wanted)), ...links, ...codes];
}
