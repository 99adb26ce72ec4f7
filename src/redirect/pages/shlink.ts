import { qrCodeOf } from '../../lookup/short-link.ts';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A transparent GIF of one pixel. */
export const PIXEL = {
  status: 200,
  headers: [
    'Content-Type',
    'image/gif',
    'Content-Length',
    String(GIF.length),
    'Cache-Control',
    'private, no-store',
    'X-Content-Type-Options',
    'nosniff',
  ],
  body: GIF,
};

/** Limits of the size of a code in Shlink, in px. */
const MIN_SIZE = 50;
const MAX_SIZE = 1_000;
const DEFAULT_SIZE = 300;

/** Returns the URL of the QR code of a short link with the parameters of Shlink's `qr-code`. */
export function shlinkQrCode(shortLink: string, query: URLSearchParams): string {
  const valueOf = (name: string) => query.get(name)?.trim().toLowerCase() ?? '';
  const size = Math.trunc(Number(valueOf('size') || DEFAULT_SIZE)) || MIN_SIZE;
  const color = (name: string) => /^#?([\da-f]{6}|[\da-f]{3})$/.exec(valueOf(name))?.[1];
  const level = valueOf('errorCorrection');
  // Shlink measures the margin in px; here, a quiet zone is at least four modules wide.
  const parameters = {
    size: String(Math.min(Math.max(size, MIN_SIZE), MAX_SIZE)),
    format: valueOf('format') === 'svg' ? 'svg' : 'png',
    level: /^[hqm]$/.test(level) ? level.toUpperCase() : 'L',
    fgColor: color('color'),
    bgColor: color('bgColor'),
  };
  const chosen = Object.entries(parameters).map(([name, value]) =>
    value === undefined ? '' : `&${name}=${value}`,
  );
  return qrCodeOf(shortLink) + chosen.join('');
}
