import { Plus, Trash2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, TextArea, TextField } from '../ui/field.tsx';
import {
  ANDROID,
  type AndroidApp,
  type AppFields,
  appIdIn,
  draftOf,
  type FileDraft,
  type FileKind,
  fileOf,
  IOS,
  type IosApp,
  isBlank,
  NO_JSON,
  parsed,
} from './app-files.ts';

interface FieldOfApp<App> {
  name: keyof App & string;
  label: string;
  hint: string;
  placeholder: string;
  isArea?: true;
}

interface FileFieldProps<App extends AppFields> {
  kind: FileKind<App>;
  title: string;
  /** Name under which phones read the file. */
  fileName: string;
  fields: readonly FieldOfApp<App>[];
  /** Returns the fields of an app that a pasted text has in full. */
  paste?: ((text: string) => App | undefined) | undefined;
}

interface DraftProps<App> {
  draft: FileDraft<App>;
  /** True to show the errors of fields that were not edited, after an attempt to save. */
  isChecked: boolean;
  /** Error message of the API about the file. */
  error: string | undefined;
  onChange(draft: FileDraft<App>): void;
}

/** The iOS apps that open the links of a domain. */
export const IosAppsField = (props: DraftProps<IosApp>) => (
  <AppFileField
    {...props}
    kind={IOS}
    title="iOS apps"
    fileName="apple-app-site-association"
    paste={appIdIn}
    fields={[
      {
        name: 'teamId',
        label: 'Team ID',
        hint: 'In your Apple Developer account, under Membership details.',
        placeholder: 'ABCDE12345',
      },
      {
        name: 'bundleId',
        label: 'Bundle ID',
        hint: 'In Xcode, under Signing & Capabilities.',
        placeholder: 'com.example.app',
      },
    ]}
  />
);

/** The Android apps that open the links of a domain. */
export const AndroidAppsField = (props: DraftProps<AndroidApp>) => (
  <AppFileField
    {...props}
    kind={ANDROID}
    title="Android apps"
    fileName="assetlinks.json"
    fields={[
      {
        name: 'packageName',
        label: 'Package name',
        hint: 'In the URL of the app at Google Play.',
        placeholder: 'com.example.app',
      },
      {
        name: 'fingerprints',
        label: 'SHA-256 fingerprints',
        hint: 'One on each line. In Play Console, under App signing.',
        placeholder: '14:6D:E9:83:C5:73:06:50:…',
        isArea: true,
      },
    ]}
  />
);

const NO_JSON_TEXT = 'Enter valid JSON.';
const BEYOND_FORM = 'The form can’t show all parts of this file. Edit it as JSON.';

function AppFileField<App extends AppFields>(props: FileFieldProps<App> & DraftProps<App>) {
  const { kind, title, fileName, fields, paste, draft, isChecked, error, onChange } = props;
  const id = useId();
  /** Reason why the form cannot be used now. */
  const [reason, setReason] = useState<typeof NO_JSON_TEXT | typeof BEYOND_FORM>();
  const group = useRef<HTMLDivElement>(null);
  const isJson = 'json' in draft;

  const change = (next: FileDraft<App>) => {
    setReason(undefined);
    onChange(next);
  };
  const switchView = () => {
    if (!isJson) {
      const file = fileOf(kind, draft.apps);
      change({ json: file === null ? '' : JSON.stringify(file, null, 2) });
      return;
    }
    const file = parsed(draft.json);
    const next = file === NO_JSON ? draft : draftOf(kind, file);
    if (!('json' in next)) change(next);
    else setReason(file === NO_JSON ? NO_JSON_TEXT : BEYOND_FORM);
  };
  /** Changes the apps, then moves the focus to a field of the app at an index, or to "Add app". */
  const resize = (apps: App[], index: number) => {
    flushSync(() => change({ apps }));
    const rows = group.current?.querySelectorAll('fieldset') ?? [];
    const row = rows[Math.min(index, rows.length - 1)] ?? group.current;
    row?.querySelector<HTMLElement>('input, [data-add]')?.focus();
  };
  return (
    <div ref={group} role="group" aria-labelledby={id} className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <span id={id} className="font-medium">
          {title}
        </span>
        <Button look="quiet" size="small" onClick={switchView}>
          {isJson ? 'Use the form' : 'Edit as JSON'}
        </Button>
      </div>
      <p className="-mt-1 text-xs text-muted">
        Links of the domain open in these apps, where they are installed.
      </p>
      {isJson ? (
        <>
          <TextArea
            label={fileName}
            rows={8}
            spellCheck={false}
            className="font-mono text-xs"
            value={draft.json}
            error={
              (isChecked || reason === NO_JSON_TEXT) && parsed(draft.json) === NO_JSON
                ? NO_JSON_TEXT
                : error
            }
            onChange={({ target }) => change({ json: target.value })}
          />
          <p role="status" className="-mt-1 text-xs">
            {reason === BEYOND_FORM && BEYOND_FORM}
          </p>
        </>
      ) : (
        <>
          {draft.apps.map((app, index) => (
            <AppRow
              // oxlint-disable-next-line no-array-index-key -- the apps may be equal
              key={index}
              number={index + 1}
              {...{ kind, fields, paste, app, isChecked }}
              onChange={(changed) => change({ apps: draft.apps.with(index, changed) })}
              onRemove={() => resize(draft.apps.toSpliced(index, 1), index)}
            />
          ))}
          {error !== undefined && <FieldError error={error} label={title} />}
          <Button
            size="small"
            icon={Plus}
            className="self-start"
            data-add
            onClick={() => resize([...draft.apps, kind.blank], draft.apps.length)}
          >
            Add app
          </Button>
        </>
      )}
    </div>
  );
}

interface AppRowProps<App extends AppFields>
  extends Pick<FileFieldProps<App>, 'kind' | 'fields' | 'paste'> {
  number: number;
  app: App;
  isChecked: boolean;
  onChange(app: App): void;
  onRemove(): void;
}

function AppRow<App extends AppFields>(props: AppRowProps<App>) {
  const { kind, fields, paste, number, app, isChecked, onChange, onRemove } = props;
  /** Fields that were left, and so are checked from then on. */
  const [left, setLeft] = useState<readonly string[]>([]);
  const faults = isBlank(app) ? {} : kind.faultsOf(kind.normalize(app));
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <legend className="sr-only">App {number}</legend>
      {fields.map(({ name, label, hint, placeholder, isArea }, place) => {
        const Control = isArea === true ? TextArea : TextField;
        const isShown = isChecked || (left.includes(name) && app[name] !== '');
        return (
          <Control
            key={name}
            label={label}
            aria-label={`${label}: app ${number}`}
            aside={
              place === 0 && (
                <IconButton
                  icon={Trash2}
                  label={`Remove app ${number}`}
                  className="-mr-2 max-md:-my-3 md:-my-1.5"
                  onClick={onRemove}
                />
              )
            }
            hint={hint}
            placeholder={placeholder}
            error={isShown ? (faults as Record<string, string>)[name] : undefined}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
            className="font-mono text-xs"
            value={app[name]}
            onChange={({ target }: { target: { value: string } }) =>
              onChange(paste?.(target.value) ?? { ...app, [name]: target.value })
            }
            onBlur={({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
              onChange(kind.normalize(app));
              // A message above a button would move it away from the pointer that presses it.
              if (!(relatedTarget instanceof HTMLButtonElement)) setLeft([...left, name]);
            }}
          />
        );
      })}
    </fieldset>
  );
}
