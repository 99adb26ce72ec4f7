import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Archive, Globe, ListChecks, Star } from 'lucide-react';
import { Suspense, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Schemas } from '../api/client.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useRecords, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { DocsLink } from '../ui/docs-link.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { Badge } from '../ui/states.tsx';
import { toastError } from '../ui/toast-error.ts';
import { useFocusHandover } from '../ui/use-focus-handover.ts';
import { useIsSeen } from '../ui/use-is-seen.ts';
import { useProblem } from './checks.ts';
import { Setup } from './setup.tsx';

const DomainDialog = lazyPart(() => import('./domain-dialog.tsx'), 'DomainDialog');
const PARTS = [DomainDialog];

type Domain = Schemas['Domain'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; domain: Domain };

/** The page that lists the domains of a workspace, each with its remaining setup steps. */
export function DomainsPage() {
  const { may, slug } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const domains = useRecords('domains', { archived: true });
  usePreload(PARTS);
  return (
    <ListPage
      title="Domains"
      isNarrow
      query={domains}
      create={
        may('domains.write') && { label: 'Add domain', onClick: () => setOpened({ what: 'new' }) }
      }
      icon={Globe}
      emptyTitle="No domains yet"
      purpose={
        <>
          Use your own domain so that people recognize your links.{' '}
          <DocsLink guide="domains">How domains work</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <ul className="grid w-full max-w-6xl items-start gap-4 px-4 pb-10 *:min-w-0 md:px-6 xl:has-[>:nth-child(2)]:grid-cols-2">
          {rows.map((domain) => (
            <DomainCard key={domain.id} domain={domain} open={setOpened} />
          ))}
        </ul>
      )}
    >
      <DefaultDomain />
      <Suspense>
        {opened?.what === 'new' && <DomainDialog onClose={close} />}
        {opened?.what === 'edit' && <DomainDialog domain={opened.domain} onClose={close} />}
      </Suspense>
      {opened?.what === 'delete' && (
        <RemoveDialog
          noun="domains"
          record={opened.domain}
          title={`Delete the domain “${opened.domain.slug}”?`}
          action="Delete domain"
          onClose={close}
        >
          The domain stops working at once. A domain that still has links or QR codes can’t be
          deleted: archive it instead. You can’t undo this.{' '}
          <Link
            to="/$workspace/links"
            params={{ workspace: slug }}
            search={{ domain: opened.domain.slug }}
            className="text-accent-text underline underline-offset-2"
          >
            Show its links
          </Link>
        </RemoveDialog>
      )}
    </ListPage>
  );
}

function DomainCard({ domain, open }: { domain: Domain; open(what: Opened): void }) {
  const { may } = useWorkspace();
  // The setup stays open when the domain becomes verified, because visitors may not reach it yet.
  const [isSetupShown, showSetup] = useState(!domain.verified);
  const setupId = useId();
  const [card, isSeen] = useIsSeen<HTMLLIElement>();
  useFocusHandover(card);
  const problem = useProblem(domain, isSeen);
  const { update } = useResource('domains', { onFailed: toastError });
  const hideSetup = () => {
    flushSync(() => showSetup(false));
    card.current?.querySelector('button')?.focus();
  };
  const change = (body: Schemas['DomainUpdate']) => update.write({ seen: domain, body });
  const checkItem = { label: 'Check setup', icon: ListChecks, onSelect: () => showSetup(true) };
  const primaryItem = {
    label: 'Make primary',
    icon: Star,
    onSelect: () => change({ primary: true }),
  };
  return (
    <li ref={card} className="overflow-hidden rounded-xl border border-line bg-panel">
      <div className="flex items-start gap-3 p-4">
        <div className="flex min-w-0 flex-1 flex-col gap-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 className="font-semibold break-all">{domain.slug}</h2>
            {domain.primary && <Badge>Primary</Badge>}
            {domain.archived && <Badge>Archived</Badge>}
            {!domain.verified && <Badge tone="warning">Waiting for DNS</Badge>}
            {domain.verified && problem === undefined && <Badge tone="success">Verified</Badge>}
            {problem !== undefined && (
              <>
                <Badge tone="warning">{problem}</Badge>
                <button
                  type="button"
                  aria-expanded={isSetupShown}
                  aria-controls={isSetupShown ? setupId : undefined}
                  onClick={() => showSetup(!isSetupShown)}
                  className="min-h-6 text-xs font-medium text-accent-text underline underline-offset-2 max-md:-my-2 max-md:min-h-11 max-md:min-w-11"
                >
                  {isSetupShown ? 'Hide checks' : 'Show checks'}
                </button>
              </>
            )}
          </div>
          <p className="line-clamp-2 wrap-anywhere text-muted">
            {domain.target === null
              ? 'No homepage redirect'
              : `Homepage redirects to ${domain.target}`}
          </p>
          {domain.primary && <p className="text-muted">New links use this domain by default.</p>}
        </div>
        {may('domains.write') && (
          <RowMenu
            label={`Actions for ${domain.slug}`}
            items={[
              editItem(() => open({ what: 'edit', domain })),
              !isSetupShown && checkItem,
              !domain.primary && primaryItem,
              {
                label: domain.archived ? 'Restore' : 'Archive',
                icon: Archive,
                onSelect: () => change({ archived: !domain.archived }),
              },
              deleteItem(() => open({ what: 'delete', domain })),
            ]}
          />
        )}
      </div>
      {isSetupShown && <Setup id={setupId} domain={domain} onClose={hideSetup} />}
    </li>
  );
}

/** The default domain, which every workspace can use and which has no record of its own. */
function DefaultDomain() {
  const { api } = useWorkspace();
  const { data } = useQuery(workspaceQuery(api));
  if (data === undefined) return null;
  return (
    <section aria-label="Default domain" className="w-full max-w-6xl px-4 pb-10 md:px-6">
      <div className="flex flex-col gap-1 rounded-xl border border-line p-4">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-semibold break-all">{data.defaultDomain}</h2>
          <Badge>Default</Badge>
        </div>
        <p className="text-muted">
          Every workspace can use this domain. Your administrator sets its homepage and its page for
          unknown links.
        </p>
      </div>
    </section>
  );
}
