import { Folder as FolderIcon } from 'lucide-react';
import type { Schemas } from '../api/client.ts';
import { type Kind, LabelForm, LabelList } from './list.tsx';

type Folder = Schemas['Folder'];

const FOLDERS: Kind<Folder> = {
  noun: 'folder',
  title: 'Folders',
  icon: FolderIcon,
  purpose: 'Use folders to keep the links of a project together. A link can be in only one folder.',
  change: 'Rename',
  deletion: 'Its links and QR codes stay, without a folder. You can’t undo this.',
  mark: () => <FolderIcon size={15} aria-hidden className="text-muted" />,
  linksOf: ({ id }) => ({ folderId: id }),
  form: FolderForm,
};

/** The section for the folders of a workspace. */
export const Folders = () => <LabelList kind={FOLDERS} />;

function FolderForm({ label, onClose }: { label: Folder | undefined; onClose(): void }) {
  return <LabelForm noun="folder" label={label} change={FOLDERS.change} onClose={onClose} />;
}
