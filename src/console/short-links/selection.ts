import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { describe } from '../api/error.ts';
import { toast } from '../ui/toasts.tsx';
import { PAGE_ROWS, type Question } from './listing.ts';
import { isDeleted, overlaid, useOverlays } from './pending.ts';

/** Most rows that are selected at once: each action on them takes a request for every hundred. */
export const MOST_SELECTED = 10_000;

/** The records of a list that actions are for. They stay selected after an action, and while other rows are shown. */
export interface Selection<Row extends { id: string }> {
  /** By id, with the changes that are not sent yet. */
  records: ReadonlyMap<string, Row>;
  set(records: ReadonlyMap<string, Row>): void;
  clear(): void;
  drop(records: readonly Row[]): void;
  /** The API has made a change: records keep it that no row shows any more. */
  keep(records: readonly Row[], change: (record: Row) => Partial<Row>): void;
  /** Selects every row of a list, page after page, up to the limit. */
  selectAll(pageQuery: (page: number) => Question<Row[]>): Promise<void>;
  /** Number of rows that `selectAll` has loaded so far; absent unless it is under way. */
  loaded: number | undefined;
}

export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const client = useQueryClient();
  const overlays = useOverlays();
  const [stored, setStored] = useState<ReadonlyMap<string, Row>>(new Map());
  const [loaded, setLoaded] = useState<number>();
  /** Number of the present `selectAll`: an earlier one ends without effect. */
  const run = useRef(0);
  const records = useMemo(
    () => new Map([...stored].map(([id, record]) => [id, overlaid(record, overlays)])),
    [stored, overlays],
  );
  const set = useCallback((next: ReadonlyMap<string, Row>) => {
    run.current += 1;
    setLoaded(undefined);
    setStored(next);
  }, []);

  const selectAll = async (pageQuery: (page: number) => Question<Row[]>) => {
    const mine = ++run.current;
    const all = new Map<string, Row>();
    setLoaded(0);
    try {
      for (let page = 0; all.size < MOST_SELECTED; page += 1) {
        const rows = await client.fetchQuery(pageQuery(page));
        if (run.current !== mine) return;
        for (const row of rows) all.set(row.id, row);
        setLoaded(all.size);
        if (rows.length < PAGE_ROWS) break;
      }
      set(new Map([...all].filter(([, row]) => !isDeleted(row, overlays))));
    } catch (error) {
      if (run.current !== mine) return;
      setLoaded(undefined);
      toast(describe(error), 'danger');
    }
  };

  return {
    records,
    set,
    clear: useCallback(() => set(new Map()), [set]),
    drop: useCallback((gone) => {
      const ids = new Set(gone.map(({ id }) => id));
      setStored((now) => new Map([...now].filter(([id]) => !ids.has(id))));
    }, []),
    keep: useCallback((changed, change) => {
      const ids = new Set(changed.map(({ id }) => id));
      setStored(
        (now) =>
          new Map(
            [...now].map(([id, record]) => [
              id,
              ids.has(id) ? { ...record, ...change(record) } : record,
            ]),
          ),
      );
    }, []),
    selectAll,
    loaded,
  };
}
