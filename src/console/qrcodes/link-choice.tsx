import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { searchQuery } from '../short-links/search-query.ts';
import { shownHost } from '../short-links/shown-host.ts';
import { Popover } from '../ui/menu.tsx';
import { SearchInput } from '../ui/search-input.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { useDebounced } from '../ui/use-debounced.ts';

/** Links that are listed at once. */
const SHOWN = 6;
/** Delay after typing before links are searched, in ms. */
const PAUSE_MS = 120;

interface LinkChoiceProps {
  onChosen(link: Schemas['Link']): void;
}

/** A button that chooses an existing link, whose code is then designed. */
export function LinkChoice({ onChosen }: LinkChoiceProps) {
  return (
    <Popover
      label="Existing link"
      className="w-80 max-w-[calc(100vw-1rem)] p-2"
      button={{ icon: Link2, children: 'Existing link' }}
    >
      {(close) => (
        <Links
          onChosen={(link) => {
            close();
            onChosen(link);
          }}
        />
      )}
    </Popover>
  );
}

/** The newest links, or those that a search finds. */
function Links({ onChosen }: LinkChoiceProps) {
  const { api } = useWorkspace();
  const [text, setText] = useState('');
  const search = searchQuery(useDebounced(text.trim(), PAUSE_MS));
  const { data } = useQuery({
    queryKey: keys.links.list('choice', search),
    queryFn: ({ signal }) => {
      const query = { ...(search !== '' && { query: search }), pageSize: SHOWN };
      return answer(api.GET('/links', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-1">
      <SearchInput
        aria-label="Search links"
        placeholder="Search links"
        autoFocus
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul aria-label="Links">
        {data?.map((link) => (
          <li key={link.id}>
            <button
              type="button"
              onClick={() => onChosen(link)}
              className="flex w-full flex-col rounded-md px-2 py-1.5 text-left hover:bg-hover max-md:min-h-11"
            >
              {link.title !== null && <span className="w-full truncate">{link.title}</span>}
              <ShortLinkName domain={shownHost(link)} slug={link.key} />
              <span className="w-full truncate text-xs text-muted">{link.url}</span>
            </button>
          </li>
        ))}
      </ul>
      {data?.length === 0 && <p className="px-2 py-1.5 text-muted">No links match.</p>}
    </div>
  );
}
