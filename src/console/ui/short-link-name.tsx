import { classes } from './classes.ts';

interface ShortLinkNameProps {
  domain: string;
  slug: string;
  className?: string;
}

/** The name of a short link, whose domain is truncated first when space is short. */
export function ShortLinkName({ domain, slug, className }: ShortLinkNameProps) {
  return (
    <span className={classes('flex min-w-0', className ?? 'font-medium')}>
      <span className="min-w-6 shrink-9999 truncate">{domain}</span>
      <span className="truncate">/{slug}</span>
    </span>
  );
}
