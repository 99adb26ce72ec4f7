import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { useFields } from '../ui/use-fields.ts';
import { CredentialFields, credentialBody, credentialValues } from './credential-fields.tsx';
import { FilterFields, filterBody, filterValues } from './filter-fields.tsx';
import { KIND_GROUPS, type WebhookKind } from './kinds.ts';
import { ScopeFields, scopeBody, scopeValues } from './scope-fields.tsx';

const FORMATS = Object.entries({
  standard: 'JSON (Standard Webhooks)',
  cloudevents: 'JSON (CloudEvents)',
  slack: 'Slack message',
  discord: 'Discord message',
  teams: 'Microsoft Teams card',
} satisfies Record<Schemas['Webhook']['format'], string>);

interface WebhookDialogProps {
  /** Webhook to edit; absent for a new one. */
  webhook?: Schemas['Webhook'];
  onClose(): void;
  onCreated?(made: Schemas['WebhookWithSecret']): void;
}

/** A dialog that creates or edits a webhook. */
export function WebhookDialog({ webhook, onClose, onCreated }: WebhookDialogProps) {
  const [kinds, setKinds] = useState<readonly WebhookKind[]>(
    webhook?.kinds ?? ['link.created', 'link.updated', 'link.deleted'],
  );
  const [seen] = useState(webhook);
  const { create, update } = useResource('webhooks', {
    onCreated: (created) => onCreated?.(created),
    onUpdated: onClose,
  });
  const save = seen === undefined ? create : update;
  const { values, messages, set, text } = useFields(
    {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      format: webhook?.format ?? 'standard',
      ...scopeValues(webhook),
      ...filterValues(webhook?.filter),
      ...credentialValues(webhook),
    },
    save.error,
  );
  const submit = () => {
    const { name, url, format } = values;
    const filter = filterBody(values);
    const body = {
      name,
      url,
      format,
      kinds: [...kinds],
      ...scopeBody(values),
      filter,
      ...credentialBody(values),
    };
    if (seen === undefined) create.write(body);
    else update.write({ seen, body });
  };
  const toggle = (kind: WebhookKind) =>
    setKinds(kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind]);
  return (
    <FormDialog
      title={webhook === undefined ? 'Create webhook' : 'Edit webhook'}
      action={webhook === undefined ? 'Create webhook' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      isDisabled={kinds.length === 0}
      onSubmit={submit}
    >
      <TextField label="Name" data-autofocus required maxLength={100} {...text('name')} />
      <TextField
        label="URL"
        type="url"
        hint="We send a POST here. Respond with a 2xx status within a few seconds."
        required
        placeholder="https://example.com/hooks"
        {...text('url')}
      />
      <SelectField
        label="Format"
        error={messages['format']}
        value={values.format}
        onChange={({ target }) => set({ format: target.value as typeof values.format })}
        options={FORMATS}
      />
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-1 font-medium">Events</legend>
        <div className="grid gap-3 md:grid-cols-2">
          {KIND_GROUPS.map((group) => (
            <div key={group.label} role="group" aria-label={group.label}>
              <p className="text-xs text-muted">{group.label}</p>
              {group.kinds.map((kind) => (
                <label key={kind} className="flex h-8 items-center gap-2 max-md:h-11">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={kinds.includes(kind)}
                    onChange={() => toggle(kind)}
                  />
                  {kind}
                </label>
              ))}
            </div>
          ))}
        </div>
        {values.scope === 'links' && (
          <p className="text-xs text-muted">
            To receive clicks and scans, also select this webhook on each link or QR code.
          </p>
        )}
      </fieldset>
      <ScopeFields values={values} messages={messages} set={set} />
      <FilterFields values={values} messages={messages} set={set} />
      <CredentialFields values={values} messages={messages} set={set} />
    </FormDialog>
  );
}
