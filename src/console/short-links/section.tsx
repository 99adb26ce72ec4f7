import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Badge } from '../ui/states.tsx';
import { useIsPainted } from '../ui/use-is-painted.ts';
import type { FieldErrors } from './errors.ts';
import type { ShortLinkDraft, ShortLinkRecord } from './fields.ts';

/** Properties of every part of the form. */
export interface PartProps {
  draft: ShortLinkDraft;
  errors: FieldErrors;
  change(part: Partial<ShortLinkDraft>): void;
  /** The stored record; absent for a new one. */
  record: ShortLinkRecord | undefined;
}

interface SectionProps {
  title: string;
  /** Summary of the settings: "expires Dec 24". */
  summary: string | undefined;
  /** True when one of the fields has an error, which opens the section. */
  hasError: boolean;
  children: ReactNode;
}

/** A collapsible part of the form that most records do not need. */
export function Section({ title, summary, hasError, children }: SectionProps) {
  const element = useRef<HTMLDetailsElement>(null);
  // The fields of all sections take longer to render than the rest of the form.
  const isPainted = useIsPainted();
  useEffect(() => {
    if (hasError && element.current !== null) element.current.open = true;
  }, [hasError]);
  return (
    <details ref={element} className="group rounded-lg border border-line">
      <summary className="flex h-10 list-none items-center gap-2 rounded-lg px-3 font-medium select-none hover:bg-hover max-md:h-12">
        <ChevronRight size={15} aria-hidden className="text-muted group-open:rotate-90" />
        <span className="shrink-0">{title}</span>
        <span className="min-w-0 flex-1 truncate text-right font-normal text-muted">{summary}</span>
        {hasError && <Badge tone="danger">To fix</Badge>}
      </summary>
      <div className="flex flex-col gap-4 px-3 pt-1 pb-4">{isPainted && children}</div>
    </details>
  );
}

/**
 * Moves the focus from a control that is about to be removed with its row to the first control after
 * the row, or to the title of the section.
 *
 * @param row absent if the whole content of the section is removed
 */
export function leave(control: Element, row?: Element | null): void {
  for (let next = row?.nextElementSibling; next; next = next.nextElementSibling) {
    const following = next.querySelector<HTMLElement>('select, input, button:enabled');
    if (following !== null) return following.focus();
  }
  control.closest('details')?.querySelector('summary')?.focus();
}

/** Joins the summaries of the settings that are set. */
export function summaryOf(...parts: (string | false)[]): string | undefined {
  const set = parts.filter((part) => part !== false && part !== '');
  return set.length === 0 ? undefined : set.join(' · ');
}
