import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';

interface DomainDialogProps {
  /** The domain to change; absent for a new one. */
  domain?: Schemas['Domain'];
  onClose(): void;
}

/** Adds or changes a domain. */
export function DomainDialog({ domain, onClose }: DomainDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [slug, setSlug] = useState(domain?.slug ?? '');
  const [target, setTarget] = useState(domain?.target ?? '');
  const [type, setType] = useState(domain?.type ?? 'redirect');
  const [expiredUrl, setExpiredUrl] = useState(domain?.expiredUrl ?? '');
  const [notFoundUrl, setNotFoundUrl] = useState(domain?.notFoundUrl ?? '');
  const save = useWrite({
    send(body: Schemas['DomainUpdate'], key) {
      if (domain !== undefined) {
        return answer(api.PATCH('/domains/{id}', { params: { path: { id: domain.id } }, body }));
      }
      const header = { 'Idempotency-Key': key };
      return answer(api.POST('/domains', { params: { header }, body: { ...body, slug } }));
    },
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['domains'] });
      onClose();
    },
  });
  const messages = messagesOf(save.error);
  return (
    <FormDialog
      title={domain === undefined ? 'Add a domain' : domain.slug}
      action={domain === undefined ? 'Add domain' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.write({
          target: target === '' ? null : target,
          type,
          expiredUrl: expiredUrl === '' ? null : expiredUrl,
          notFoundUrl: notFoundUrl === '' ? null : notFoundUrl,
        })
      }
    >
      {domain === undefined && (
        <TextField
          label="Domain"
          hint="A domain or subdomain that you own, such as go.example.com."
          autoFocus
          required
          spellCheck={false}
          autoCapitalize="none"
          placeholder="go.example.com"
          value={slug}
          error={messages['slug']}
          onChange={(event) => setSlug(event.target.value.trim())}
        />
      )}
      <Address
        label="Its root leads to"
        hint="For visitors who open the domain without a key."
        value={target}
        error={messages['target']}
        onChange={setTarget}
      />
      <SelectField
        label="How"
        value={type}
        error={messages['type']}
        onChange={(event) => setType(event.target.value === 'rewrite' ? 'rewrite' : 'redirect')}
      >
        <option value="redirect">Redirect: visitors see the address that it leads to</option>
        <option value="rewrite">Frame: visitors keep seeing your domain</option>
      </SelectField>
      <Address
        label="Expired links lead to"
        hint="For links without an address of their own for this."
        value={expiredUrl}
        error={messages['expiredUrl']}
        onChange={setExpiredUrl}
      />
      <Address
        label="Unknown keys lead to"
        hint="Empty: visitors see a page that says so."
        value={notFoundUrl}
        error={messages['notFoundUrl']}
        onChange={setNotFoundUrl}
      />
    </FormDialog>
  );
}

interface AddressProps {
  label: string;
  hint: string;
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

function Address({ onChange, ...rest }: AddressProps) {
  return (
    <TextField
      {...rest}
      type="url"
      placeholder="https://example.com"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
