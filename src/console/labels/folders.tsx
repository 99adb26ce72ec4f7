import { Folder as FolderIcon } from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { type Kind, LabelForm, LabelList } from './list.tsx';

type Folder = Schemas['Folder'];

const FOLDERS: Kind<Folder> = {
  noun: 'folder',
  title: 'Folders',
  icon: FolderIcon,
  purpose:
    'Use folders to keep the links of a project together. Each link is in one folder at most.',
  change: 'Rename',
  deletion: 'Its links and QR codes are kept, without a folder.',
  load: (api, query, signal) => answer(api.GET('/folders', { params: { query }, signal })),
  remove: (api, id) => answer(api.DELETE('/folders/{id}', { params: { path: { id } } })),
  mark: () => <FolderIcon size={15} aria-hidden className="text-muted" />,
  linksOf: ({ id }) => ({ folderId: id }),
  form: FolderForm,
};

/** The folders of a workspace. */
export const Folders = () => <LabelList kind={FOLDERS} />;

function FolderForm({ label, onClose }: { label: Folder | undefined; onClose(): void }) {
  const { api } = useWorkspace();
  return (
    <LabelForm
      noun="folder"
      label={label}
      change={FOLDERS.change}
      onClose={onClose}
      send={(name, key) =>
        label === undefined
          ? answer(
              api.POST('/folders', {
                params: { header: { 'Idempotency-Key': key } },
                body: { name },
              }),
            )
          : answer(
              api.PATCH('/folders/{id}', { params: { path: { id: label.id } }, body: { name } }),
            )
      }
    />
  );
}
