import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { nameOf as nameOfLink } from '../links/kind.ts';
import { useRecordItems } from '../short-links/record-items.ts';
import { routeOf } from '../short-links/record-route.ts';
import { RecordView } from '../short-links/record-view.tsx';
import { usePageActions, useRecord } from '../short-links/use-record.ts';
import { buttonLook } from '../ui/button.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { Page } from '../ui/page.tsx';
import { Badge } from '../ui/states.tsx';
import { CodePicture } from './code-picture.tsx';
import type { ContentName } from './content.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { payloadOf, scanLinkIn } from './drawn.ts';
import { duplicateCode } from './duplicate.ts';
import { QR_CODES } from './kind.ts';
import type { QrCode } from './look.ts';
import { nameOf, summaryOf } from './row.tsx';

/** The page of a QR code; the URL also holds the period of its chart. */
export function CodePage() {
  const { qrcode } = useParams({ from: '/$workspace/qrcodes/$qrcode' });
  const query = useRecord('qrcodes', qrcode);
  if (query.data !== undefined) return <OneCode record={query.data} />;
  return (
    <Page title="QR code">
      <Loaded query={query} skeleton="mx-4 h-96 md:mx-6">
        {() => null}
      </Loaded>
    </Page>
  );
}

function OneCode({ record }: { record: QrCode }) {
  const { api, slug, may } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { dialogs, actions } = usePageActions(QR_CODES);
  const { label, icon } = CONTENT_FORMS[record.type as ContentName];
  const shortLink = record.static ? undefined : payloadOf(record);
  const scanLink = scanLinkIn(record);
  const designer = (id: string) =>
    ({
      to: '/$workspace/qrcodes/$qrcode/edit',
      params: { workspace: slug, qrcode: id },
    }) as const;
  const items = useRecordItems({
    list: 'qrcodes',
    record,
    title: nameOf(record),
    shortLink,
    actions,
    isCounted: !record.static,
    items: [],
    duplicate: () =>
      void duplicateCode({ api, client }, record).then(
        (copy) => copy && navigate(designer(copy.id)),
      ),
  });
  return (
    <RecordView
      kind={QR_CODES}
      record={record}
      title={nameOf(record)}
      shortLink={shortLink}
      states={
        <>
          {record.archived && <Badge>Archived</Badge>}
          {scanLink !== undefined && may('links.read') && <LinkOfCode url={scanLink} />}
        </>
      }
      summary={{ icon, label, text: `${label}: ${summaryOf(record)}` }}
      edit={may('qrcodes.write') ? () => void navigate(designer(record.id)) : undefined}
      actions={
        <>
          {may('qrcodes.write') && (
            <Link {...designer(record.id)} className={buttonLook('primary')}>
              <Pencil size={15} aria-hidden />
              Edit
            </Link>
          )}
          <RowMenu label={`Actions for ${nameOf(record)}`} items={items} />
        </>
      }
      picture={<CodePicture record={record} />}
    >
      {dialogs}
    </RecordView>
  );
}

/**
 * Leads from the code of a link to the page of the link, where its scans are counted.
 *
 * @param url the URL in the code
 */
function LinkOfCode({ url }: { url: string }) {
  const { api, slug } = useWorkspace();
  const { data: link } = useQuery({
    queryKey: keys.links.list('of code', url),
    queryFn: ({ signal }) => {
      const { hostname: domain, pathname } = new URL(url);
      const query = { domain, key: decodeURIComponent(pathname.slice(1)) };
      return answer(api.GET('/links/info', { params: { query }, signal }));
    },
    retry: false,
  });
  // A deleted link, or one that the person may not see, has no page for them.
  if (link === undefined) return null;
  return (
    <span>
      Scans are counted for the link{' '}
      <Link
        {...routeOf({ list: 'links' }, slug, link.id)}
        className="wrap-anywhere text-accent-text hover:underline"
      >
        {link.title ?? nameOfLink(link)}
      </Link>
    </span>
  );
}
