import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { FILTER_LIST, type Filters, type Question, readQuestion } from './question.ts';

/** A change of a query; `undefined` removes a parameter. */
export type QuestionChange = { [Part in keyof Question]?: Question[Part] | undefined };

/** Returns the query in the URL and functions that change it. */
export function useQuestion() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  // The router keeps parameters that a route's `validateSearch` removed.
  const question = useMemo(() => readQuestion(search), [search]);
  const navigate = useNavigate();
  /** Changes parameters of the query; each change adds a history entry unless `isPassing`. */
  const change = (parts: QuestionChange, isPassing = false) =>
    void navigate({
      to: '.',
      search: (before: object) => ({
        ...readQuestion({ ...before }),
        ignored: undefined,
        ...parts,
      }),
      replace: isPassing,
      resetScroll: false,
    });
  return {
    question,
    change,
    addFilters: (filters: Filters) => change({ ...filters, group: undefined }),
    clearFilters: () => change(Object.fromEntries(FILTER_LIST.map((name) => [name, undefined]))),
  };
}
