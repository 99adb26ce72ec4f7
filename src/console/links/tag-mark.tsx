import { classes } from '../ui/classes.ts';

/** Colors that a tag may have, as dots: their contrast doesn't matter, since the name stands beside. */
const DOTS: Record<string, string> = {
  red: 'bg-red-500',
  yellow: 'bg-yellow-500',
  green: 'bg-green-500',
  blue: 'bg-blue-500',
  purple: 'bg-purple-500',
  pink: 'bg-pink-500',
  brown: 'bg-amber-800',
};

/** A tag by its color and name. */
export function TagMark({ name, color = '' }: { name: string; color?: string | undefined }) {
  return (
    <span className="inline-flex h-5 max-w-32 items-center gap-1.5 rounded border border-line px-1.5 text-xs">
      <span aria-hidden className={classes('size-2 shrink-0 rounded-full', DOTS[color])} />
      <span className="truncate">{name}</span>
    </span>
  );
}
