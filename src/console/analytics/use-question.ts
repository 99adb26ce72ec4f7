import { useNavigate, useSearch } from '@tanstack/react-router';
import { FILTERS, type Filters, type Question } from './question.ts';

/** A change of a question; `undefined` removes a part. */
export type QuestionChange = { [Part in keyof Question]?: Question[Part] | undefined };

/** The question in the address bar, and functions that change it. */
export function useQuestion() {
  const question: Question = useSearch({ strict: false });
  const navigate = useNavigate();
  /** Changes parts of the question; each change is a step back in the history, unless `isPassing`. */
  const change = (parts: QuestionChange, isPassing = false) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, ignored: undefined, ...parts }),
      replace: isPassing,
      resetScroll: false,
    });
  return {
    question,
    change,
    addFilters: (filters: Filters) => change({ ...filters, group: undefined }),
    clearFilters: () => change(Object.fromEntries(FILTERS.map((name) => [name, undefined]))),
  };
}
