import { Folder as FolderIcon, Tag as TagIcon } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { Page } from '../ui/page.tsx';
import { ColorChoice, TagDot } from './colors.tsx';
import { type FormProps, type Kind, LabelForm, LabelList } from './list.tsx';

const TAGS: Kind<Schemas['Tag']> = {
  noun: 'tag',
  texts: {
    title: 'Tags',
    none: 'No tags yet',
    purpose: 'Tag links by campaign, channel or team, then filter and count them by tag.',
    guide: 'How tags work',
    create: 'Create tag',
    change: 'Edit',
    edit: 'Edit tag',
    actionsFor: (name) => `Actions for the tag ${name}`,
    delete: 'Delete tag',
    confirmDeletion: (name) => `Delete the tag “${name}”?`,
    deletion:
      'It’s removed from all links and QR codes. The links and codes stay. You can’t undo this.',
  },
  icon: TagIcon,
  mark: ({ color }) => <TagDot color={color} />,
  linksOf: ({ id }) => ({ tagIds: id }),
  form: TagForm,
};

const FOLDERS: Kind<Schemas['Folder']> = {
  noun: 'folder',
  texts: {
    title: 'Folders',
    none: 'No folders yet',
    purpose:
      'Use folders to keep the links of a project together. A link can be in only one folder.',
    guide: 'How folders work',
    create: 'Create folder',
    change: 'Rename',
    edit: 'Rename folder',
    actionsFor: (name) => `Actions for the folder ${name}`,
    delete: 'Delete folder',
    confirmDeletion: (name) => `Delete the folder “${name}”?`,
    deletion: 'Its links and QR codes stay, without a folder. You can’t undo this.',
  },
  icon: FolderIcon,
  mark: () => <FolderIcon size={15} aria-hidden className="text-muted" />,
  linksOf: ({ id }) => ({ folderId: id }),
  form: (props) => <LabelForm kind={FOLDERS} {...props} />,
};

/** The page for tags and folders, which organize links and QR codes. */
export function LabelsPage() {
  return (
    <Page title="Tags and folders">
      <div className="grid grid-cols-1 gap-6 pb-10 lg:grid-cols-2 lg:gap-0">
        <LabelList kind={TAGS} />
        <LabelList kind={FOLDERS} />
      </div>
    </Page>
  );
}

function TagForm(props: FormProps<Schemas['Tag']>) {
  const [color, setColor] = useState(props.label?.color ?? 'blue');
  return (
    <LabelForm kind={TAGS} values={{ color }} {...props}>
      <ColorChoice color={color} onChange={setColor} />
    </LabelForm>
  );
}
