import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { Badge } from '../ui/states.tsx';
import { tagsQuery } from './queries.ts';

/** Tags that a row has room for. */
const SHOWN = 2;

/** The cell with the tags of a record. */
export function RowTags({ tags }: { tags: readonly Schemas['TagReference'][] | null }) {
  const { api } = useWorkspace();
  const known = useQuery(tagsQuery(api)).data;
  const more = (tags?.length ?? 0) - SHOWN;
  return (
    <div role="gridcell" className="hidden max-w-56 shrink-0 gap-1 overflow-hidden lg:flex">
      {tags?.slice(0, SHOWN).map((tag) => (
        <TagMark
          key={tag.id}
          name={tag.name}
          color={known?.find(({ id }) => id === tag.id)?.color}
        />
      ))}
      {more > 0 && <Badge>+{more}</Badge>}
    </div>
  );
}
