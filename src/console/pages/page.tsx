import { Link, useNavigate } from '@tanstack/react-router';
import { PanelTop } from 'lucide-react';
import { useState } from 'react';
import { useRecords, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { countOf } from '../ui/count-of.ts';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { Table } from '../ui/table.tsx';
import { useFields } from '../ui/use-fields.ts';

const format = new Intl.NumberFormat();

/** The page that lists pages which links and QR codes show before their destination. */
export function PagesPage() {
  const { slug, may } = useWorkspace();
  const [isNew, setNew] = useState(false);
  const pages = useRecords('pages');
  return (
    <ListPage
      title="Pages"
      query={pages}
      create={may('pages.write') && { label: 'Create page', onClick: () => setNew(true) }}
      icon={PanelTop}
      emptyTitle="No pages yet"
      purpose={
        <>
          Show a notice, an offer or a form before visitors reach the destination.{' '}
          <DocsLink guide="redirects">How pages work</DocsLink>
        </>
      }
      renderRows={(rows) => (
        <Table
          label="Pages"
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Title',
              render: ({ id, title, fields }) => (
                <div className="flex flex-col">
                  <Link
                    to="/$workspace/pages/$pageId"
                    params={{ workspace: slug, pageId: id }}
                    className="font-medium hover:underline max-md:-my-2.5 max-md:py-3"
                  >
                    {title}
                  </Link>
                  <span className="text-xs text-muted">
                    {fields.length === 0
                      ? 'No form'
                      : `Form with ${countOf(fields.length, 'field')}`}
                  </span>
                </div>
              ),
            },
            { name: 'Views', isNumber: true, render: ({ views }) => format.format(views) },
            { name: 'Responses', isNumber: true, render: ({ leads }) => format.format(leads) },
          ]}
        />
      )}
    >
      {isNew && <NewPageDialog onClose={() => setNew(false)} />}
    </ListPage>
  );
}

function NewPageDialog({ onClose }: { onClose(): void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const { create } = useResource('pages', {
    onCreated: ({ id }) =>
      navigate({ to: '/$workspace/pages/$pageId', params: { workspace: slug, pageId: id } }),
  });
  const { values, text } = useFields({ title: '' }, create.error);
  return (
    <FormDialog
      title="Create page"
      action="Create page"
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.write(values)}
    >
      <TextField
        label="Title"
        hint="Shown to visitors. You add text, an image and a form next."
        data-autofocus
        required
        maxLength={200}
        {...text('title')}
      />
    </FormDialog>
  );
}
