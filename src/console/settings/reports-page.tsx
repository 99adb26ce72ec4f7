import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChartNoAxesColumn, Copy, ExternalLink, Mail, Pencil, RefreshCw } from 'lucide-react';
import { Suspense, useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook, copy } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem } from '../ui/menu-items.ts';
import { Badge } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { isPast, Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { LastTime } from './last-time.tsx';

const ReportDialog = lazyPart(() => import('../analytics/report-dialog.tsx'), 'ReportDialog');
const ReportMailDialog = lazyPart(() => import('./report-mail-dialog.tsx'), 'ReportMailDialog');
const PARTS = [ReportDialog, ReportMailDialog];

type Report = Schemas['SharedReport'];
type Opened = { what: 'edit' | 'mail' | 'rotate' | 'delete'; report: Report };

/** The page that lists the reports that the workspace shares by URL. */
export function ReportsPage() {
  const { may, slug } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const reports = useRecords('sharedReports');
  usePreload(PARTS);
  const mayWrite = may('analytics.write');
  return (
    <ListPage
      title="Shared reports"
      query={reports}
      create={false}
      icon={ChartNoAxesColumn}
      emptyTitle="No shared reports"
      purpose={
        <>
          A shared report shows numbers of your analytics to people without an account. Open
          Analytics, choose a period and filters, then press Share.{' '}
          <DocsLink guide="shared-reports">How reports work</DocsLink>
          <span className="mt-3 block">
            <Link
              to="/$workspace/analytics"
              params={{ workspace: slug }}
              className={buttonLook('primary')}
            >
              Open analytics
            </Link>
          </span>
        </>
      }
      renderRows={(rows) => (
        <Table
          label="Shared reports"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Name',
              render: (report) => (
                <div className="flex min-w-0 flex-col">
                  <span className="font-medium wrap-anywhere">{report.name}</span>
                  <span className="text-xs text-muted">
                    {report.hasPassword && <Badge>Password</Badge>}{' '}
                    {report.embedOrigins.length > 0 && <Badge>Embedded</Badge>}{' '}
                    {report.schedule !== null && <Badge>By email</Badge>}
                  </span>
                </div>
              ),
            },
            { name: 'Created', isMinor: true, render: ({ createdAt }) => <Time at={createdAt} /> },
            {
              name: 'Expires',
              isMinor: true,
              render: ({ expiresAt }) => <Expiry at={expiresAt} />,
            },
            {
              name: 'Actions',
              isBare: true,
              render: (report) => (
                <RowMenu
                  label={`Actions for ${report.name}`}
                  items={[
                    {
                      label: 'Copy URL',
                      icon: Copy,
                      onSelect: () => void copy(report.url).then(() => toast('URL copied')),
                    },
                    {
                      label: 'Open',
                      icon: ExternalLink,
                      onSelect: () => void window.open(report.url, '_blank', 'noopener'),
                    },
                    mayWrite && {
                      label: 'Edit',
                      icon: Pencil,
                      onSelect: () => setOpened({ what: 'edit', report }),
                    },
                    mayWrite && {
                      label: 'Send by email',
                      icon: Mail,
                      onSelect: () => setOpened({ what: 'mail', report }),
                    },
                    mayWrite && {
                      label: 'Rotate URL',
                      icon: RefreshCw,
                      onSelect: () => setOpened({ what: 'rotate', report }),
                    },
                    mayWrite && deleteItem(() => setOpened({ what: 'delete', report })),
                  ]}
                />
              ),
            },
          ]}
        />
      )}
    >
      {opened?.what === 'edit' && (
        <Suspense>
          <ReportDialog report={opened.report} onClose={close} />
        </Suspense>
      )}
      {opened?.what === 'mail' && (
        <Suspense>
          <ReportMailDialog report={opened.report} onClose={close} />
        </Suspense>
      )}
      {opened?.what === 'rotate' && <RotateDialog report={opened.report} onClose={close} />}
      {opened?.what === 'delete' && (
        <RemoveDialog
          noun="sharedReports"
          record={opened.report}
          title={`Delete the report “${opened.report.name}”?`}
          action="Delete report"
          onClose={close}
        >
          Its URL stops working at once. You can’t undo this.
        </RemoveDialog>
      )}
    </ListPage>
  );
}

const Expiry = ({ at }: { at: string | null }) =>
  at !== null && isPast(at) ? <Badge tone="danger">Expired</Badge> : <LastTime at={at} />;

function RotateDialog({ report, onClose }: { report: Report; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const rotate = useWrite({
    send: (id: string, key) => answer(api.POST('/reports/{id}/rotate', idempotent(key, { id }))),
    onDone: async ({ url }) => {
      void client.invalidateQueries({ queryKey: keys.sharedReports.all });
      await copy(url).then(
        () => toast('New URL copied'),
        () => toast('URL rotated. Copy the new one from the menu.'),
      );
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Rotate the URL of “${report.name}”?`}
      action="Rotate URL"
      onClose={onClose}
      busy={rotate.isPending}
      error={rotate.error}
      onSubmit={() => rotate.write(report.id)}
    >
      <p>
        The report gets a new URL, and the current one stops working at once. Send the new one to
        everyone who should keep access.
      </p>
    </FormDialog>
  );
}
