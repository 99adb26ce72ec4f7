import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWorkspace } from '../app/workspace.tsx';

/** The title of a list, and what makes a record of it. */
export function LabelHeader(props: { id: string; title: string; action: ReactNode }) {
  return (
    <header className="flex min-h-10 items-center justify-between gap-2 border-b border-line px-4 pb-2 md:px-6">
      <h2 id={props.id} className="font-semibold">
        {props.title}
      </h2>
      {props.action}
    </header>
  );
}

interface LabelRowProps {
  name: string;
  mark: ReactNode;
  /** The question by which the list of links shows those that have it. */
  links: Record<string, string>;
  actions: ReactNode;
}

/** A tag or folder; its name leads to its links. */
export function LabelRow({ name, mark, links, actions }: LabelRowProps) {
  const { slug } = useWorkspace();
  return (
    <li className="flex min-h-11 items-center gap-2.5 border-b border-line px-4 hover:bg-hover/60 md:px-6">
      {mark}
      <Link
        to="/$workspace/links"
        params={{ workspace: slug }}
        search={links}
        className="min-w-0 flex-1 truncate py-2 hover:underline"
      >
        {name}
      </Link>
      {actions}
    </li>
  );
}
