import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, CopyButton } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';

/** The DNS record that proves a domain, and the check for it. */
export function Verification({ domain }: { domain: Schemas['Domain'] }) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const verify = useWrite({
    send: (id: string, key) =>
      answer(
        api.POST('/domains/{id}/verify', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    onDone: () => client.invalidateQueries({ queryKey: ['domains'] }),
  });
  const record = domain.verification;
  if (record === null) return null;
  const { type, name, value } = record;
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-ground p-4">
      <p>Add this record at your DNS provider. It can take a few minutes to appear.</p>
      <dl className="flex flex-col gap-1 rounded-md border border-line bg-panel px-3 py-1">
        <Part name="Type" value={type} />
        <Part name="Name" value={name} isCopied />
        <Part name="Value" value={value} isCopied />
      </dl>
      <p className="text-muted">
        Then point the domain here with a CNAME, A or AAAA record. Ask your operator for its value.
      </p>
      <Refused error={verify.error} />
      {verify.data?.verified === false && (
        <p role="status" className="text-warning">
          The record is missing or has another value. Check it, then try again in a few minutes.
        </p>
      )}
      {may('domains.write') && (
        <div>
          <Button icon={RefreshCw} busy={verify.isPending} onClick={() => verify.write(domain.id)}>
            Check now
          </Button>
        </div>
      )}
    </div>
  );
}

function Part({ name, value, isCopied }: { name: string; value: string; isCopied?: boolean }) {
  return (
    <div className="flex min-h-8 items-center gap-3">
      <dt className="w-12 shrink-0 text-xs text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
        <code className="text-xs break-all">{value}</code>
        {isCopied === true && <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />}
      </dd>
    </div>
  );
}
