import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery, foldersQuery } from '../short-links/queries.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { FIELD_LABELS, type ImportField } from './fields.ts';

const CONFLICTS = {
  skip: 'Leave the link as it is',
  update: 'Change the link by the row',
  'fail-row': 'Refuse the row',
};

/** Columns and options, before an import is started. Each change has the file checked again. */
export function Options({ one }: { one: Schemas['ImportDetails'] }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const change = useWrite({
    send: (body: Schemas['ImportUpdate']) =>
      answer(api.PATCH('/imports/{id}', { params: { path: { id: one.id } }, body })),
    onDone: () => client.invalidateQueries({ queryKey: ['imports'] }),
  });
  const domains = useQuery(domainsQuery(api));
  const folders = useQuery(foldersQuery(api));
  const { options, columns } = one;
  // Of the export of a service, it is known what is what.
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
          No column is the destination yet. Choose which one has the addresses that links lead to.
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
              >
                <option value="">Ignore this column</option>
                {Object.entries(FIELD_LABELS).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </SelectField>
            </li>
          ))}
        </ul>
      )}
      <div className="grid max-w-5xl gap-4 md:grid-cols-3">
        {!isWorkspace && (
          <SelectField
            label="A link is there already"
            hint="With the same key, or your own id."
            value={options.onConflict}
            disabled={change.isPending}
            onChange={(event) =>
              change.write({ onConflict: event.target.value as typeof options.onConflict })
            }
          >
            {Object.entries(CONFLICTS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
        )}
        <SelectField
          label="Domain"
          hint={
            isWorkspace
              ? 'Of links on the domain that all workspaces there share.'
              : 'Of rows that name none.'
          }
          value={options.domain ?? ''}
          disabled={change.isPending}
          onChange={({ target: { value } }) =>
            change.write({ domain: value === '' ? null : value })
          }
        >
          <option value="">The primary domain</option>
          {domains.data?.map(({ id, slug }) => (
            <option key={id} value={slug}>
              {slug}
            </option>
          ))}
        </SelectField>
        {!isWorkspace && (
          <SelectField
            label="Folder"
            hint="Of rows that name none."
            value={options.folderId ?? ''}
            disabled={change.isPending}
            onChange={({ target: { value } }) =>
              change.write({ folderId: value === '' ? null : value })
            }
          >
            <option value="">None</option>
            {folders.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </section>
  );
}

/** Takes the passphrase of the export of a workspace. */
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
        label="Passphrase of the export"
        hint="Needed where links have passwords."
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
