import { Download } from 'lucide-react';
import { buttonLook, CopyButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { type Link, nameOf } from '../kind.ts';

/** The QR code of a link in a dialog. */
export function QrDialog({ link, onClose }: { link: Link; onClose(): void }) {
  return (
    <Dialog title={`QR code of ${nameOf(link)}`} size="small" onClose={onClose}>
      <LinkQrCode link={link} />
    </Dialog>
  );
}

/** The QR code of a link with its downloads. */
export function LinkQrCode({ link }: { link: Link }) {
  const name = `${link.domain}-${link.key}`.replaceAll(/[^\w.-]+/g, '-');
  return (
    <div className="flex flex-col gap-2">
      <QrPicture address={link.qrCode} of={nameOf(link)} />
      <div className="flex items-center gap-2">
        <a href={fromHere(link.qrCode)} download={`${name}.png`} className={buttonLook()}>
          <Download size={15} aria-hidden />
          Download
        </a>
        <CopyButton text={link.shortLink} label="Copy the short link" />
      </div>
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
