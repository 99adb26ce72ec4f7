import { useQuery } from '@tanstack/react-query';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { countOf } from '../ui/count-of.ts';

/**
 * Counts the links and QR codes of each tag or folder, without archived ones.
 *
 * @returns a function that describes the numbers by id: `12 links, 3 QR codes`; it returns
 * `undefined` while the numbers load
 */
export function useCounts(groupBy: 'tag' | 'folder'): (id: string) => string | undefined {
  const { api, may } = useWorkspace();
  const params = { query: { groupBy } };
  const links = useQuery({
    queryKey: keys.links.count({ groupBy }),
    queryFn: ({ signal }) => answer(api.GET('/links/count', { params, signal })),
    enabled: may('links.read'),
  });
  const codes = useQuery({
    queryKey: keys.qrcodes.count({ groupBy }),
    queryFn: ({ signal }) => answer(api.GET('/qrcodes/count', { params, signal })),
    enabled: may('qrcodes.read'),
  });
  const inLinks = byId(links.data);
  const inCodes = byId(codes.data);
  return (id) => {
    if (inLinks === undefined) return undefined;
    const parts = [countOf(inLinks.get(id) ?? 0, 'link')];
    const scanned = inCodes?.get(id) ?? 0;
    if (scanned > 0) parts.push(countOf(scanned, 'QR code'));
    return parts.join(', ');
  };
}

function byId(counts: Schemas['Count'] | undefined): Map<string, number> | undefined {
  if (!Array.isArray(counts)) return undefined;
  return new Map(counts.map(({ tagId, folderId, _count }) => [(tagId ?? folderId)!, _count]));
}
