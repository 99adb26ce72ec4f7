import { useEffect, useRef, useState } from 'react';
import { newIdempotencyKey } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { Button } from '../ui/button.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { changedOf } from './changed-of.ts';
import { useMe } from './session.ts';
import { useWorkspace } from './workspace.tsx';

const PREFIX = /* value */ 'draft ';

/** Form input that is kept until it is saved. */
export interface KeptDraft<T> {
  draft: T;
  setDraft(change: (now: T) => T): void;
  isChanged: boolean;
  /** True when the form started with restored input. */
  isRestored: boolean;
  /** Resets the form to the stored values. */
  startOver(): void;
  /** Deletes the kept input after it was saved or discarded. */
  forget(): void;
  /** Keeps the input again after `forget`. */
  keep(): void;
  /**
   * Returns the idempotency key for the current fields: a write repeated after a reload takes
   * effect once.
   */
  idempotencyKey(): string;
  /**
   * Discards the key unless the write may have taken effect, because the API repeats a refusal for
   * the same key.
   */
  noteFailure(error: Error): void;
}

/**
 * Holds the fields of a form and keeps the changed ones in this tab, so that a reload, the back
 * button or a new sign-in restores them. The browser asks before it closes the window.
 *
 * @param name name of the form and its record
 * @param before the stored fields
 */
export function useDraft<T extends object>(name: string, before: T): KeptDraft<T> {
  const { id } = useMe();
  const { slug } = useWorkspace();
  // Includes the person's id, so that the next person in this tab does not see the input.
  const key = `${PREFIX}${id} ${slug} ${name}`;
  const sentKey = /* value */ `${key} sent`;
  const [kept] = useState(() => read<T>(key));
  const [draft, setDraft] = useState<T>({ ...before, ...kept });
  const [isRestored, setRestored] = useState(kept !== undefined);
  const changes = JSON.stringify(changedOf(draft, before));
  const isChanged = changes !== '{}';
  const latest = useRef(changes);
  useEffect(() => {
    // Changed fields are a different write and need a new key.
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

/** Tells the person that the form was restored, and offers to start over. */
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

/** True when this tab keeps input of any form. */
export const hasKeptDraft = (): boolean =>
  Object.keys(sessionStorage).some((key) => key.startsWith(PREFIX));

/** Deletes the kept input of all forms, for signing out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
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
    // The input exceeds the storage quota; the browser still asks before the window closes.
  }
}
