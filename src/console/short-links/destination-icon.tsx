import { useQuery } from '@tanstack/react-query';
import { Globe } from 'lucide-react';
import { download } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { classes } from '../ui/classes.ts';
import { dataUriOf } from '../ui/data-uri.ts';
import { untilStill } from '../ui/until-still.ts';
import type { ListKind } from './list-kind.ts';

/** Time after which an icon that was not there is asked for once more, in ms. */
const AGAIN_MS = 5_000;

/** Returns the host of a destination on the web, with its port. */
function hostOf(url: string): string | undefined {
  if (!/^https?:/i.test(url)) return undefined;
  try {
    return new URL(url).host;
  } catch {
    return undefined;
  }
}

interface DestinationIconProps extends Pick<ListKind, 'list'> {
  /** Id of the record, through which the icon is served. */
  id: string;
  url: string;
  size?: 'small' | 'large';
}

/**
 * The icon of a destination. Until it is there, or without one, the first letter of the host has its
 * place. All records with a host share its icon.
 */
export function DestinationIcon({ list, id, url, size = 'small' }: DestinationIconProps) {
  const { slug } = useWorkspace();
  const host = hostOf(url);
  const { data } = useQuery({
    queryKey: keys.icons.one(host ?? ''),
    enabled: host !== undefined,
    async queryFn({ signal }) {
      await untilStill(signal);
      const query = new URLSearchParams({ host: host ?? '' });
      const icon = await download(slug, `/${list}/${id}/icon?${query}`, signal);
      return icon.size === 0 ? null : dataUriOf(icon);
    },
    refetchInterval: ({ state }) =>
      state.data === null && state.dataUpdateCount < 2 ? AGAIN_MS : false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    networkMode: 'always',
  });
  return (
    <span
      aria-hidden
      className={classes(
        'grid shrink-0 place-items-center font-medium text-muted uppercase select-none',
        size === 'large'
          ? 'size-6 rounded-full bg-hover md:size-8'
          : 'size-4 rounded-sm bg-hover text-[0.625rem]',
      )}
    >
      <Face host={host} icon={data} size={size === 'large' ? 18 : 14} />
    </span>
  );
}

interface FaceProps {
  host: string | undefined;
  icon: string | null | undefined;
  /** Side in px. */
  size: number;
}

function Face({ host, icon, size }: FaceProps) {
  if (icon) return <img src={icon} alt="" width={size} height={size} className="object-contain" />;
  return host === undefined ? <Globe size={size} /> : host.replace(/^www\./, '').charAt(0);
}
