import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/menu.tsx';
import { DESTINATIONS } from './views.ts';
import { useWorkspace } from './workspace.tsx';

/** Shortcuts grouped by where they work. */
const GROUPS: readonly { title: string; rows: [keys: string, meaning: string][] }[] = [
  {
    title: 'Everywhere',
    rows: [
      ['Ctrl K', 'Search and commands'],
      ['?', 'Keyboard shortcuts'],
      ['z', 'Undo the last action'],
    ],
  },
  {
    title: 'In lists',
    rows: [
      ['j', 'Next row'],
      ['k', 'Previous row'],
      ['Enter', 'Open the row'],
      ['e', 'Edit the row'],
      ['y', 'Copy the short link'],
      ['.', 'More actions'],
      ['c', 'Create'],
      ['/', 'Search'],
      ['x', 'Select the row'],
      ['Shift ↓', 'Extend the selection'],
      ['Ctrl A', 'Select all'],
      ['Esc', 'Clear the selection'],
    ],
  },
  {
    title: 'On the page of a link or QR code',
    rows: [
      ['e', 'Edit'],
      ['y', 'Copy the short link'],
    ],
  },
];

/** The dialog that lists the keyboard shortcuts. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { may } = useWorkspace();
  const destinations = DESTINATIONS.filter(({ scope }) => may(scope)).map(
    ({ key, label }): [string, string] => [`g ${key}`, label],
  );
  return (
    <Dialog title="Keyboard shortcuts" isText onClose={onClose}>
      <div className="gap-x-10 md:columns-2">
        {[...GROUPS, { title: 'Go to', rows: destinations }].map(({ title, rows }) => (
          <section key={title} className="mb-5 break-inside-avoid">
            <h3 className="mb-1.5 font-semibold">{title}</h3>
            <dl className="flex flex-col gap-1">
              {rows.map(([keys, meaning]) => (
                <div key={keys} className="flex justify-between gap-4">
                  <dt className="text-muted">{meaning}</dt>
                  <dd className="flex gap-1">
                    {keys.split(' ').map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
