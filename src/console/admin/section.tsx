import { type UseQueryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { apiOf } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite, type Write } from '../api/queries.ts';
import { personClient } from '../app/session.ts';
import { classes } from '../ui/classes.ts';
import { toast } from '../ui/toasts.tsx';

/** Client of the operators' endpoints, which belong to no workspace. */
export const api = apiOf(undefined);

/**
 * Loads an answer of the operators' endpoints.
 *
 * @param parts name of the answer, and the values that it depends on
 */
export function useAdminQuery<Data>(
  parts: readonly unknown[],
  load: (signal: AbortSignal) => Promise<Data>,
  options: Pick<UseQueryOptions<Data>, 'refetchInterval' | 'placeholderData'> = {},
) {
  return useQuery<Data>(
    { ...options, queryKey: keys.admin.list(...parts), queryFn: ({ signal }) => load(signal) },
    personClient,
  );
}

/**
 * Creates a write of operators, after which the page is loaded again.
 *
 * @param done success message
 */
export const useAdminWrite = <Input, Result>(
  done: string,
  onClose: () => void,
  write: Omit<Write<Input, Result>, 'onDone'>,
) =>
  useWrite({
    ...write,
    onDone: () => {
      void personClient.invalidateQueries({ queryKey: keys.admin.all });
      toast(done);
      onClose();
    },
  });

interface AdminSectionProps {
  title: string;
  /** Controls beside the title. */
  aside?: ReactNode;
  /** True when a label stands above the control beside the title. */
  isAsideLabeled?: boolean;
  children: ReactNode;
}

/** A section of the operators' page. */
export function AdminSection({ title, aside, isAsideLabeled, children }: AdminSectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="pb-8 last:pb-10">
      <header
        className={classes(
          'flex justify-between gap-2 px-4 md:px-6',
          isAsideLabeled === true ? 'items-end pb-2' : 'items-center pb-1',
        )}
      >
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Returns a short link without its scheme. */
export const bare = (shortLink: string): string => shortLink.replace(/^https?:\/\//, '');
