import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { foldersQuery } from '../labels/queries.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { FIELD_LABELS, type ImportField } from './fields.ts';
import { useImportChange } from './use-import-change.ts';

/** Labels of the ways to treat a row whose link already exists. */
const CONFLICTS: Record<Schemas['ImportDetails']['options']['onConflict'], string> = {
  skip: 'Keep the existing link',
  update: 'Update it from the file',
  'fail-row': 'Refuse the row',
};

/** The form for columns and options before the import starts; each change checks the file again. */
export function ImportOptions({ one }: { one: Schemas['ImportDetails'] }) {
  const { api } = useWorkspace();
  const change = useImportChange(one.id);
  const domains = useQuery(domainsQuery(api));
  const folders = useQuery(foldersQuery(api));
  const { options, columns } = one;
  // Only CSV files need a choice of columns; the columns of the other sources are known.
  const isOurs = one.source === 'csv';
  const isWorkspace = one.source === 'workspace';
  return (
    <section aria-labelledby="columns" className="flex flex-col gap-4 px-4 md:px-6">
      <h2 id="columns" className="font-semibold">
        {isOurs ? 'Columns' : 'Options'}
      </h2>
      <Refused error={change.error} />
      {isWorkspace && (
        <PassphraseField
          key={one.createdAt}
          isBusy={change.isPending}
          onSet={(passphrase) => change.write({ passphrase })}
        />
      )}
      {!isWorkspace && !columns.some(({ field }) => field === 'url') && (
        <p className="text-warning">
          No column is set as the destination. Choose the column with the destination URLs.
        </p>
      )}
      {isOurs && (
        <ul className="grid max-w-5xl gap-3 md:grid-cols-2 xl:grid-cols-3">
          {columns.map(({ name, field }) => (
            <li key={name} className="rounded-md border border-line bg-panel p-3">
              <SelectField
                label={name}
                value={field ?? ''}
                disabled={change.isPending}
                onChange={({ target: { value } }) =>
                  change.write({
                    mapping: { [name]: value === '' ? null : (value as ImportField) },
                  })
                }
                none="Ignore this column"
                options={Object.entries(FIELD_LABELS)}
              />
            </li>
          ))}
        </ul>
      )}
      <div className="grid max-w-5xl gap-4 md:grid-cols-3">
        {!isWorkspace && (
          <SelectField
            label="If a link already exists"
            hint="Same slug or external ID."
            value={options.onConflict}
            disabled={change.isPending}
            onChange={(event) =>
              change.write({ onConflict: event.target.value as typeof options.onConflict })
            }
            options={Object.entries(CONFLICTS)}
          />
        )}
        <SelectField
          label="Domain"
          hint={
            isWorkspace
              ? 'For links on the shared domain of the other installation.'
              : 'For rows without a domain.'
          }
          value={options.domain ?? ''}
          disabled={change.isPending}
          onChange={({ target: { value } }) =>
            change.write({ domain: value === '' ? null : value })
          }
          none="Primary domain"
          options={domains.data?.map(({ slug }) => [slug, slug]) ?? []}
        />
        {!isWorkspace && (
          <SelectField
            label="Folder"
            hint="For rows without a folder."
            value={options.folderId ?? ''}
            disabled={change.isPending}
            onChange={({ target: { value } }) =>
              change.write({ folderId: value === '' ? null : value })
            }
            none="No folder"
            options={folders.data?.map(({ id, name }) => [id, name]) ?? []}
          />
        )}
      </div>
    </section>
  );
}

/** A field for the passphrase of a workspace export. */
function PassphraseField({ isBusy, onSet }: { isBusy: boolean; onSet(passphrase: string): void }) {
  const [passphrase, setPassphrase] = useState('');
  return (
    <form
      className="flex max-w-xl items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (passphrase !== '') onSet(passphrase);
      }}
    >
      <TextField
        label="Export passphrase"
        hint="Needed to import the passwords of links."
        type="password"
        autoComplete="off"
        maxLength={200}
        value={passphrase}
        onChange={({ target: { value } }) => setPassphrase(value)}
      />
      <Button type="submit" busy={isBusy}>
        Check again
      </Button>
    </form>
  );
}
