import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { recordQuery } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Designer } from './designer.tsx';
import { type Look, lookOf, PLAIN_LOOK } from './look.ts';
import { templatesQuery } from './templates.ts';

/**
 * The page that creates a QR code, which begins with the workspace's default template; the URL holds
 * the id of the link whose code is created.
 */
export function NewQrCodePage() {
  const { api } = useWorkspace();
  const { link: id = '' } = useSearch({ from: '/$workspace/qrcodes/new' });
  const { data, isPending } = useQuery(templatesQuery(api));
  const link = useQuery({ ...recordQuery(api, 'links', id), enabled: id !== '' });
  // A form that has begun does not change when another person chooses a default.
  const [look, setLook] = useState<Look>();
  if (look === undefined && !isPending) {
    const template = data?.find(({ isDefault }) => isDefault);
    setLook(template === undefined ? PLAIN_LOOK : lookOf(template));
  }
  return (
    <Page title="Create QR code" actions={<BackLink />}>
      {link.error !== null && link.data === undefined ? (
        <Failure error={link.error} retry={() => void link.refetch()} />
      ) : look === undefined || (id !== '' && link.data === undefined) ? (
        <Skeleton className="mx-6 h-96" />
      ) : (
        <Designer key={id} record={undefined} look={look} link={link.data} />
      )}
    </Page>
  );
}

/** The page that edits a QR code and downloads its image. */
export function EditQrCodePage() {
  const { api } = useWorkspace();
  const { qrcode } = useParams({ from: '/$workspace/qrcodes/$qrcode/edit' });
  const { data, error, refetch } = useQuery(recordQuery(api, 'qrcodes', qrcode));
  return (
    <Page
      title={data ? (data.title ?? `${data.domain}/${data.key}`) : 'QR code'}
      actions={<PageLink id={qrcode} />}
    >
      {error && data === undefined && <Failure error={error} retry={() => void refetch()} />}
      {data ? (
        // The key changes when a test gets a winner, because that changes the content.
        <Designer key={`${data.id} ${data.testWinner}`} record={data} />
      ) : (
        error === null && <Skeleton className="mx-6 h-96" />
      )}
    </Page>
  );
}

function BackLink() {
  const { slug } = useWorkspace();
  return (
    <Link
      to="/$workspace/qrcodes"
      params={{ workspace: slug }}
      activeOptions={{ exact: true }}
      className={buttonLook('quiet')}
    >
      All QR codes
    </Link>
  );
}

/** The link back to the page of a code. */
function PageLink({ id }: { id: string }) {
  const { slug } = useWorkspace();
  return (
    <Link
      to="/$workspace/qrcodes/$qrcode"
      params={{ workspace: slug, qrcode: id }}
      activeOptions={{ exact: true }}
      className={buttonLook('quiet')}
    >
      Scans and history
    </Link>
  );
}
