import { useId } from 'react';
import { classes } from '../ui/classes.ts';
import { Switch } from '../ui/field.tsx';
import { type CodeDraft, hasStaticDefault, isAlwaysDynamic, isStaticOf } from './draft.ts';

interface KindProps {
  draft: CodeDraft;
  onChange(change: Partial<CodeDraft>): void;
  isStored: boolean;
}

/** Types of content that can open either a page with buttons or the app directly. */
const WITH_PAGE = new Set(['phone', 'email', 'sms']);

const KINDS = [
  {
    isStatic: false,
    label: 'Dynamic',
    hint: 'Opens a short link. You can change the content later, and scans are counted.',
  },
  {
    isStatic: true,
    label: 'Static',
    hint: 'Works forever without us. Can’t be edited or tracked.',
  },
];

/**
 * The choice between static and dynamic, and between the effects of a scan if the type has several.
 */
export function KindPanel({ draft, onChange, isStored }: KindProps) {
  const group = useId();
  const isStatic = isStaticOf(draft);
  if (isAlwaysDynamic(draft.type)) {
    return (
      <p className="text-xs text-muted">
        Always dynamic: the code opens a short link. You can change the content later, and scans are
        counted.
      </p>
    );
  }
  return (
    <>
      <fieldset disabled={isStored} className="flex flex-col gap-1.5">
        <legend className="sr-only">Kind of code</legend>
        <div className="grid gap-2 sm:grid-cols-2">
          {KINDS.map((kind) => {
            const isChosen = kind.isStatic === isStatic;
            return (
              <label
                key={kind.label}
                className={classes(
                  'relative flex items-start gap-2 rounded-md border p-2.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
                  isChosen ? 'border-accent bg-accent-soft' : 'border-line',
                  isStored ? !isChosen && 'opacity-50' : !isChosen && 'hover:bg-hover',
                )}
              >
                <input
                  type="radio"
                  name={group}
                  aria-label={kind.label}
                  aria-describedby={`${group}-${kind.isStatic}`}
                  checked={isChosen}
                  onChange={() => onChange({ isStatic: kind.isStatic })}
                  className="mt-0.5"
                />
                <span>
                  <span className="block font-medium">{kind.label}</span>
                  <span id={`${group}-${kind.isStatic}`} className="block text-xs text-muted">
                    {kind.hint}
                  </span>
                </span>
              </label>
            );
          })}
        </div>
        {isStored && (
          <p className="text-xs text-muted">You can’t change this once the code is created.</p>
        )}
      </fieldset>
      {!isStatic && hasStaticDefault(draft) && (
        <p role="status" className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          Dynamic needs a connection. People without one can’t open this code.
        </p>
      )}
      {!isStatic && WITH_PAGE.has(draft.type) && (
        <Switch
          label="Page with buttons"
          hint="Off: a scan opens the app at once."
          checked={draft.useDisplayPage}
          onChange={(checked) => onChange({ useDisplayPage: checked })}
        />
      )}
    </>
  );
}
