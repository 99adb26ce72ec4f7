import { Folder as FolderIcon } from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { changeRecord, deleteRecord } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { type Kind, LabelForm, LabelList } from './list.tsx';

type Folder = Schemas['Folder'];

const FOLDERS: Kind<Folder> = {
  noun: 'folder',
  title: 'Folders',
  icon: FolderIcon,
  purpose: 'Use folders to keep the links of a project together. A link can be in only one folder.',
  change: 'Rename',
  deletion: 'Its links and QR codes stay, without a folder. You can’t undo this.',
  load: (api, query, signal) => answer(api.GET('/folders', { params: { query }, signal })),
  remove: (api, seen) => deleteRecord({ api, path: '/folders/{id}', of: { id: seen.id }, seen }),
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
          : changeRecord(
              { api, path: '/folders/{id}', of: { id: label.id }, seen: label },
              { name },
            )
      }
    />
  );
}
