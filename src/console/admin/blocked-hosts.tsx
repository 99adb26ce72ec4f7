import { useQuery } from '@tanstack/react-query';
import { Ban, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { answer, apiOf, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDebounced } from '../ui/use-debounced.ts';

type BlockedHost = Schemas['BlockedHost'];

const api = apiOf(undefined);
/** Number of listed hosts; the search finds the others. */
const SHOWN = 100;
/** Delay after typing before hosts are searched, in ms. */
const TYPING_MS = 250;

type Opened = { what: 'block' } | { what: 'unblock'; host: string };

/** The section for hosts to which no link may redirect. */
export function BlockedHosts() {
  const [opened, setOpened] = useState<Opened>();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), TYPING_MS);
  const query = useQuery(
    {
      queryKey: keys.admin.list('blocked-hosts', search),
      queryFn: ({ signal }) => {
        const asked = { limit: SHOWN, ...(search === '' ? {} : { search }) };
        return answer(api.GET('/admin/blocked-hosts', { params: { query: asked }, signal }));
      },
    },
    personClient,
  );
  const close = () => setOpened(undefined);
  return (
    <section aria-labelledby="blocked-hosts" className="pb-8">
      <header className="flex items-center justify-between gap-2 px-4 pb-1 md:px-6">
        <h2 id="blocked-hosts" className="font-semibold">
          Blocked hosts
        </h2>
        <Button icon={Ban} onClick={() => setOpened({ what: 'block' })}>
          Block a host
        </Button>
      </header>
      {(typed !== '' || query.data?.length === SHOWN) && (
        <div className="max-w-sm px-4 pb-2 md:px-6">
          <TextField
            label="Search hosts"
            type="search"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      )}
      {query.isPending && <Skeleton className="mx-6 h-24" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty icon={ShieldCheck} title={search === '' ? 'No blocked hosts' : 'No matching hosts'}>
          Links can’t redirect to a blocked host or its subdomains. Visitors of existing links to a
          blocked host see a warning page.
        </Empty>
      )}
      {query.data !== undefined && query.data.length > 0 && (
        <HostTable hosts={query.data} onUnblock={(host) => setOpened({ what: 'unblock', host })} />
      )}
      {opened?.what === 'block' && <BlockDialog onClose={close} />}
      {opened?.what === 'unblock' && <UnblockDialog host={opened.host} onClose={close} />}
    </section>
  );
}

interface HostTableProps {
  hosts: readonly BlockedHost[];
  onUnblock(host: string): void;
}

const HostTable = ({ hosts, onUnblock }: HostTableProps) => (
  <Table
    label="Blocked hosts"
    rows={hosts}
    keyOf={({ host }) => host}
    columns={[
      { name: 'Host', render: ({ host }) => <span className="font-medium">{host}</span> },
      { name: 'Reason', render: ({ reason }) => reason },
      { name: 'Blocked', isMinor: true, render: ({ createdAt }) => <Time at={createdAt} /> },
      {
        name: 'Actions',
        isBare: true,
        render: ({ host }) => (
          <Button aria-label={`Unblock ${host}`} onClick={() => onUnblock(host)}>
            Unblock
          </Button>
        ),
      },
    ]}
  />
);

const changed = (text: string, onClose: () => void) => () => {
  void personClient.invalidateQueries({ queryKey: keys.admin.list('blocked-hosts') });
  toast(text);
  onClose();
};

function BlockDialog({ onClose }: { onClose(): void }) {
  const [host, setHost] = useState('');
  const [reason, setReason] = useState('');
  const block = useWrite({
    send: (_: undefined) =>
      answer(
        api.PUT('/admin/blocked-hosts/{host}', {
          params: { path: { host: host.trim() } },
          body: { reason },
        }),
      ),
    onDone: changed('Host blocked', onClose),
  });
  const errors = messagesOf(block.error);
  return (
    <FormDialog
      title="Block a host"
      action="Block"
      onSubmit={() => block.write(undefined)}
      onClose={onClose}
      busy={block.isPending}
      error={block.error}
    >
      <TextField
        label="Host"
        placeholder="malware.example"
        hint="Blocks its subdomains too."
        required
        value={host}
        error={errors['host']}
        onChange={(event) => setHost(event.target.value)}
      />
      <TextArea
        label="Reason"
        hint="Visible to operators only."
        required
        value={reason}
        error={errors['reason']}
        onChange={(event) => setReason(event.target.value)}
      />
    </FormDialog>
  );
}

function UnblockDialog({ host, onClose }: { host: string; onClose(): void }) {
  const unblock = useWrite({
    send: (_: undefined) =>
      api.DELETE('/admin/blocked-hosts/{host}', { params: { path: { host } } }),
    onDone: changed('Host unblocked', onClose),
  });
  return (
    <FormDialog
      title={`Unblock ${host}?`}
      action="Unblock"
      onSubmit={() => unblock.write(undefined)}
      onClose={onClose}
      busy={unblock.isPending}
      error={unblock.error}
    >
      <p>Links to this host work again at once.</p>
    </FormDialog>
  );
}
