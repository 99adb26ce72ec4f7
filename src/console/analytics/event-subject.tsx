import type { Schemas } from '../api/client.ts';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { shortLinkOf, subjectOf } from './event-facts.ts';

/** The link, code or page of an event, in one line. */
export function EventSubject({ event }: { event: Schemas['Event'] }) {
  const link = shortLinkOf(event);
  if (link !== undefined) return <ShortLinkName domain={link.domain} slug={link.key} />;
  return <span className="truncate font-medium">{subjectOf(event)}</span>;
}
