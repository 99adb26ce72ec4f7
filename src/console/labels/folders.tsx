import { useQueryClient } from '@tanstack/react-query';
import { Folder as FolderIcon, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { LabelHeader, LabelRow } from './rows.tsx';

type Folder = Schemas['Folder'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; folder: Folder };

/** The folders of a workspace. */
export function Folders() {
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const folders = usePaged(['folders', 'list'], (page, signal) =>
    answer(api.GET('/folders', { params: { query: { page, pageSize: PAGE_SIZE } }, signal })),
  );
  const createButton = may('folders.write') && (
    <Button size="small" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
      Create folder
    </Button>
  );
  return (
    <section aria-labelledby="folders">
      <LabelHeader id="folders" title="Folders" action={createButton} />
      <RecordList
        query={folders}
        empty={
          <Empty icon={FolderIcon} title="No folders yet">
            A link is in one folder or none: keep the links of a project together.{' '}
            <DocsLink guide="api">How folders work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <ul>
            {rows.map((folder) => (
              <LabelRow
                key={folder.id}
                name={folder.name}
                mark={<FolderIcon size={15} aria-hidden className="text-muted" />}
                links={{ folderId: folder.id }}
                actions={
                  may('folders.write') && (
                    <RowMenu
                      label={`Actions for the folder ${folder.name}`}
                      items={[
                        {
                          label: 'Rename',
                          icon: Pencil,
                          onSelect: () => setOpened({ what: 'edit', folder }),
                        },
                        {
                          label: 'Delete',
                          icon: Trash2,
                          isDanger: true,
                          onSelect: () => setOpened({ what: 'delete', folder }),
                        },
                      ]}
                    />
                  )
                }
              />
            ))}
          </ul>
        )}
      </RecordList>
      {opened?.what === 'new' && <FolderDialog onClose={close} />}
      {opened?.what === 'edit' && <FolderDialog folder={opened.folder} onClose={close} />}
      {opened?.what === 'delete' && <DeleteDialog folder={opened.folder} onClose={close} />}
    </section>
  );
}

function FolderDialog({ folder, onClose }: { folder?: Folder; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [name, setName] = useState(folder?.name ?? '');
  const save = useWrite({
    send: (body: { name: string }, key) =>
      folder === undefined
        ? answer(api.POST('/folders', { params: { header: { 'Idempotency-Key': key } }, body }))
        : answer(api.PATCH('/folders/{id}', { params: { path: { id: folder.id } }, body })),
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['folders'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={folder === undefined ? 'Create a folder' : 'Rename the folder'}
      action={folder === undefined ? 'Create folder' : 'Rename'}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.write({ name })}
    >
      <TextField
        label="Name"
        autoFocus
        required
        maxLength={190}
        value={name}
        error={messagesOf(save.error)['name']}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}

function DeleteDialog({ folder, onClose }: { folder: Folder; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const remove = useWrite({
    send: (id: string) => answer(api.DELETE('/folders/{id}', { params: { path: { id } } })),
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['folders'] });
      void client.invalidateQueries({ queryKey: ['links'] });
      toast(`The folder “${folder.name}” is deleted`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete the folder “${folder.name}”?`}
      action="Delete folder"
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(folder.id)}
    >
      <p>Its links and QR codes stay, without a folder.</p>
    </FormDialog>
  );
}
