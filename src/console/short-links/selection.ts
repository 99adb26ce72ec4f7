import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { toastError } from '../ui/toast-error.ts';
import { PAGE_ROWS, type Query } from './listing.ts';
import { isDeleted, overlaid, useOverlays } from './pending.ts';

/** Maximum number of selected rows; each bulk action takes one request per 100 rows. */
export const MOST_SELECTED = 10_000;

/**
 * The records selected for bulk actions. They stay selected after an action, and while the list
 * shows other rows.
 */
export interface Selection<Row extends { id: string }> {
  /** Selected records by id, with unsent changes applied. */
  records: ReadonlyMap<string, Row>;
  set(records: ReadonlyMap<string, Row>): void;
  clear(): void;
  drop(records: readonly Row[]): void;
  /** Applies a change that the API has made to selected records that the list no longer shows. */
  keep(records: readonly Row[], change: (record: Row) => Partial<Row>): void;
  /** Selects all rows of a list page by page, up to the limit. */
  selectAll(pageQuery: (page: number) => Query<Row[]>): Promise<void>;
  /** Number of rows that `selectAll` has loaded so far; absent when it is not running. */
  loaded: number | undefined;
}

export function useSelection<Row extends { id: string }>(): Selection<Row> {
  const client = useQueryClient();
  const overlays = useOverlays();
  const [stored, setStored] = useState<ReadonlyMap<string, Row>>(new Map());
  const [loaded, setLoaded] = useState<number>();
  /** Number of the latest `selectAll` call, which makes earlier ones stop without effect. */
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

  const selectAll = async (pageQuery: (page: number) => Query<Row[]>) => {
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
      toastError(error);
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
