import { Tag as TagIcon } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ColorChoice, TagDot } from './colors.tsx';
import { type Kind, LabelForm, LabelList } from './list.tsx';

type Tag = Schemas['Tag'];

const TAGS: Kind<Tag> = {
  noun: 'tag',
  title: 'Tags',
  icon: TagIcon,
  purpose: 'Tag links by campaign, channel or team, then filter and count them by tag.',
  change: 'Edit',
  deletion:
    'It’s removed from all links and QR codes. The links and codes stay. You can’t undo this.',
  mark: ({ color }) => <TagDot color={color} />,
  linksOf: ({ id }) => ({ tagIds: id }),
  form: TagForm,
};

/** The section for the tags of a workspace. */
export const Tags = () => <LabelList kind={TAGS} />;

function TagForm({ label, onClose }: { label: Tag | undefined; onClose(): void }) {
  const [color, setColor] = useState(label?.color ?? 'blue');
  return (
    <LabelForm noun="tag" label={label} change={TAGS.change} values={{ color }} onClose={onClose}>
      <ColorChoice color={color} onChange={setColor} />
    </LabelForm>
  );
}
