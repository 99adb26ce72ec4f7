import { type KeyboardEvent, useId } from 'react';
import { classes } from './classes.ts';

interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; label: string }[];
  chosen: Id;
  onChoose(id: Id): void;
  /** Id of the panel that the tabs control. */
  panelId: string;
}

/** Tabs that choose the content of one panel; arrow keys move between them (WAI-ARIA Tabs). */
export function Tabs<Id extends string>({ label, tabs, chosen, onChoose, panelId }: TabsProps<Id>) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(tabs[next]!.id);
    document.getElementById(`${id}-${tabs[next]!.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} className="flex gap-0.5 overflow-x-auto">
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`${id}-${tab.id}`}
          type="button"
          role="tab"
          aria-selected={tab.id === chosen}
          aria-controls={panelId}
          tabIndex={tab.id === chosen ? 0 : -1}
          onClick={() => onChoose(tab.id)}
          onKeyDown={onKeyDown}
          className={classes(
            'h-7 rounded-md px-2 text-xs whitespace-nowrap max-md:h-11 max-md:min-w-11',
            tab.id === chosen
              ? 'bg-hover font-semibold text-ink'
              : 'text-muted hover:bg-hover hover:text-ink',
          )}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}
