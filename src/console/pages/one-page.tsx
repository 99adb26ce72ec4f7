import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { deleteRecord } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { PageEditor } from './editor.tsx';
import { Responses } from './responses.tsx';

/** A page before a destination, with the responses of its visitors. */
export function OnePage() {
  const { pageId } = useParams({ from: '/$workspace/pages/$pageId' });
  const { slug, api, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const path = { id: pageId };
  const query = useQuery({
    queryKey: keys.pages.one(pageId),
    queryFn: ({ signal }) => answer(api.GET('/pages/{id}', { params: { path }, signal })),
  });
  const remove = useWrite({
    send: (_: undefined) => deleteRecord({ api, path: '/pages/{id}', of: path, seen: query.data! }),
    onDone: async () => {
      toast('Page deleted');
      await navigate({
        to: '/$workspace/pages',
        params: { workspace: slug },
        // Its unsaved changes are gone with it.
        ignoreBlocker: true,
      });
      void client.invalidateQueries({ queryKey: keys.pages.all });
    },
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
          onSubmit={() => remove.write(undefined)}
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
