import { useQuery } from '@tanstack/react-query';
import { ImageOff } from 'lucide-react';
import { download } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { dataUriOf } from '../ui/data-uri.ts';
import { Skeleton } from '../ui/states.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import type { ShortLinkDraft } from './fields.ts';
import { metatagsQuery } from './queries.ts';

/** Delay after typing before a page or an image is fetched, in ms. */
const TYPING_MS = 600;
/** Time for which a fetched preview is reused, in ms. */
const FRESH_MS = 300_000;

/** The preview card as others will see it. */
export function PreviewCard({ draft, url: typed }: { draft: ShortLinkDraft; url: string }) {
  const { api } = useWorkspace();
  const destination = useDebounced(typed.trim(), TYPING_MS);
  // The API adds the scheme to a destination without one.
  const url = /^[^\s/:?#]+\.[a-z]{2,}(?:[/?#]|$)/i.test(destination)
    ? `https://${destination}`
    : destination;
  const ownImage = useDebounced(draft.image.trim(), TYPING_MS);
  const isAddress = /^https?:\/\/[^/\s]+\.[^/\s]+/.test(url);
  const tags = useQuery({ ...metatagsQuery(api, url), enabled: isAddress });
  const own = draft.proxy ? draft : undefined;
  const title = own?.title || tags.data?.title || (isAddress ? hostOf(url) : 'Title');
  const text = own?.description || tags.data?.description || '';
  const image = (own && ownImage) || tags.data?.image || '';
  return (
    <figure className="overflow-hidden rounded-lg border border-line">
      <div className="grid aspect-[1.91/1] bg-hover text-xs text-muted">
        <CardImage source={image} />
      </div>
      <figcaption className="p-3">
        <p className="truncate text-xs text-muted">{isAddress ? hostOf(url) : 'example.com'}</p>
        <p className="line-clamp-2 font-medium">{title}</p>
        <p className="line-clamp-2 text-xs text-muted">{text}</p>
      </figcaption>
    </figure>
  );
}

/**
 * Loads an external image through the service, because the Content-Security-Policy blocks other
 * hosts.
 */
function CardImage({ source }: { source: string }) {
  const { slug } = useWorkspace();
  const image = useQuery({
    queryKey: keys.metatags.one(source, 'image'),
    queryFn: async ({ signal }) => {
      if (source.startsWith('data:')) return source;
      const query = new URLSearchParams({ url: source });
      return dataUriOf(await download(slug, `/metatags/image?${query}`, signal));
    },
    enabled: source !== '',
    staleTime: FRESH_MS,
    retry: false,
  });
  if (source !== '' && image.isPending) return <Skeleton className="size-full" />;
  if (image.data !== undefined) {
    return <img src={image.data} alt="Of the link preview" className="size-full object-cover" />;
  }
  return (
    <span className="flex flex-col items-center gap-1 place-self-center p-2 text-center">
      <ImageOff size={16} aria-hidden />
      {image.error ? `We can’t load the image from ${hostOf(source)}.` : 'No image'}
    </span>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).hostname;
  } catch {
    return url;
  }
}
