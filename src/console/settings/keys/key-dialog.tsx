import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useResource } from '../../app/resource.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, messagesOf } from '../../ui/form-dialog.tsx';
import { ScopeFields } from './scope-fields.tsx';
import type { Scope } from './scopes.ts';

interface NewKeyDialogProps {
  onClose(): void;
  onCreated(key: Schemas['ApiKeyWithSecret']): void;
}

/** Selectable lifetimes in days. */
const LIFETIMES = [
  { label: 'Never', days: 0 },
  { label: 'In 30 days', days: 30 },
  { label: 'In 90 days', days: 90 },
  { label: 'In a year', days: 365 },
];
const DAY_MS = 86_400_000;

/** A dialog that creates an API key. */
export function NewKeyDialog({ onClose, onCreated }: NewKeyDialogProps) {
  const { may } = useWorkspace();
  const [name, setName] = useState('');
  const [days, setDays] = useState(90);
  const [isLimited, setLimited] = useState(false);
  const [scopes, setScopes] = useState<Scope[]>(['links.write']);
  const { create } = useResource('keys', { onCreated });
  const messages = messagesOf(create.error);
  return (
    <FormDialog
      title="Create API key"
      action="Create key"
      size="medium"
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      onSubmit={() =>
        create.write({
          name,
          ...(isLimited && { scopes }),
          ...(days > 0 && { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
        })
      }
    >
      <TextField
        label="Name"
        hint="Where the key is used, such as “Shop” or “CI”."
        autoFocus
        required
        maxLength={100}
        value={name}
        error={messages['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label="Expires"
          value={days}
          error={messages['expiresAt']}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {LIFETIMES.map((one) => (
            <option key={one.days} value={one.days}>
              {one.label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Permissions"
          value={isLimited ? 'limited' : 'all'}
          onChange={(event) => setLimited(event.target.value === 'limited')}
        >
          <option value="all">Same as mine</option>
          <option value="limited">Restricted</option>
        </SelectField>
      </div>
      {isLimited && (
        <ScopeFields
          scopes={scopes}
          onChange={setScopes}
          mayGive={may}
          error={messages['scopes']}
        />
      )}
    </FormDialog>
  );
}

interface EditKeyDialogProps {
  apiKey: Schemas['ApiKey'];
  onClose(): void;
}

/** A dialog that edits the name and scopes of an API key. */
export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const { may } = useWorkspace();
  const [name, setName] = useState(apiKey.name);
  const [scopes, setScopes] = useState<Scope[]>(apiKey.scopes);
  const isAll = scopes.includes('*');
  const { update } = useResource('keys', { onUpdated: onClose });
  const messages = messagesOf(update.error);
  return (
    <FormDialog
      title="Edit API key"
      action="Save"
      size="medium"
      onClose={onClose}
      busy={update.isPending}
      error={update.error}
      onSubmit={() => update.write({ seen: apiKey, body: { name, scopes } })}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        value={name}
        error={messages['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <SelectField
        label="Permissions"
        value={isAll ? 'all' : 'limited'}
        onChange={(event) => setScopes(event.target.value === 'all' ? ['*'] : ['links.write'])}
      >
        {(isAll || may('keys.write')) && <option value="all">Full access</option>}
        <option value="limited">Restricted</option>
      </SelectField>
      {!isAll && (
        <ScopeFields
          scopes={scopes}
          onChange={setScopes}
          mayGive={may}
          error={messages['scopes']}
        />
      )}
    </FormDialog>
  );
}
