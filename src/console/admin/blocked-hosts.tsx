import { Ban, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useFields } from '../ui/use-fields.ts';
import { AdminSection, api, useAdminQuery, useAdminWrite } from './section.tsx';

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
  const hosts = useAdminQuery(['blocked-hosts', search], (signal) => {
    const query = { limit: SHOWN, ...(search === '' ? {} : { search }) };
    return answer(api.GET('/admin/blocked-hosts', { params: { query }, signal }));
  });
  const close = () => setOpened(undefined);
  return (
    <AdminSection
      title="Blocked hosts"
      aside={
        <Button icon={Ban} onClick={() => setOpened({ what: 'block' })}>
          Block a host
        </Button>
      }
    >
      {(typed !== '' || hosts.data?.length === SHOWN) && (
        <div className="max-w-sm px-4 pb-2 md:px-6">
          <TextField
            label="Search hosts"
            type="search"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
      )}
      <Loaded
        query={hosts}
        skeleton="mx-6 h-24"
        empty={
          <Empty
            icon={ShieldCheck}
            title={search === '' ? 'No blocked hosts' : 'No matching hosts'}
          >
            Links can’t redirect to a blocked host or its subdomains. Visitors of existing links to
            a blocked host see a warning page.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Blocked hosts"
            rows={rows}
            keyOf={({ host }) => host}
            columns={[
              { name: 'Host', render: ({ host }) => <span className="font-medium">{host}</span> },
              { name: 'Reason', render: ({ reason }) => reason },
              {
                name: 'Blocked',
                isMinor: true,
                render: ({ createdAt }) => <Time at={createdAt} />,
              },
              {
                name: 'Actions',
                isBare: true,
                render: ({ host }) => (
                  <Button
                    aria-label={`Unblock ${host}`}
                    onClick={() => setOpened({ what: 'unblock', host })}
                  >
                    Unblock
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {opened?.what === 'block' && <BlockDialog onClose={close} />}
      {opened?.what === 'unblock' && <UnblockDialog host={opened.host} onClose={close} />}
    </AdminSection>
  );
}

function BlockDialog({ onClose }: { onClose(): void }) {
  const block = useAdminWrite('Host blocked', onClose, {
    send: ({ host, reason }: { host: string; reason: string }) => {
      const params = { path: { host: host.trim() } };
      return answer(api.PUT('/admin/blocked-hosts/{host}', { params, body: { reason } }));
    },
  });
  const { values, text } = useFields({ host: '', reason: '' }, block.error);
  return (
    <FormDialog
      title="Block a host"
      action="Block"
      onSubmit={() => block.write(values)}
      onClose={onClose}
      busy={block.isPending}
      error={block.error}
    >
      <TextField
        label="Host"
        placeholder="malware.example"
        hint="Blocks its subdomains too."
        required
        {...text('host')}
      />
      <TextArea label="Reason" hint="Visible to operators only." required {...text('reason')} />
    </FormDialog>
  );
}

function UnblockDialog({ host, onClose }: { host: string; onClose(): void }) {
  const unblock = useAdminWrite('Host unblocked', onClose, {
    send: (path: { host: string }) =>
      api.DELETE('/admin/blocked-hosts/{host}', { params: { path } }),
  });
  return (
    <FormDialog
      title={`Unblock ${host}?`}
      action="Unblock"
      onSubmit={() => unblock.write({ host })}
      onClose={onClose}
      busy={unblock.isPending}
      error={unblock.error}
    >
      <p>Links to this host work again at once.</p>
    </FormDialog>
  );
}
