import { Archive, Globe, ListChecks, Pencil, Plus, Star, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { useRecords, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Badge, Empty } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { DefaultDomain } from './default-domain.tsx';
import { DomainDialog } from './domain-dialog.tsx';
import { Setup } from './setup.tsx';

type Domain = Schemas['Domain'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; domain: Domain };

/** The page that lists the domains of a workspace, each with its remaining setup steps. */
export function DomainsPage() {
  const { may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const domains = useRecords('domains', { archived: true });
  const addButton = may('domains.write') && (
    <Button look="primary" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
      Add domain
    </Button>
  );
  return (
    <Page title="Domains" isNarrow actions={domains.rows.length > 0 && addButton}>
      <RecordList
        query={domains}
        empty={
          <Empty icon={Globe} title="No domains yet" action={addButton}>
            Use your own domain so that people recognize your links.{' '}
            <DocsLink guide="domains">How domains work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <ul className="grid w-full max-w-6xl items-start gap-4 px-4 pb-10 *:min-w-0 md:px-6 xl:has-[>:nth-child(2)]:grid-cols-2">
            {rows.map((domain) => (
              <DomainCard key={domain.id} domain={domain} open={setOpened} />
            ))}
          </ul>
        )}
      </RecordList>
      <DefaultDomain />
      {opened?.what === 'new' && <DomainDialog onClose={close} />}
      {opened?.what === 'edit' && <DomainDialog domain={opened.domain} onClose={close} />}
      {opened?.what === 'delete' && <DeleteDialog domain={opened.domain} onClose={close} />}
    </Page>
  );
}

function DomainCard({ domain, open }: { domain: Domain; open(what: Opened): void }) {
  const { may } = useWorkspace();
  // The setup stays open when the domain becomes verified, because visitors may not reach it yet.
  const [isSetupShown, showSetup] = useState(!domain.verified);
  const { update } = useResource('domains', {
    onFailed: (error) => toast(describe(error), 'danger'),
  });
  const change = (body: Schemas['DomainUpdate']) => update.write({ seen: domain, body });
  return (
    <li className="overflow-hidden rounded-xl border border-line bg-panel">
      <div className="flex items-start gap-3 p-4">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="font-semibold break-all">{domain.slug}</h2>
            {domain.primary && <Badge>Primary</Badge>}
            {domain.archived && <Badge>Archived</Badge>}
            {domain.verified ? (
              <Badge tone="success">Verified</Badge>
            ) : (
              <Badge tone="warning">Waiting for DNS</Badge>
            )}
          </div>
          <p className="truncate text-muted">
            {domain.target === null
              ? 'No homepage redirect'
              : `Homepage redirects to ${domain.target}`}
          </p>
        </div>
        {may('domains.write') && (
          <RowMenu
            label={`Actions for ${domain.slug}`}
            items={[
              {
                label: 'Edit',
                icon: Pencil,
                onSelect: () => open({ what: 'edit', domain }),
              },
              ...(isSetupShown
                ? []
                : [
                    {
                      label: 'Check setup',
                      icon: ListChecks,
                      onSelect: () => showSetup(true),
                    },
                  ]),
              ...(domain.primary
                ? []
                : [
                    {
                      label: 'Make primary',
                      icon: Star,
                      onSelect: () => change({ primary: true }),
                    },
                  ]),
              {
                label: domain.archived ? 'Restore' : 'Archive',
                icon: Archive,
                onSelect: () => change({ archived: !domain.archived }),
              },
              {
                label: 'Delete',
                icon: Trash2,
                isDanger: true,
                onSelect: () => open({ what: 'delete', domain }),
              },
            ]}
          />
        )}
      </div>
      {isSetupShown && <Setup domain={domain} onClose={() => showSetup(false)} />}
    </li>
  );
}

function DeleteDialog({ domain, onClose }: { domain: Domain; onClose(): void }) {
  const { remove } = useResource('domains', { onRemoved: onClose });
  return (
    <FormDialog
      title={`Delete the domain “${domain.slug}”?`}
      action="Delete domain"
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(domain)}
    >
      <p>
        The domain stops working at once. A domain that still has links or QR codes can’t be
        deleted: archive it instead. You can’t undo this.
      </p>
    </FormDialog>
  );
}
