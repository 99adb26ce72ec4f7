import { useEffect, useRef, useState } from 'react';
import { newIdempotencyKey } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { Button } from '../ui/button.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { useMe } from './session.ts';
import { useWorkspace } from './workspace.tsx';

const PREFIX = 'draft ';

/** Input of a form, kept until it is saved. */
export interface KeptDraft<T> {
  draft: T;
  setDraft(change: (now: T) => T): void;
  isChanged: boolean;
  /** True when the form began with what was typed before. */
  isRestored: boolean;
  /** Back to what is stored. */
  startOver(): void;
  /** Keeps nothing any more: it was saved, or is not wanted. */
  forget(): void;
  /** Keeps it once more, after `forget`. */
  keep(): void;
  /** The Idempotency-Key of the fields as they are now: sent again after a reload, they are written once. */
  idempotencyKey(): string;
  /** Takes another key next time, unless the write may have been done: the API repeats its refusal to the same key. */
  noteFailure(error: Error): void;
}

/**
 * The fields of a form, of which this tab keeps those that were changed: a reload, a step back and a new sign-in find
 * them again. The browser asks before it closes the window.
 *
 * @param name of the form and its record
 * @param before the fields as they are stored
 */
export function useDraft<T extends object>(name: string, before: T): KeptDraft<T> {
  const { id } = useMe();
  const { slug } = useWorkspace();
  // By person too: the next one in this tab must not find it.
  const key = `${PREFIX}${id} ${slug} ${name}`;
  const sentKey = `${key} sent`;
  const [kept] = useState(() => read<T>(key));
  const [draft, setDraft] = useState<T>({ ...before, ...kept });
  const [isRestored, setRestored] = useState(kept !== undefined);
  const changes = JSON.stringify(changed(draft, before));
  const isChanged = changes !== '{}';
  const latest = useRef(changes);
  useEffect(() => {
    // Other fields are another write.
    if (latest.current !== changes) sessionStorage.removeItem(sentKey);
    latest.current = changes;
    write(key, changes);
  }, [key, sentKey, changes]);
  useUnsaved(isChanged);
  return {
    draft,
    setDraft,
    isChanged,
    isRestored: isRestored && isChanged,
    startOver() {
      setDraft(before);
      setRestored(false);
    },
    forget() {
      sessionStorage.removeItem(key);
      sessionStorage.removeItem(sentKey);
    },
    keep: () => write(key, latest.current),
    idempotencyKey() {
      const idempotencyKey = sessionStorage.getItem(sentKey) ?? newIdempotencyKey();
      write(sentKey, idempotencyKey);
      return idempotencyKey;
    },
    noteFailure(error) {
      if (error instanceof ApiError && !error.isPassing) sessionStorage.removeItem(sentKey);
    },
  };
}

/** Says that a form began with what was typed before, and lets the reader begin anew. */
export function RestoredNote({
  isRestored,
  startOver,
}: Pick<KeptDraft<unknown>, 'isRestored' | 'startOver'>) {
  if (!isRestored) return null;
  return (
    <p
      role="status"
      className="flex flex-wrap items-center justify-between gap-2 rounded-md bg-accent-soft px-3 py-2"
    >
      What you typed before is here again.
      <Button size="small" onClick={startOver}>
        Start over
      </Button>
    </p>
  );
}

/** True when this tab keeps what somebody typed into a form. */
export const hasKeptDraft = (): boolean =>
  Object.keys(sessionStorage).some((key) => key.startsWith(PREFIX));

/** Forgets what all forms keep, when a person signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

function changed<T extends object>(draft: T, before: T): Partial<T> {
  const fields = Object.entries(draft).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]),
  );
  return Object.fromEntries(fields) as Partial<T>;
}

function read<T>(key: string): Partial<T> | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '') as Partial<T>;
  } catch {
    return undefined;
  }
}

function write(key: string, changes: string): void {
  try {
    if (changes === '{}') sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, changes);
  } catch {
    // It is larger than what browsers keep: the window is still held.
  }
}
