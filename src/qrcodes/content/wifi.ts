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
}

/** Display names of the encryptions. */
const SECURITY = {
  WPA: 'WPA, WPA2 or WPA3',
  WPA2: 'WPA2',
  WPA3: 'WPA3',
  WEP: 'WEP',
  nopass: 'None',
};

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

/**
 * Escapes a value by ZXing's grammar: a backslash before each special character. The grammar's
 * quotes around values that look hexadecimal are left out: phones take them for part of the name,
 * and none reads hexadecimal.
 */
const escape = (value: string): string =>
  value.replaceAll(/[\\;,":]/g, (character) => `\\${character}`);

function encode({ ssid, password, encryption, hidden }: Wifi): string {
  // WPA also stands for its successors, since readers know no other name.
  const parts = [`T:${encryption.replace(/\d$/, '')}`, `S:${escape(ssid)}`];
  if (password !== undefined) parts.push(`P:${escape(password)}`);
  if (hidden === true) parts.push('H:true');
  return `WIFI:${parts.join(';')};;`;
}

/** A wireless network to join. Source: "Barcode Contents" of the ZXing wiki. */
export const wifi: ContentType<Wifi> = {
  name: 'wifi',
  description:
    'A wireless network: `{ssid, password?, encryption: WPA | WPA2 | WPA3 | WEP | nopass, hidden?}`. The default ' +
    'encryption is WPA with a password, and nopass without one.',
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
    password: line(64).empty('').description('Password; required unless the network is open.'),
    encryption: Joi.string()
      .valid(...Object.keys(SECURITY))
      .insensitive()
      .empty('')
      .description('Encryption. Default: WPA with a password, nopass without.'),
    hidden: Joi.boolean()
      .strict()
      .description('The network does not announce its name. Default false.'),
  })
    .meta({ name: 'WifiContent' })
    .custom((content: Omit<Wifi, 'encryption'> & Partial<Wifi>, { error }) => {
      const { password } = content;
      const encryption = content.encryption ?? (password === undefined ? 'nopass' : 'WPA');
      if (password === undefined) {
        return encryption === 'nopass'
          ? { ...content, encryption }
          : error('rule', { rule: `must have a password: its encryption is ${encryption}` });
      }
      const fault = passwordFault(password, encryption);
      return fault === undefined ? { ...content, encryption } : error('rule', { rule: fault });
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
        subtitle:
          password === undefined
            ? 'Join this open Wi-Fi network.'
            : 'Join this Wi-Fi network with the password below.',
        actions: [],
        rows: [
          { label: 'Network', value: ssid },
          ...(password === undefined
            ? []
            : [{ label: 'Password', value: password, copy: true as const }]),
          { label: 'Security', value: SECURITY[encryption] },
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
