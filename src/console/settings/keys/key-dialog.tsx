import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useResource } from '../../app/resource.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { SelectField, Switch, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { isEmpty, LimitFields, type Limits } from '../limit-fields.tsx';
import { OriginsField, originsIn } from './origins-field.tsx';
import { ScopeFields } from './scope-fields.tsx';
import type { Scope } from './scopes.ts';

interface NewKeyDialogProps {
  onClose(): void;
  onCreated(key: Schemas['ApiKeyWithSecret']): void;
}

const ORIGINS_HINT =
  'Your sites, one per line, such as https://shop.example. Pages of other sites can’t use the key.';

/** Selectable lifetimes by their days. */
const LIFETIMES = { 0: 'Never', 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' };
const DAY_MS = 86_400_000;

/** A dialog that creates an API key. */
export function NewKeyDialog({ onClose, onCreated }: NewKeyDialogProps) {
  const { may } = useWorkspace();
  const [scopes, setScopes] = useState<Scope[]>(['links.write']);
  const [limits, setLimits] = useState<Limits>(null);
  const { create } = useResource('keys', { onCreated });
  const { values, messages, text, set } = useFields(
    {
      type: 'secret',
      name: '',
      days: '90',
      permissions: 'all',
      origins: '',
      yourlsSignatures: false,
    },
    create.error,
  );
  const isPublishable = values.type === 'publishable';
  const isLimited = values.permissions === 'limited';
  const ofType = isPublishable
    ? { type: 'publishable' as const, origins: originsIn(values.origins) }
    : {
        ...(values.yourlsSignatures && { yourlsSignatures: true }),
        ...(isLimited && { scopes }),
        ...(limits !== null && { limits }),
      };
  const lifetimeMs = Number(values.days) * DAY_MS;
  return (
    <FormDialog
      title="Create API key"
      action="Create key"
      size="medium"
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      isDisabled={!isPublishable && isEmpty(limits)}
      onSubmit={() =>
        create.write({
          name: values.name,
          ...ofType,
          ...(lifetimeMs > 0 && { expiresAt: new Date(Date.now() + lifetimeMs).toISOString() }),
        })
      }
    >
      {may('conversions.write') && (
        <SelectField
          label="Type"
          hint={
            isPublishable
              ? 'Anyone can read this key in your pages. It can only track leads and sales.'
              : 'Only your software may know this key.'
          }
          {...text('type')}
          // Pages would silently stop tracking when the key expires.
          onChange={({ target }) =>
            set({ type: target.value, days: target.value === 'publishable' ? '0' : '90' })
          }
          options={[
            ['secret', 'Secret key'],
            ['publishable', 'Publishable key for web pages'],
          ]}
        />
      )}
      <TextField
        label="Name"
        hint="Where the key is used, such as “Shop” or “CI”."
        data-autofocus
        required
        maxLength={100}
        {...text('name')}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label="Expires"
          {...text('days')}
          error={messages['expiresAt']}
          options={Object.entries(LIFETIMES)}
        />
        {!isPublishable && (
          <SelectField
            label="Permissions"
            {...text('permissions')}
            options={[
              ['all', 'Same as mine'],
              ['limited', 'Restricted'],
            ]}
          />
        )}
      </div>
      {isPublishable && (
        <OriginsField
          hint={ORIGINS_HINT}
          value={values.origins}
          messages={messages}
          onChange={(origins) => set({ origins })}
        />
      )}
      {!isPublishable && isLimited && (
        <ScopeFields scopes={scopes} onChange={setScopes} may={may} error={messages['scopes']} />
      )}
      {!isPublishable && (
        <LimitFields limits={limits} messages={messages} subject="The key" onChange={setLimits} />
      )}
      {!isPublishable && (
        <Switch
          label="YOURLS signatures"
          hint="For YOURLS clients that sign requests instead of sending the key, which is then stored encrypted."
          checked={values.yourlsSignatures}
          onChange={(yourlsSignatures) => set({ yourlsSignatures })}
        />
      )}
    </FormDialog>
  );
}

interface EditKeyDialogProps {
  apiKey: Schemas['ApiKey'];
  onClose(): void;
}

/** A dialog that edits the name of an API key, and its scopes and limits or its origins. */
export function EditKeyDialog({ apiKey, onClose }: EditKeyDialogProps) {
  const isPublishable = apiKey.type === 'publishable';
  const { may } = useWorkspace();
  const [scopes, setScopes] = useState<Scope[]>(apiKey.scopes);
  const [limits, setLimits] = useState<Limits>(apiKey.limits);
  const isAll = scopes.includes('*');
  const { update } = useResource('keys', { onUpdated: onClose });
  const { values, messages, text, set } = useFields(
    { name: apiKey.name, origins: apiKey.origins.join('\n') },
    update.error,
  );
  return (
    <FormDialog
      title="Edit API key"
      action="Save"
      size="medium"
      onClose={onClose}
      busy={update.isPending}
      error={update.error}
      isDisabled={isEmpty(limits)}
      onSubmit={() =>
        update.write({
          seen: apiKey,
          body: {
            name: values.name,
            ...(isPublishable ? { origins: originsIn(values.origins) } : { scopes, limits }),
          },
        })
      }
    >
      <TextField label="Name" required maxLength={100} {...text('name')} />
      {isPublishable ? (
        <OriginsField
          hint={ORIGINS_HINT}
          value={values.origins}
          messages={messages}
          onChange={(origins) => set({ origins })}
        />
      ) : (
        <SelectField
          label="Permissions"
          value={isAll ? 'all' : 'limited'}
          onChange={(event) => setScopes(event.target.value === 'all' ? ['*'] : ['links.write'])}
        >
          {(isAll || may('keys.write')) && <option value="all">Full access</option>}
          <option value="limited">Restricted</option>
        </SelectField>
      )}
      {!isPublishable && !isAll && (
        <ScopeFields scopes={scopes} onChange={setScopes} may={may} error={messages['scopes']} />
      )}
      {!isPublishable && (
        <LimitFields limits={limits} messages={messages} subject="The key" onChange={setLimits} />
      )}
    </FormDialog>
  );
}
