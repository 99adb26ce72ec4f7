import { useQueryClient } from '@tanstack/react-query';
import { Pencil, Plus, Tag as TagIcon, Trash2 } from 'lucide-react';
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
import { ColorChoice, TagDot } from './colors.tsx';
import { LabelHeader, LabelRow } from './rows.tsx';

type Tag = Schemas['Tag'];
type Opened = { what: 'new' } | { what: 'edit' | 'delete'; tag: Tag };

/** The tags of a workspace. */
export function Tags() {
  const { api, may } = useWorkspace();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const tags = usePaged(['tags', 'list'], (page, signal) =>
    answer(api.GET('/tags', { params: { query: { page, pageSize: PAGE_SIZE } }, signal })),
  );
  const createButton = may('tags.write') && (
    <Button size="small" icon={Plus} onClick={() => setOpened({ what: 'new' })}>
      Create tag
    </Button>
  );
  return (
    <section aria-labelledby="tags">
      <LabelHeader id="tags" title="Tags" action={createButton} />
      <RecordList
        query={tags}
        empty={
          <Empty icon={TagIcon} title="No tags yet">
            A link can have several tags: find and count links by campaign, channel or team.{' '}
            <DocsLink guide="api">How tags work</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <ul>
            {rows.map((tag) => (
              <LabelRow
                key={tag.id}
                name={tag.name}
                mark={<TagDot color={tag.color} />}
                links={{ tagIds: tag.id }}
                actions={
                  may('tags.write') && (
                    <RowMenu
                      label={`Actions for the tag ${tag.name}`}
                      items={[
                        {
                          label: 'Change',
                          icon: Pencil,
                          onSelect: () => setOpened({ what: 'edit', tag }),
                        },
                        {
                          label: 'Delete',
                          icon: Trash2,
                          isDanger: true,
                          onSelect: () => setOpened({ what: 'delete', tag }),
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
      {opened?.what === 'new' && <TagDialog onClose={close} />}
      {opened?.what === 'edit' && <TagDialog tag={opened.tag} onClose={close} />}
      {opened?.what === 'delete' && <DeleteDialog tag={opened.tag} onClose={close} />}
    </section>
  );
}

function TagDialog({ tag, onClose }: { tag?: Tag; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [name, setName] = useState(tag?.name ?? '');
  const [color, setColor] = useState(tag?.color ?? 'blue');
  const save = useWrite({
    send: (body: { name: string; color: Tag['color'] }, key) =>
      tag === undefined
        ? answer(api.POST('/tags', { params: { header: { 'Idempotency-Key': key } }, body }))
        : answer(api.PUT('/tags/{id}', { params: { path: { id: tag.id } }, body })),
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['tags'] });
      void client.invalidateQueries({ queryKey: ['links'] });
      onClose();
    },
  });
  const messages = messagesOf(save.error);
  return (
    <FormDialog
      title={tag === undefined ? 'Create a tag' : 'Change the tag'}
      action={tag === undefined ? 'Create tag' : 'Save'}
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => save.write({ name, color })}
    >
      <TextField
        label="Name"
        autoFocus
        required
        maxLength={190}
        value={name}
        error={messages['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <ColorChoice color={color} onChange={setColor} />
    </FormDialog>
  );
}

function DeleteDialog({ tag, onClose }: { tag: Tag; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const remove = useWrite({
    send: (id: string) => answer(api.DELETE('/tags/{id}', { params: { path: { id } } })),
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['tags'] });
      void client.invalidateQueries({ queryKey: ['links'] });
      toast(`The tag “${tag.name}” is deleted`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete the tag “${tag.name}”?`}
      action="Delete tag"
      isDanger
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.write(tag.id)}
    >
      <p>It is removed from all links and QR codes. They themselves stay as they are.</p>
    </FormDialog>
  );
}
