import { Joi } from '../../http/fields.ts';
import { byteLength } from '../../infra/byte-length.ts';
import { encodeMatrix, plainPath } from '../render/matrix.ts';
import type { ContentType } from './content-type.ts';
import { line } from './fields.ts';

/** A wireless network. */
export interface Wifi {
  ssid: string;
  password?: string;
  encryption: keyof typeof SECURITY;
  hidden?: boolean;
  eapMethod?: string;
  phase2?: string;
  identity?: string;
  anonymousIdentity?: string;
}

/** Hides the password of a network. @param content the content of a code; null for another type */
export function withoutPassword(content: unknown): unknown {
  const wifi = content as Partial<Wifi> | null;
  return wifi?.password === undefined ? wifi : { ...wifi, password: null, hasPassword: true };
}

/** Display names of the encryptions. */
const SECURITY = {
  WPA: 'WPA, WPA2 or WPA3',
  WPA2: 'WPA2',
  WPA3: 'WPA3',
  WEP: 'WEP',
  'WPA2-EAP': 'WPA2 or WPA3 Enterprise',
  OWE: 'Enhanced Open',
  nopass: 'None',
};

/** Methods of EAP, and of the second phase within the tunnel of PEAP and TTLS. */
const EAP_METHODS = ['PEAP', 'TTLS', 'TLS', 'PWD'];
const PHASES = ['MSCHAPV2', 'MSCHAP', 'PAP', 'GTC'];
/** Fields of EAP with their keys in the code, in its order. */
const EAP_FIELDS = {
  eapMethod: 'E',
  phase2: 'PH2',
  anonymousIdentity: 'A',
  identity: 'I',
} as const;
/** Labels on the page. */
const EAP_LABELS = {
  eapMethod: 'EAP method',
  phase2: 'Phase 2',
  anonymousIdentity: 'Anonymous identity',
  identity: 'User name',
} satisfies Record<keyof typeof EAP_FIELDS, string>;
const EAP_NAMES = Object.keys(EAP_FIELDS) as (keyof typeof EAP_FIELDS)[];

/** Lengths of WEP keys of 40, 104, 128 and 232 bits, in characters or hexadecimal digits. */
const WEP_CHARACTERS = [5, 13, 16, 29];
const WEP_DIGITS = [10, 26, 32, 58];
const HEX = /^[0-9A-Fa-f]+$/;

/**
 * The rule that the password breaks (IEEE 802.11, annex J.4 for WPA), as the end of the sentence
 * "wifi …".
 */
function passwordFault(password: string, encryption: Wifi['encryption']): string | undefined {
  if (encryption === 'nopass') return 'must not have a password: the network has no encryption';
  if (encryption === 'OWE') return 'must not have a password: a network with OWE has none';
  if (encryption === 'WPA2-EAP') return undefined;
  if (encryption === 'WEP') {
    const isKey =
      WEP_CHARACTERS.includes(password.length) ||
      (HEX.test(password) && WEP_DIGITS.includes(password.length));
    return isKey
      ? undefined
      : 'must have a password of 5, 13, 16 or 29 characters, or 10, 26, 32 or 58 hexadecimal digits (WEP)';
  }
  const bytes = byteLength(password);
  const isPassphrase = bytes >= 8 && bytes <= 63;
  return isPassphrase || (HEX.test(password) && password.length === 64)
    ? undefined
    : 'must have a password of 8 to 63 characters, or 64 hexadecimal digits (WPA)';
}

/** The rule of EAP that a network breaks, as the end of the sentence "wifi …". */
function eapFault(network: Wifi): string | undefined {
  const { encryption, eapMethod, phase2, password } = network;
  if (encryption !== 'WPA2-EAP') {
    const surplus = EAP_NAMES.find((name) => network[name] !== undefined);
    return surplus && `must not have ${surplus}: its encryption is ${encryption}`;
  }
  if (eapMethod === undefined) return 'must have an eapMethod: its encryption is WPA2-EAP';
  const hasTunnel = eapMethod === 'PEAP' || eapMethod === 'TTLS';
  if (phase2 !== undefined && !hasTunnel) {
    return `must not have phase2: the method ${eapMethod} has one phase`;
  }
  return eapMethod === 'TLS' && password !== undefined
    ? 'must not have a password: the method TLS uses certificates'
    : undefined;
}

/**
 * Escapes a value by ZXing's grammar: a backslash before each special character. The grammar's
 * quotes around values that look hexadecimal are left out: phones take them for part of the name,
 * and none reads hexadecimal.
 */
const escape = (value: string): string =>
  value.replaceAll(/[\\;,":]/g, (character) => `\\${character}`);

/**
 * Name of an encryption in a code. WPA also stands for its successors, and phones that know OWE try
 * it for networks without a password; readers know no other names.
 */
const typeIn = (encryption: Wifi['encryption']): string =>
  encryption === 'OWE' ? 'nopass' : encryption.replace(/\d$/, '');

function encode(network: Wifi): string {
  const { ssid, password, encryption, hidden } = network;
  const parts = [`T:${typeIn(encryption)}`, `S:${escape(ssid)}`];
  for (const name of EAP_NAMES) {
    const value = network[name];
    if (value !== undefined) parts.push(`${EAP_FIELDS[name]}:${escape(value)}`);
  }
  if (password !== undefined) parts.push(`P:${escape(password)}`);
  if (hidden === true) parts.push('H:true');
  return `WIFI:${parts.join(';')};;`;
}

const missingPassword = (encryption: Wifi['encryption']): string | undefined =>
  ['nopass', 'OWE', 'WPA2-EAP'].includes(encryption)
    ? undefined
    : `must have a password: its encryption is ${encryption}`;

const eapChoice = (values: readonly string[], description: string) =>
  Joi.string()
    .valid(...values)
    .insensitive()
    .empty('')
    .description(description)
    .meta({ extension: true });

const eapName = (description: string) =>
  line(128).empty('').description(description).meta({ extension: true });

/** Sentence of the page, by what is needed to join. */
function subtitleOf({ password, encryption }: Wifi): string {
  if (password !== undefined) return 'Join this Wi-Fi network with the password below.';
  return encryption === 'WPA2-EAP'
    ? 'Join this Wi-Fi network with your user name and password.'
    : 'Join this open Wi-Fi network.';
}

/** A wireless network to join. Source: "Barcode Contents" of the ZXing wiki. */
export const wifi: ContentType<Wifi> = {
  name: 'wifi',
  description:
    'A wireless network: `{ssid, password?, encryption: WPA | WPA2 | WPA3 | WEP | WPA2-EAP | OWE | nopass, hidden?}`, ' +
    'with WPA2-EAP also `{eapMethod, phase2?, identity?, anonymousIdentity?}`. The default encryption is WPA with a ' +
    'password, and nopass without one.',
  schema: Joi.object({
    ssid: line(32)
      .required()
      .description('Name of the network, at most 32 bytes.')
      .example('Guests')
      .custom((value: string, { error }) =>
        byteLength(value) > 32
          ? error('rule', { rule: 'must not be longer than 32 bytes' })
          : value,
      ),
    password: line(128)
      .empty('')
      .description('Password; required unless the network is open or has EAP.'),
    encryption: Joi.string()
      .valid(...Object.keys(SECURITY))
      .insensitive()
      .empty('')
      .description('Encryption. Default: WPA with a password, nopass without.'),
    hidden: Joi.boolean()
      .strict()
      .description('The network does not announce its name. Default false.'),
    eapMethod: eapChoice(EAP_METHODS, 'Method of EAP; required with WPA2-EAP.'),
    phase2: eapChoice(PHASES, 'Second phase of PEAP and TTLS.'),
    identity: eapName('User name for EAP.'),
    anonymousIdentity: eapName('User name outside of the tunnel of EAP.'),
  })
    .meta({ name: 'WifiContent' })
    .custom((content: Omit<Wifi, 'encryption'> & Partial<Wifi>, { error }) => {
      const { password } = content;
      const encryption = content.encryption ?? (password === undefined ? 'nopass' : 'WPA');
      const network = { ...content, encryption };
      const fault =
        password === undefined ? missingPassword(encryption) : passwordFault(password, encryption);
      const rule = fault ?? eapFault(network);
      return rule === undefined ? network : error('rule', { rule });
    }),
  encode,
  onVisit: (content) => {
    const { ssid, password, encryption } = content;
    const code = encodeMatrix(encode(content), 'M');
    return {
      page: {
        type: 'wifi',
        title: ssid,
        isOwnTitle: true,
        subtitle: subtitleOf(content),
        actions: [],
        rows: [
          { label: 'Network', value: ssid },
          ...(password === undefined
            ? []
            : [{ label: 'Password', value: password, copy: true as const }]),
          { label: 'Security', value: SECURITY[encryption] },
          ...EAP_NAMES.flatMap((name) => {
            const value = content[name];
            return value === undefined ? [] : [{ label: EAP_LABELS[name], value }];
          }),
        ],
        code: {
          label: 'Scan with another phone to join',
          size: code.size,
          path: plainPath(code),
        },
      },
    };
  },
};
