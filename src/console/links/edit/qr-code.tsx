import { useQuery } from '@tanstack/react-query';
import { Link as RouterLink } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { Suspense } from 'react';
import { answer } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { buttonLook } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { type Link, nameOf, scanLinkOf } from '../kind.ts';

/** The QR code of a link in a dialog. */
export function QrDialog({ link, onClose }: { link: Link; onClose(): void }) {
  return (
    <Dialog title={`QR code of ${nameOf(link)}`} size="small" onClose={onClose}>
      <LinkQrCode link={link} />
    </Dialog>
  );
}

const CodePicture = lazyPart(() => import('../../qrcodes/code-picture.tsx'), 'CodePicture');

/** Codes that are read to find the designed one of a link. */
const READ = 10;

/** The QR code of a link with its downloads: the one that was designed for it, or a plain one. */
export function LinkQrCode({ link }: { link: Link }) {
  const { api, may } = useWorkspace();
  const destination = scanLinkOf(link);
  const mayRead = may('qrcodes.read');
  const codes = useQuery({
    queryKey: keys.qrcodes.list('of link', destination),
    queryFn: ({ signal }) => {
      const query = { destination, pageSize: READ };
      return answer(api.GET('/qrcodes', { params: { query }, signal }));
    },
    enabled: mayRead,
  });
  const loading = <Skeleton className="aspect-square w-full max-w-72" />;
  if (mayRead && codes.isPending) return loading;
  // As in exports: a code of another folder may be by somebody who cannot see the link.
  const designed = codes.data?.find((code) => code.static && code.folderId === link.folderId);
  if (designed === undefined) return <PlainCode link={link} />;
  return (
    <Suspense fallback={loading}>
      <CodePicture record={designed} />
    </Suspense>
  );
}

function PlainCode({ link }: { link: Link }) {
  const { slug, may } = useWorkspace();
  const name = `${link.domain}-${link.key}`.replaceAll(/[^\w.-]+/g, '-');
  return (
    <div className="flex flex-col gap-2">
      <QrPicture address={link.qrCode} of={nameOf(link)} />
      <a
        href={fromHere(link.qrCode)}
        download={`${name}.png`}
        className={`${buttonLook()} self-start`}
      >
        <Download size={15} aria-hidden />
        Download
      </a>
      {may('qrcodes.write') && (
        <RouterLink
          to="/$workspace/qrcodes/new"
          params={{ workspace: slug }}
          search={{ link: link.id }}
          className="self-start text-accent-text hover:underline max-md:py-3"
        >
          Design this code
        </RouterLink>
      )}
    </div>
  );
}

/**
 * The image of a QR code.
 *
 * @param address its origin is BASE_URL, which may differ from ours behind a proxy
 */
export function QrPicture({ address, of }: { address: string; of: string }) {
  return (
    <img
      src={fromHere(address)}
      alt={`QR code of ${of}`}
      className="aspect-square w-full max-w-72 rounded-lg border border-line bg-white p-2"
    />
  );
}

function fromHere(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
