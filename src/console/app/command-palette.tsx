import { ChevronRight } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/menu.tsx';
import { type Command, useCommands } from './commands.ts';

/** The command palette: finds views, settings, actions, links, QR codes, tags and customers. */
export function CommandPalette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  /** The record whose actions are listed. */
  const [record, setRecord] = useState<Command>();
  const listId = useId();
  const { commands: found, isBusy } = useCommands(text);
  /** True when Enter was pressed before results arrived. */
  const [isAwaited, setAwaited] = useState(false);
  const commands = record?.actions ?? found;
  const current = commands[chosen];
  useEffect(() => {
    document.querySelector(`[id="${listId}-${chosen}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, chosen]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  useEffect(() => {
    if (isAwaited && !isBusy) run(current);
  });
  const showActions = (command: Command | undefined) => {
    if (command?.actions === undefined) return false;
    setRecord(command);
    setChosen(0);
    return true;
  };
  const leave = () => {
    const index = found.findIndex(({ id }) => id === record?.id);
    setChosen(Math.max(0, index));
    setRecord(undefined);
  };
  const type = (typed: string) => {
    setText(typed);
    setRecord(undefined);
    setChosen(0);
    setAwaited(false);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { selectionStart, value } = event.currentTarget as HTMLInputElement;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = Math.max(1, commands.length);
    if (step !== undefined) setChosen((chosen + step + count) % count);
    else if (event.key === 'Enter') {
      if (isBusy && (current === undefined || current.isFallback === true)) setAwaited(true);
      else run(current);
    } else if (event.key === 'ArrowRight' && selectionStart === value.length) {
      if (!showActions(current)) return;
    } else if (event.key === 'ArrowLeft' && record !== undefined) leave();
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent, command: Command) => {
    const isMore = (event.target as HTMLElement).closest('[data-actions]') !== null;
    if (!isMore || !showActions(command)) run(command);
  };
  return (
    <Dialog title="Search and commands" onClose={onClose}>
      <input
        data-autofocus
        role="combobox"
        aria-label="Search links, QR codes, views and actions"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current && `${listId}-${chosen}`}
        placeholder="Search links, QR codes, views and actions"
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        className="mb-2 h-10 max-md:h-11 w-full rounded-md border border-edge bg-panel px-3 text-base"
      />
      <div
        id={listId}
        role="listbox"
        aria-label={record === undefined ? 'Results' : `Actions for ${record.label}`}
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
            onClick={(event) => onClick(event, command)}
            onKeyDown={(event) => event.key === 'Enter' && run(command)}
            className={classes(
              'flex h-9 cursor-pointer items-center gap-2.5 rounded-md pl-2 max-md:h-11',
              index === chosen && 'bg-hover',
            )}
          >
            <command.icon size={16} aria-hidden className="shrink-0 text-muted" />
            <span className="flex min-w-0 flex-1 max-md:flex-col md:gap-2.5">
              <span className="truncate md:max-w-[60%] md:shrink-0">{command.label}</span>
              <span className="truncate text-muted max-md:text-xs md:flex-1">{command.hint}</span>
            </span>
            {command.actions && (
              <span
                data-actions
                title="Actions"
                className="grid size-9 shrink-0 place-items-center text-muted hover:text-ink max-md:size-11"
              >
                <ChevronRight size={16} aria-hidden />
              </span>
            )}
          </div>
        ))}
      </div>
      <p role="status" className="flex h-6 items-end justify-end gap-3 text-xs text-muted">
        {commands.length === 0 && (
          <span className="flex-1">{isBusy ? 'Searching …' : 'Nothing found.'}</span>
        )}
        {current?.actions && <Hint keys="→">Actions</Hint>}
        {record && <Hint keys="←">Back</Hint>}
      </p>
    </Dialog>
  );
}

/** A keyboard hint, hidden on touch screens. */
function Hint({ keys, children }: { keys: string; children: string }) {
  return (
    <span className="flex items-center gap-1 max-md:hidden pointer-coarse:hidden">
      <Kbd>{keys}</Kbd>
      {children}
    </span>
  );
}
