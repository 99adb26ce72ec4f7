import { VISIT_KINDS, type WebhookKind } from './kinds.ts';

const LINK = {
  id: 'link_example',
  domain: 'example.com',
  key: 'hello',
  shortLink: 'https://example.com/hello',
  url: 'https://example.com/landing',
};
const QR_CODE = { ...LINK, id: 'qr_example', type: 'url' };
const CLICK = {
  id: 'clk_example',
  url: 'https://example.com/landing',
  continent: 'EU',
  country: 'DE',
  region: 'Berlin',
  city: 'Berlin',
  device: 'Mobile',
  browser: 'Safari',
  os: 'iOS',
  referer: '(direct)',
  refererUrl: '(direct)',
  type: 'link',
  ip: '192.0.2.0',
};
const CONVERSION = {
  eventName: 'Sign up',
  customer: { id: 'cus_example', externalId: 'user-1', name: 'Ada Example', email: null },
  click: CLICK,
  link: LINK,
  metadata: null,
};
const SALE = { amount: 1_999, currency: 'usd', paymentProcessor: 'stripe', invoiceId: 'inv-1' };

/** An example of what a webhook is told, with fewer fields than the real thing, and `test: true`. */
export function sampleOf(kind: WebhookKind): object {
  return { test: true, ...contentOf(kind) };
}

function contentOf(kind: WebhookKind): object {
  if (kind === 'sale.created') return { ...CONVERSION, sale: SALE };
  if (kind === 'lead.created') return CONVERSION;
  const isCode = kind.startsWith('qrcode.');
  if (!VISIT_KINDS.has(kind)) return isCode ? QR_CODE : LINK;
  return { click: CLICK, ...(isCode ? { qrcode: QR_CODE } : { link: LINK }) };
}
