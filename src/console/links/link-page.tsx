import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowRight, Pencil } from 'lucide-react';
import { memo, Suspense } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { useRecordItems } from '../short-links/record-items.ts';
import { RecordView } from '../short-links/record-view.tsx';
import { usePageActions, useRecord } from '../short-links/use-record.ts';
import { Button } from '../ui/button.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Time } from '../ui/time.tsx';
import { duplicateLink } from './duplicate.ts';
import { DestinationNotice } from './edit/destination-notice.tsx';
import { LinkQrCode } from './edit/qr-code.tsx';
import { LINKS, type Link, nameOf } from './kind.ts';
import { LinkBadges, openDestination } from './row.tsx';

const LinkDialog = lazyPart(() => import('./edit/dialog.tsx'), 'LinkDialog');
const PARTS = [LinkDialog];

/** The page of a link; the URL also holds the period of its chart, and whether its form is open. */
export function LinkPage() {
  const { link: id } = useParams({ from: '/$workspace/links/$link' });
  const query = useRecord('links', id, useIsFormOpen());
  if (query.data !== undefined) return <OneLink link={query.data} />;
  return (
    <Page title="Link">
      <Loaded query={query} skeleton="mx-4 h-96 md:mx-6">
        {() => null}
      </Loaded>
    </Page>
  );
}

/** True while the URL asks for the form of the link. */
const useIsFormOpen = () =>
  useSearch({
    from: '/$workspace/links/$link',
    select: ({ edit }: { edit?: unknown }) => edit === 'form',
  });

/** The page of a link, which does not render again when its form is opened. */
const OneLink = memo(function OneLink({ link }: { link: Link }) {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { dialogs, actions } = usePageActions(LINKS);
  usePreload(PARTS);
  const title = link.title ?? nameOf(link);
  const show = (form: boolean, id = link.id) =>
    void navigate({
      to: '/$workspace/links/$link',
      params: { workspace: slug, link: id },
      search: ({ edit: _, ...period }) => ({ ...period, ...(form && { edit: 'form' as const }) }),
      resetScroll: false,
    });
  const items = useRecordItems({
    list: 'links',
    record: link,
    title,
    shortLink: link.shortLink,
    actions,
    items: [openDestination(link)],
    duplicate: () =>
      void duplicateLink({ api, client }, link).then((copy) => copy && show(true, copy.id)),
  });
  const { destinationCheck: check } = link;
  return (
    <RecordView
      kind={LINKS}
      record={link}
      title={title}
      shortLink={link.shortLink}
      states={<LinkBadges link={link} />}
      summary={{ icon: ArrowRight, label: 'Destination', text: link.url }}
      edit={may('links.write') ? () => show(true) : undefined}
      actions={
        <>
          {may('links.write') && (
            <Button look="primary" icon={Pencil} onClick={() => show(true)}>
              Edit
            </Button>
          )}
          <RowMenu label={`Actions for ${nameOf(link)}`} items={items} />
        </>
      }
      picture={<LinkQrCode link={link} />}
      check={
        check &&
        (check.state === 'ok' ? (
          <p>
            The destination works. Checked <Time at={check.checkedAt} />.
          </p>
        ) : (
          <DestinationNotice check={check} url={link.url} isInForm={false} />
        ))
      }
    >
      {dialogs}
      <Form id={link.id} onClose={() => show(false)} />
    </RecordView>
  );
});

/** The form of the link in a dialog, while the URL asks for it. */
function Form({ id, onClose }: { id: string; onClose(): void }) {
  if (!useIsFormOpen()) return null;
  return (
    <Suspense>
      <LinkDialog id={id} onClose={onClose} />
    </Suspense>
  );
}
