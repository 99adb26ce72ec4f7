import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { nameOfDuration } from './names.ts';

/** Reason why a repeated visit was not counted, as a link to the setting. */
export function RepeatReason() {
  const { slug, api } = useWorkspace();
  const seconds = useQuery(workspaceQuery(api)).data?.clickDedupeSeconds;
  return (
    <Link
      to="/$workspace/settings/workspace"
      params={{ workspace: slug }}
      className="underline underline-offset-2"
    >
      {seconds === undefined ? 'same visitor' : `same visitor within ${nameOfDuration(seconds)}`}
    </Link>
  );
}
