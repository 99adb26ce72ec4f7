import {
  Banknote,
  Barcode,
  Bitcoin,
  CalendarDays,
  Contact,
  FileText,
  Globe,
  IndianRupee,
  Link,
  type LucideIcon,
  Mail,
  MapPin,
  MessageCircle,
  MessageSquare,
  Phone,
  QrCode,
  ReceiptText,
  Share2,
  Smartphone,
  Type,
  Video,
  Wifi,
  Zap,
} from 'lucide-react';
import { NETWORK_CHOICES } from '../../qrcodes/content/network-choices.ts';
import { fieldsInWords, inWords } from '../api/error-words.ts';
import { labelOf } from '../api/field-labels.ts';
import type { ControlRow } from '../ui/table-field.tsx';
import type { ContentName } from './content.ts';

/** A field in the form of a content type; the code cannot be drawn without a required one. */
export interface ContentField extends ControlRow {
  /** Name in the content; empty when the content is a single text. */
  name: string;
  /** True for a field of half the width: two in succession share a row. */
  isHalf?: true;
  /** True for a file of this device, or its URL. */
  isFile?: true;
  /** False hides the field: it has no meaning beside the other values. */
  isShown?(draft: { [name: string]: unknown }): boolean;
}

/** Label of a content type and the fields of its form. */
export interface ContentForm {
  label: string;
  /** Effect of a scan. */
  purpose: string;
  icon: LucideIcon;
  fields: readonly ContentField[];
  /** Lists under the fields. */
  lists?: readonly ContentList[];
}

/** A list of entries with the same fields. */
export interface ContentList {
  /** Name in the content. */
  name: string;
  title: string;
  /** Noun of an entry, in lower case. */
  one: string;
  most: number;
  fields: readonly ContentField[];
}

const NUMBER = {
  name: 'number',
  label: 'Number',
  input: 'tel',
  placeholder: '+1 201 555 0123',
  isRequired: true,
} as const;

/** Shown for a network with EAP. */
const isEap = (draft: { [name: string]: unknown }) => draft['encryption'] === 'WPA2-EAP';
const EAP_FIELDS: readonly ContentField[] = [
  {
    name: 'eapMethod',
    label: 'EAP method',
    input: 'select',
    options: [
      ['', 'Choose…'],
      ['PEAP', 'PEAP'],
      ['TTLS', 'TTLS'],
      ['TLS', 'TLS'],
      ['PWD', 'PWD'],
    ],
    isRequired: true,
    isHalf: true,
    isShown: isEap,
  },
  {
    name: 'phase2',
    label: 'Phase 2',
    input: 'select',
    options: [
      ['', 'None'],
      ['MSCHAPV2', 'MSCHAPv2'],
      ['MSCHAP', 'MSCHAP'],
      ['PAP', 'PAP'],
      ['GTC', 'GTC'],
    ],
    isHalf: true,
    isShown: isEap,
  },
  { name: 'identity', label: 'User name', isHalf: true, isShown: isEap },
  { name: 'anonymousIdentity', label: 'Anonymous identity', isHalf: true, isShown: isEap },
];

/** Shown for one of the currencies. */
const isOf =
  (...currencies: string[]) =>
  ({ currency }: { [name: string]: unknown }) =>
    currencies.includes(String(currency));
/** Shown for currencies whose payments have texts. */
const hasText = (draft: { [name: string]: unknown }) => !isOf('ethereum', 'tron')(draft);

/** Name and address of the recipient or the payer of a bill. */
const partyFields = (party: string, whose: string, isRequired: boolean): ContentField[] => {
  const required = isRequired ? ({ isRequired: true } as const) : {};
  return [
    { name: `${party}.name`, label: `${whose} name`, ...required },
    { name: `${party}.street`, label: `${whose} street`, isHalf: true },
    { name: `${party}.houseNumber`, label: `${whose} house number`, isHalf: true },
    { name: `${party}.postalCode`, label: `${whose} postal code`, isHalf: true, ...required },
    { name: `${party}.city`, label: `${whose} city`, isHalf: true, ...required },
    { name: `${party}.country`, label: `${whose} country`, placeholder: 'CH', ...required },
  ];
};

/** Start and end of an event, as days or as times. */
const eventTimes = (
  input: 'local' | 'date',
  isShown: NonNullable<ContentField['isShown']>,
): readonly ContentField[] => [
  { name: 'start', label: 'Starts', input, isRequired: true, isHalf: true, isShown },
  { name: 'end', label: 'Ends', input, isHalf: true, isShown },
];
const MESSAGE = { name: 'message', label: 'Message', input: 'area' } as const;

/** Head of a page of links. */
const PAGE_FIELDS: readonly ContentField[] = [
  { name: 'title', label: 'Heading', placeholder: 'Northwind', isRequired: true },
  { name: 'text', label: 'Text', input: 'area' },
];

/** Profiles in social networks. */
const PROFILES: ContentList = {
  name: 'profiles',
  title: 'Profiles',
  one: 'profile',
  most: 30,
  fields: [
    {
      name: 'network',
      label: 'Network',
      input: 'select',
      options: [['', 'Choose…'], ...NETWORK_CHOICES],
      isRequired: true,
    },
    { name: 'handle', label: 'Name', placeholder: '@northwind', isHalf: true },
    { name: 'url', label: 'Or URL', input: 'website', isHalf: true },
  ],
};

/** Forms of all content types; `vcard-form.tsx` adds the lists of contacts. */
export const CONTENT_FORMS: Record<ContentName, ContentForm> = {
  url: {
    label: 'Website',
    purpose: 'Opens a website',
    icon: Globe,
    fields: [
      {
        name: '',
        label: 'URL',
        input: 'website',
        placeholder: 'https://example.com/menu',
        isRequired: true,
      },
    ],
  },
  text: {
    label: 'Text',
    purpose: 'Shows a text',
    icon: Type,
    fields: [{ name: '', label: 'Text', input: 'area', isRequired: true }],
  },
  wifi: {
    label: 'Wi-Fi',
    purpose: 'Joins a network',
    icon: Wifi,
    fields: [
      { name: 'ssid', label: 'Network name', placeholder: 'Guests', isRequired: true },
      { name: 'password', label: 'Password', input: 'secret' },
      {
        name: 'encryption',
        label: 'Encryption',
        input: 'select',
        options: [
          ['', 'Automatic'],
          ['WPA', 'WPA, WPA2 or WPA3'],
          ['WPA2', 'WPA2'],
          ['WPA3', 'WPA3'],
          ['WEP', 'WEP'],
          ['WPA2-EAP', 'WPA2 or WPA3 Enterprise'],
          ['OWE', 'Enhanced Open'],
          ['nopass', 'None'],
        ],
        hint: 'Automatic: WPA if there is a password, otherwise none.',
      },
      {
        name: 'hidden',
        label: 'Hidden network',
        input: 'switch',
        hint: 'Its name isn’t broadcast.',
      },
      ...EAP_FIELDS,
    ],
  },
  vcard: {
    label: 'Contact',
    purpose: 'Saves a contact',
    icon: Contact,
    fields: [
      { name: 'firstName', label: 'First name', isHalf: true },
      { name: 'lastName', label: 'Last name', isHalf: true },
      { name: 'prefix', label: 'Prefix', placeholder: 'Dr.', isHalf: true },
      { name: 'suffix', label: 'Suffix', placeholder: 'Jr.', isHalf: true },
      { name: 'organization', label: 'Organization', isHalf: true },
      { name: 'department', label: 'Department', isHalf: true },
      { name: 'title', label: 'Position' },
    ],
    lists: [PROFILES],
  },
  email: {
    label: 'Email',
    purpose: 'Writes an email',
    icon: Mail,
    fields: [
      {
        name: 'email',
        label: 'Recipient',
        placeholder: 'ada@example.com',
        hint: 'Separate email addresses with commas.',
        isRequired: true,
      },
      { name: 'cc', label: 'Cc', isHalf: true },
      { name: 'bcc', label: 'Bcc', isHalf: true },
      { name: 'subject', label: 'Subject' },
      { name: 'body', label: 'Message', input: 'area' },
    ],
  },
  phone: {
    label: 'Phone',
    purpose: 'Calls a number',
    icon: Phone,
    fields: [
      {
        ...NUMBER,
        name: '',
        hint: 'Extensions (ext. 89) and service codes (*100#) work too.',
      },
    ],
  },
  sms: {
    label: 'SMS',
    purpose: 'Writes a text message',
    icon: MessageSquare,
    fields: [NUMBER, MESSAGE],
  },
  whatsapp: {
    label: 'WhatsApp',
    purpose: 'Opens a chat',
    icon: MessageCircle,
    fields: [{ ...NUMBER, hint: 'With the country code, such as +1 201 555 0123.' }, MESSAGE],
  },
  facetime: {
    label: 'FaceTime',
    purpose: 'Starts a FaceTime call',
    icon: Video,
    fields: [
      {
        name: 'target',
        label: 'Number or email address',
        placeholder: '+1 201 555 0123',
        isRequired: true,
      },
      { name: 'audio', label: 'Audio only', input: 'switch' },
    ],
  },
  event: {
    label: 'Event',
    purpose: 'Adds an event to a calendar',
    icon: CalendarDays,
    fields: [
      { name: 'title', label: 'Title', isRequired: true },
      { name: 'allDay', label: 'All day', input: 'switch' },
      ...eventTimes('local', ({ allDay }) => allDay !== true),
      ...eventTimes('date', ({ allDay }) => allDay === true),
      {
        name: 'timezone',
        label: 'Time zone',
        placeholder: 'Europe/Berlin',
        isShown: ({ allDay }) => allDay !== true,
      },
      { name: 'location', label: 'Place' },
      { name: 'description', label: 'Description', input: 'area' },
      { name: 'url', label: 'URL', input: 'website' },
    ],
  },
  epc: {
    label: 'SEPA transfer',
    purpose: 'Fills in a bank transfer in euros (GiroCode)',
    icon: Banknote,
    fields: [
      { name: 'name', label: 'Recipient’s name', isRequired: true },
      { name: 'iban', label: 'IBAN', placeholder: 'DE89 3704 0044 0532 0130 00', isRequired: true },
      { name: 'bic', label: 'BIC', hint: 'Needed outside of the EEA.', isHalf: true },
      { name: 'amount', label: 'Amount in euros', input: 'decimal', isHalf: true },
      { name: 'text', label: 'Message', hint: 'A message or a reference, not both.' },
      { name: 'reference', label: 'Reference', placeholder: 'RF18 5390 0754 7034', isHalf: true },
      { name: 'purpose', label: 'Purpose code', placeholder: 'CHAR', isHalf: true },
      { name: 'information', label: 'Note for the payer' },
    ],
  },
  upi: {
    label: 'UPI',
    purpose: 'Pays in India',
    icon: IndianRupee,
    fields: [
      { name: 'address', label: 'UPI ID', placeholder: 'ada@okaxis', isRequired: true },
      { name: 'name', label: 'Recipient’s name', isRequired: true },
      { name: 'amount', label: 'Amount in rupees', input: 'decimal', isHalf: true },
      { name: 'reference', label: 'Transaction ID', isHalf: true },
      { name: 'note', label: 'Note' },
      { name: 'category', label: 'Merchant category code', placeholder: '5812' },
    ],
  },
  lightning: {
    label: 'Lightning',
    purpose: 'Requests a payment by Lightning',
    icon: Zap,
    fields: [
      {
        name: '',
        label: 'Invoice or LNURL',
        input: 'area',
        hint: 'Invoices expire, often within an hour.',
        isRequired: true,
      },
    ],
  },
  swissqr: {
    label: 'Swiss QR bill',
    purpose: 'Fills in a bank transfer in Switzerland',
    icon: ReceiptText,
    fields: [
      { name: 'iban', label: 'IBAN', placeholder: 'CH93 0076 2011 6238 5295 7', isRequired: true },
      ...partyFields('creditor', 'Recipient’s', true),
      { name: 'amount', label: 'Amount', input: 'decimal', isHalf: true },
      {
        name: 'currency',
        label: 'Currency',
        input: 'select',
        options: [
          ['', 'CHF'],
          ['EUR', 'EUR'],
        ],
        isHalf: true,
      },
      {
        name: 'reference',
        label: 'Reference',
        hint: '27 digits with a QR-IBAN, otherwise one that begins with RF.',
      },
      { name: 'message', label: 'Message' },
      ...partyFields('debtor', 'Payer’s', false),
    ],
  },
  app: {
    label: 'App',
    purpose: 'Opens the store of the device',
    icon: Smartphone,
    fields: [
      { name: 'name', label: 'Name of the app' },
      {
        name: 'ios',
        label: 'App Store',
        input: 'website',
        placeholder: 'https://apps.apple.com/app/id310633997',
      },
      {
        name: 'android',
        label: 'Google Play',
        input: 'website',
        placeholder: 'https://play.google.com/store/apps/details?id=com.example',
      },
      { name: 'url', label: 'URL for other devices', input: 'website' },
    ],
  },
  links: {
    label: 'Links',
    purpose: 'Shows a page with links',
    icon: Link,
    fields: PAGE_FIELDS,
    lists: [
      {
        name: 'links',
        title: 'Links',
        one: 'link',
        most: 50,
        fields: [
          { name: 'title', label: 'Title', placeholder: 'Menu', isRequired: true },
          { name: 'url', label: 'URL', input: 'website', isRequired: true },
        ],
      },
    ],
  },
  social: {
    label: 'Social media',
    purpose: 'Shows a page with profiles in social networks',
    icon: Share2,
    fields: PAGE_FIELDS,
    lists: [PROFILES],
  },
  file: {
    label: 'File',
    purpose: 'Opens a PDF or an image',
    icon: FileText,
    fields: [
      {
        name: 'source',
        label: 'File',
        isFile: true,
        placeholder: 'https://example.com/menu.pdf',
        hint: 'PDF, PNG, JPEG, WebP or GIF: up to 500 KB from this device, 5 MB from a URL.',
        isRequired: true,
      },
      { name: 'name', label: 'Name', placeholder: 'Menu' },
      { name: 'isDownload', label: 'Save instead of show', input: 'switch' },
    ],
  },
  gs1: {
    label: 'GS1 Digital Link',
    purpose: 'Names a product for shops, and opens its page',
    icon: Barcode,
    fields: [
      {
        name: 'data',
        label: 'GS1 data',
        placeholder: '(01)09520123456788(10)ABC(17)290331',
        hint: 'Application identifiers in brackets. They are printed and can’t be changed.',
        isRequired: true,
      },
      { name: 'url', label: 'URL', input: 'website', placeholder: 'https://example.com/rice' },
      { name: 'title', label: 'Title of the page', isHalf: true },
      { name: 'linkType', label: 'Link type', placeholder: 'gs1:pip', isHalf: true },
      {
        name: 'stem',
        label: 'Beginning of a static code',
        input: 'website',
        placeholder: 'https://id.gs1.org',
      },
    ],
    lists: [
      {
        name: 'links',
        title: 'Further links',
        one: 'link',
        most: 50,
        fields: [
          { name: 'url', label: 'URL', input: 'website', isRequired: true },
          {
            name: 'linkType',
            label: 'Link type',
            placeholder: 'gs1:instructions',
            isRequired: true,
            isHalf: true,
          },
          { name: 'title', label: 'Title', isHalf: true },
          { name: 'language', label: 'Language', placeholder: 'de', isHalf: true },
          { name: 'mediaType', label: 'Media type', placeholder: 'text/html', isHalf: true },
        ],
      },
    ],
  },
  latlog: {
    label: 'Location',
    purpose: 'Shows a place on a map',
    icon: MapPin,
    fields: [
      {
        name: 'latitude',
        label: 'Latitude',
        input: 'decimal',
        placeholder: '52.52',
        hint: 'Or paste both, such as 52.52, 13.405.',
        isRequired: true,
        isHalf: true,
      },
      {
        name: 'longitude',
        label: 'Longitude',
        input: 'decimal',
        placeholder: '13.405',
        isRequired: true,
        isHalf: true,
      },
      { name: 'query', label: 'Place name' },
    ],
  },
  crypto: {
    label: 'Crypto',
    purpose: 'Requests a cryptocurrency payment',
    icon: Bitcoin,
    fields: [
      {
        name: 'currency',
        label: 'Currency',
        input: 'select',
        options: [
          ['bitcoin', 'Bitcoin'],
          ['ethereum', 'Ethereum'],
          ['litecoin', 'Litecoin'],
          ['bitcoincash', 'Bitcoin Cash'],
          ['dogecoin', 'Dogecoin'],
          ['dash', 'Dash'],
          ['monero', 'Monero'],
          ['solana', 'Solana'],
          ['tron', 'Tron'],
        ],
      },
      {
        name: 'address',
        label: 'Recipient’s address',
        hint: 'We check it for typos.',
        isRequired: true,
      },
      { name: 'amount', label: 'Amount', input: 'decimal', hint: 'In coins, such as 0.005.' },
      { name: 'label', label: 'Recipient’s name', isShown: hasText },
      { name: 'message', label: 'Message', isShown: hasText },
      { name: 'lightning', label: 'Lightning invoice', isShown: isOf('bitcoin') },
      {
        name: 'token',
        label: 'Token',
        hint: 'Its contract, or its mint in Solana; empty for the coin itself.',
        isShown: isOf('ethereum', 'solana'),
      },
      {
        name: 'tokenDecimals',
        label: 'Decimals of the token',
        placeholder: '6',
        isHalf: true,
        isShown: (draft) => isOf('ethereum')(draft) && Boolean(draft['token']),
      },
      {
        name: 'chainId',
        label: 'Chain ID',
        placeholder: '8453',
        isHalf: true,
        isShown: isOf('ethereum'),
      },
    ],
  },
  pix: {
    label: 'Pix',
    purpose: 'Pays in Brazil',
    icon: QrCode,
    fields: [
      {
        name: 'key',
        label: 'Pix key',
        hint: 'CPF, CNPJ, phone number with +55, email address or random key.',
        isRequired: true,
      },
      { name: 'name', label: 'Recipient’s name', isRequired: true, isHalf: true },
      { name: 'city', label: 'City', isRequired: true, isHalf: true },
      { name: 'amount', label: 'Amount in reais', input: 'decimal', isHalf: true },
      { name: 'txid', label: 'Transaction ID', isHalf: true },
      { name: 'description', label: 'Description' },
    ],
  },
};

/** Form of a Pix payment that was pasted as a complete BR Code. */
export const BR_CODE_FIELD: ContentField = {
  name: '',
  label: 'BR Code',
  input: 'area',
  hint: '“Pix copia e cola”, from 000201 to its CRC.',
  isRequired: true,
};

/** Translates a violated content rule into an error with the form's labels. */
export function faultInWords(type: ContentName, fault: string): string {
  // This rule is about the whole contact and names its fields.
  if (type === 'vcard' && fault.startsWith('vcard must have')) {
    return 'Enter a first name, a last name or an organization.';
  }
  const [[path, words] = ['', 'Fill in the content.']] = Object.entries(fieldsInWords(fault));
  const name = path === type ? '' : path.slice(type.length + 1);
  const form = CONTENT_FORMS[type];
  const [, list, part] = /^(\w+)\[\d+\]\.(\w+)$/.exec(name) ?? [];
  const field =
    list === undefined
      ? form.fields.find((one) => one.name === name)
      : form.lists?.find((one) => one.name === list)?.fields.find((one) => one.name === part);
  return inWords(words, field?.label ?? labelOf(path));
}

/** Returns the empty content of a type. */
export const emptyDraft = (type: ContentName) => {
  if (type === 'crypto') return { currency: 'bitcoin' };
  if (type === 'event') {
    return { timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  }
  if (type === 'vcard') {
    return { phones: [{ type: 'mobile', value: '' }], emails: [{ type: 'work', value: '' }] };
  }
  if (type === 'links' || type === 'social') {
    return { [CONTENT_FORMS[type].lists![0]!.name]: [{}] };
  }
  return CONTENT_FORMS[type].fields[0]?.name === '' ? '' : {};
};
