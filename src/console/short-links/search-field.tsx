import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { keys } from '../api/keys.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { SearchInput } from '../ui/search-input.tsx';

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** Search text in the URL. */
  value: string;
  onChange(text: string): void;
  /** Noun of the list's query keys. */
  list: 'links' | 'qrcodes';
}

/** A search field that filters a list during typing; `/` focuses it. */
export function SearchField({ label, placeholder, value, onChange, list }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  // Only one search runs at a time, because the API would continue searches that nobody waits for.
  const isSearching = useIsFetching({ queryKey: keys[list].list() }) > 0;
  useEffect(() => {
    // Another change while ours is in progress would look foreign and revert newer typing.
    const isUnderWay = value !== sent.current.trim();
    if (text === sent.current || isSearching || isUnderWay) return;
    sent.current = text;
    onChange(text.trim());
  }, [text, value, onChange, isSearching]);
  useEffect(() => {
    // The URL was changed elsewhere, by a saved view or the back button.
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
