import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { NoAccess } from '../../app/error-page.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import { useShortDomains } from '../../short-links/use-short-domains.ts';
import { buttonLook } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useUnsaved } from '../../ui/unsaved.ts';
import { BatchForm } from './form.tsx';
import { PasteForm } from './paste-form.tsx';
import { readRows } from './rows.ts';

const TITLE = 'Create many links';

/** The page that creates many links from pasted URLs or a sheet. */
export function BatchPage() {
  const { may } = useWorkspace();
  return may('imports.write') ? <ManyLinks /> : <NoAccess title={TITLE} />;
}

function ManyLinks() {
  const { slug } = useWorkspace();
  const pasted = useLocation({ select: ({ state }) => state.pasted });
  const { names, isPending } = useShortDomains('');
  const [text, setText] = useState(pasted ?? '');
  const [isEntered, setEntered] = useState(pasted !== undefined);
  const sheet = isEntered && !isPending ? readRows(text, names) : undefined;
  const [isSent, setSent] = useState(false);
  useUnsaved(sheet !== undefined && 'rows' in sheet && !isSent);
  return (
    <Page
      title={TITLE}
      actions={
        <Link to="/$workspace/links" params={{ workspace: slug }} className={buttonLook('quiet')}>
          All links
        </Link>
      }
    >
      <p className="max-w-3xl px-4 pb-4 text-muted md:px-6">
        Paste URLs or rows of a sheet, check the table, and create all links in one go.{' '}
        <DocsLink guide="many-links">How it works</DocsLink>
      </p>
      {isEntered && isPending ? (
        <Skeleton className="mx-6 h-40" />
      ) : sheet !== undefined && 'rows' in sheet ? (
        <BatchForm sheet={sheet} onRestart={() => setEntered(false)} onSent={setSent} />
      ) : (
        <PasteForm
          fault={sheet?.fault}
          initial={text}
          onText={(entered) => {
            setText(entered);
            setEntered(true);
          }}
        />
      )}
    </Page>
  );
}
