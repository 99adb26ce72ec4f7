import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { useWorkspace } from '../../app/workspace.tsx';
import { buttonLook } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Page } from '../../ui/page.tsx';
import { useUnsaved } from '../../ui/unsaved.ts';
import { BatchForm } from './form.tsx';
import { PasteForm } from './paste-form.tsx';
import { readRows, type Sheet } from './rows.ts';

/** The page that creates many links from pasted URLs or a sheet. */
export function BatchPage() {
  const { slug } = useWorkspace();
  const pasted = useLocation({ select: ({ state }) => state.pasted });
  const [sheet, setSheet] = useState<Sheet | { fault: string } | undefined>(() =>
    pasted === undefined ? undefined : readRows(pasted),
  );
  const [isSent, setSent] = useState(false);
  useUnsaved(sheet !== undefined && 'rows' in sheet && !isSent);
  return (
    <Page
      title="Create many links"
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
      {sheet !== undefined && 'rows' in sheet ? (
        <BatchForm sheet={sheet} onRestart={() => setSheet(undefined)} onSent={setSent} />
      ) : (
        <PasteForm
          fault={sheet?.fault}
          initial={pasted ?? ''}
          onText={(text) => setSheet(readRows(text))}
        />
      )}
    </Page>
  );
}
