import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Api } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { metatagsQuery } from '../../short-links/queries.ts';
import { isUrlLike } from '../../ui/one-url.ts';
import type { Row } from './rows.ts';

/** Pages that are read at the same time. */
const AT_ONCE = 4;
/** Pause after a refusal because of too many requests that names none, in ms. */
const PAUSE_MS = 5_000;

/**
 * Fetches the titles of destinations.
 *
 * @param onTitle called with each title, and the row as it was when the fetch began
 */
export function useTitles(onTitle: (row: Row, title: string) => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [left, setLeft] = useState(0);
  const latest = useRef<AbortController>(undefined);
  useEffect(() => () => latest.current?.abort(), []);
  const fetchTitles = (rows: readonly Row[]) => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    const open = rows.filter(({ title, url }) => title === '' && isUrlLike(url));
    setLeft(open.length);
    const work = async () => {
      for (let row = open.shift(); row !== undefined; row = open.shift()) {
        const title = await titleOf(client, api, row.url, signal);
        if (signal.aborted) return;
        if (title !== undefined) onTitle(row, title);
        setLeft((now) => now - 1);
      }
    };
    for (let n = 0; n < AT_ONCE; n += 1) void work();
  };
  return { left, fetchTitles };
}

/** Fetches the title of a page; `undefined` if it has none or cannot be read. */
async function titleOf(
  client: QueryClient,
  api: Api,
  url: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const address = /^https?:/i.test(url) ? url : `https://${url}`;
  while (!signal.aborted) {
    try {
      const { title } = await client.fetchQuery(metatagsQuery(api, address));
      return title ?? undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) return undefined;
      const pause = error.retryAfterMs ?? PAUSE_MS;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return undefined;
}
