import { Link, useNavigate } from '@tanstack/react-router';
import { PanelTop, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRecords, useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';

const format = new Intl.NumberFormat();

/** The page that lists pages which links and QR codes show before their destination. */
export function PagesPage() {
  const { slug, may } = useWorkspace();
  const [isNew, setNew] = useState(false);
  const pages = useRecords('pages');
  const createButton = may('pages.write') && (
    <Button look="primary" icon={Plus} onClick={() => setNew(true)}>
      Create page
    </Button>
  );
  return (
    <Page title="Pages" actions={pages.rows.length > 0 && createButton}>
      <RecordList
        query={pages}
        empty={
          <Empty icon={PanelTop} title="No pages yet" action={createButton}>
            Show a notice, an offer or a form before visitors reach the destination.{' '}
            <DocsLink guide="redirects">How pages work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
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
                        : `Form with ${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`}
                    </span>
                  </div>
                ),
              },
              { name: 'Views', isNumber: true, render: ({ views }) => format.format(views) },
              { name: 'Responses', isNumber: true, render: ({ leads }) => format.format(leads) },
            ]}
          />
        )}
      </RecordList>
      {isNew && <NewPageDialog onClose={() => setNew(false)} />}
    </Page>
  );
}

function NewPageDialog({ onClose }: { onClose(): void }) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const [title, setTitle] = useState('');
  const { create } = useResource('pages', {
    onCreated: ({ id }) =>
      navigate({ to: '/$workspace/pages/$pageId', params: { workspace: slug, pageId: id } }),
  });
  return (
    <FormDialog
      title="Create page"
      action="Create page"
      onClose={onClose}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.write({ title })}
    >
      <TextField
        label="Title"
        hint="Shown to visitors. You add text, an image and a form next."
        autoFocus
        required
        maxLength={200}
        value={title}
        error={messagesOf(create.error)['title']}
        onChange={(event) => setTitle(event.target.value)}
      />
    </FormDialog>
  );
}
