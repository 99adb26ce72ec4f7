import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { keys } from '../api/keys.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { SearchInput } from '../ui/search-input.tsx';

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The text in the address. */
  value: string;
  onChange(text: string): void;
  /** Name under which the answers of the list are kept. */
  list: 'links' | 'qrcodes';
}

/** Searches a list while one types; `/` leads to it. */
export function SearchField({ label, placeholder, value, onChange, list }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  // One question at a time: the API would go on with those that nobody waits for any more.
  const isAsking = useIsFetching({ queryKey: keys[list].list() }) > 0;
  useEffect(() => {
    // An address on its way would come back as another's change, and undo what has been typed since.
    const isUnderWay = value !== sent.current.trim();
    if (text === sent.current || isAsking || isUnderWay) return;
    sent.current = text;
    onChange(text.trim());
  }, [text, value, onChange, isAsking]);
  useEffect(() => {
    // The address changed by itself: a saved view, or the browser's back button.
    if (value === sent.current.trim()) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <SearchInput
      ref={field}
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => event.key === 'Escape' && field.current?.blur()}
      className="min-w-40 flex-1 max-md:basis-full md:max-w-sm"
    />
  );
}
