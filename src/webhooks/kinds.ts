/** Definition of a kind of webhook event. */
interface KindDefinition {
  /** Sentence in the API reference. */
  summary: string;
  /** Sent to webhooks with the scope `links` only if the link or QR code names them. */
  isVisit?: true;
  /** Not about a link or QR code, so that every scope includes it. */
  isOfWorkspace?: true;
  /** Its data describes a visitor or customer, and is deleted with them. */
  isPersonal?: true;
  /** Describes an event of the kind to people, without a full stop. */
  sentence(parts: SentenceParts): string;
  /** Data of a test delivery, with fewer fields than a real one. */
  sample: object;
}

/** The parts of an event that sentences name. */
export interface SentenceParts {
  /** Name of the link or QR code. */
  name: string;
  /** Place and device, with a space in front; empty if unknown. */
  visitor: string;
  customer: string;
  /** Name of a lead or webhook, in quotation marks. */
  named: string;
  /** Amount of a sale or refund. */
  amount: string;
  /** The limit, and how much of it is used. */
  limit: string;
}

const through = ({ name }: SentenceParts): string => (name === '' ? '' : ` through ${name}`);

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
  variant: null,
};
const CONVERSION = {
  eventName: 'Sign up',
  customer: { id: 'cus_example', externalId: 'user-1', name: 'Ada Example', email: null },
  click: CLICK,
  link: LINK,
  metadata: null,
};
const SALE = { amount: 1_999, currency: 'usd', paymentProcessor: 'stripe', invoiceId: 'inv-1' };
const WEBHOOK = {
  id: 'wh_example',
  name: 'Orders',
  url: 'https://example.com/hooks',
  enabled: false,
  disabledReason: 'The receiver answered 410 Gone',
};

/**
 * All kinds: subscriptions, recipients, erasure, test deliveries and the reference derive from this
 * table.
 */
const KINDS = {
  'link.created': {
    summary: 'A link was created',
    sentence: ({ name }) => `Link ${name} was created`,
    sample: LINK,
  },
  'link.updated': {
    summary: 'A link was updated',
    sentence: ({ name }) => `Link ${name} was changed`,
    sample: LINK,
  },
  'link.deleted': {
    summary: 'A link was deleted',
    sentence: ({ name }) => `Link ${name} was deleted`,
    sample: LINK,
  },
  'link.broken': {
    summary: 'The destination of a link stopped responding',
    sentence: ({ name }) => `The destination of ${name} stopped responding`,
    sample: LINK,
  },
  'link.recovered': {
    summary: 'The destination of a broken link responds again',
    sentence: ({ name }) => `The destination of ${name} responds again`,
    sample: LINK,
  },
  'link.expired': {
    summary: 'A link has expired',
    sentence: ({ name }) => `Link ${name} has expired`,
    sample: LINK,
  },
  'link.clicked': {
    summary: 'A link was clicked',
    sentence: ({ name, visitor }) => `Click on ${name}${visitor}`,
    isVisit: true,
    isPersonal: true,
    sample: { click: CLICK, link: LINK },
  },
  'qrcode.created': {
    summary: 'A QR code was created',
    sentence: ({ name }) => `QR code ${name} was created`,
    sample: QR_CODE,
  },
  'qrcode.updated': {
    summary: 'A QR code was updated',
    sentence: ({ name }) => `QR code ${name} was changed`,
    sample: QR_CODE,
  },
  'qrcode.deleted': {
    summary: 'A QR code was deleted',
    sentence: ({ name }) => `QR code ${name} was deleted`,
    sample: QR_CODE,
  },
  'qrcode.scanned': {
    summary: 'A QR code was scanned',
    sentence: ({ name, visitor }) => `Scan of ${name}${visitor}`,
    isVisit: true,
    isPersonal: true,
    sample: { click: CLICK, qrcode: QR_CODE },
  },
  'lead.created': {
    summary: 'A lead was recorded',
    sentence: (parts) => `Lead ${parts.named} of ${parts.customer}${through(parts)}`,
    isPersonal: true,
    sample: CONVERSION,
  },
  'sale.created': {
    summary: 'A sale was recorded',
    sentence: (parts) => `Sale of ${parts.amount} to ${parts.customer}${through(parts)}`,
    isPersonal: true,
    sample: { ...CONVERSION, sale: SALE },
  },
  'sale.refunded': {
    summary: 'A sale was refunded, in full or in part',
    sentence: (parts) => `Refund of ${parts.amount} to ${parts.customer}${through(parts)}`,
    isPersonal: true,
    sample: { ...CONVERSION, eventName: 'Refund', refund: { ...SALE, refundId: 're-1' } },
  },
  'webhook.disabled': {
    summary: 'Another webhook was disabled, because its receiver fails',
    sentence: ({ named }) => `Webhook ${named} was disabled`,
    isOfWorkspace: true,
    sample: WEBHOOK,
  },
  'limit.reached': {
    summary: 'The workspace uses 80% or all of a limit of its plan',
    sentence: ({ limit }) => `${limit} is used`,
    isOfWorkspace: true,
    sample: { limit: 'requestsPerMinute', percent: 80, most: 600 },
  },
} satisfies Record<string, KindDefinition>;

export type WebhookKind = keyof typeof KINDS;

/** All kinds, in the order of the reference. */
export const WEBHOOK_KINDS = Object.keys(KINDS) as readonly WebhookKind[];

const definitionOf = (kind: WebhookKind): KindDefinition => KINDS[kind];

/** The sentence about a kind in the reference. */
export const summaryOf = (kind: WebhookKind): string => KINDS[kind].summary;

/** Describes an event to people, without a full stop. */
export const sentenceOf = (kind: WebhookKind, parts: SentenceParts): string =>
  KINDS[kind].sentence(parts);

/** True for visits, which are sent to named webhooks only, unless their scope is another. */
export const isVisitKind = (kind: WebhookKind): boolean => definitionOf(kind).isVisit === true;

/** True for events of the workspace, which every scope includes. */
export const isWorkspaceKind = (kind: WebhookKind): boolean =>
  definitionOf(kind).isOfWorkspace === true;

/** Kinds whose data describes a visitor or customer. */
export const PERSONAL_KINDS: readonly WebhookKind[] = WEBHOOK_KINDS.filter(
  (kind) => definitionOf(kind).isPersonal,
);

/** The data of a test delivery, with `test: true`. */
export const sampleOf = (kind: WebhookKind): object => ({
  test: true,
  ...definitionOf(kind).sample,
});
