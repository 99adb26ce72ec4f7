import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { FILTER_LIST, type Filters, type Question, readQuestion } from './question.ts';

/** A change of a question; `undefined` removes a part. */
export type QuestionChange = { [Part in keyof Question]?: Question[Part] | undefined };

/** The question in the address bar, and functions that change it. */
export function useQuestion() {
  const search: Record<string, unknown> = useSearch({ strict: false });
  // The router keeps parameters that a route's `validateSearch` left out.
  const question = useMemo(() => readQuestion(search), [search]);
  const navigate = useNavigate();
  /** Changes parts of the question; each change is a step back in the history, unless `isPassing`. */
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
