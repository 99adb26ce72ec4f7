import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { recordQuery, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { PageEditor } from './editor.tsx';
import { Responses } from './responses.tsx';

/** The page that edits an interstitial page and shows the responses of its visitors. */
export function OnePage() {
  const { pageId } = useParams({ from: '/$workspace/pages/$pageId' });
  const { slug, api, may } = useWorkspace();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const query = useQuery(recordQuery(api, 'pages', pageId));
  const { remove } = useResource('pages', {
    onRemoved: () =>
      navigate({
        to: '/$workspace/pages',
        params: { workspace: slug },
        // The page was deleted, so its unsaved changes do not matter.
        ignoreBlocker: true,
      }),
  });
  const page = query.data;
  return (
    <Page
      title={page?.title ?? 'Page'}
      actions={
        page !== undefined &&
        may('pages.write') && (
          <RowMenu
            label="Actions for the page"
            items={[
              {
                label: 'Delete',
                icon: Trash2,
                isDanger: true,
                onSelect: () => setDeleting(true),
              },
            ]}
          />
        )
      }
    >
      {query.isPending && <Skeleton className="mx-6 h-64" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {page && (
        <>
          <PageEditor key={page.updatedAt} page={page} />
          {page.fields.length + page.leads > 0 && <Responses page={page} />}
        </>
      )}
      {isDeleting && (
        <FormDialog
          title={`Delete the page “${page?.title ?? ''}”?`}
          action="Delete page"
          isDanger
          onClose={() => setDeleting(false)}
          busy={remove.isPending}
          error={remove.error}
          onSubmit={() => remove.write(query.data!)}
        >
          <p>
            Its responses stay in Events. If a link or QR code still shows the page, remove it there
            first. You can’t undo this.
          </p>
        </FormDialog>
      )}
    </Page>
  );
}
