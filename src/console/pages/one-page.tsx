import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { recordQuery } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { PageEditor } from './editor.tsx';
import { Responses } from './responses.tsx';

/** The page that edits an interstitial page and shows the responses of its visitors. */
export function OnePage() {
  const { pageId } = useParams({ from: '/$workspace/pages/$pageId' });
  const { api, may } = useWorkspace();
  const [isDeleting, setDeleting] = useState(false);
  const query = useQuery(recordQuery(api, 'pages', pageId));
  const page = query.data;
  return (
    <Page
      title={page?.title ?? 'Page'}
      actions={
        page !== undefined &&
        may('pages.write') && (
          <RowMenu label="Actions for the page" items={[deleteItem(() => setDeleting(true))]} />
        )
      }
    >
      <Loaded query={query} skeleton="mx-6 h-64">
        {(loaded) => (
          <>
            <PageEditor key={loaded.updatedAt} page={loaded} />
            {loaded.fields.length + loaded.leads > 0 && <Responses page={loaded} />}
          </>
        )}
      </Loaded>
      {page !== undefined && isDeleting && (
        <RemoveDialog
          noun="pages"
          record={page}
          title={`Delete the page “${page.title}”?`}
          action="Delete page"
          onClose={() => setDeleting(false)}
          list="/$workspace/pages"
        >
          Its responses stay in Events. If a link or QR code still shows the page, remove it there
          first. You can’t undo this.
        </RemoveDialog>
      )}
    </Page>
  );
}
