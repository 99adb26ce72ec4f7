import { sentence } from '../ui/sentence.ts';
import { labelOf, lastName } from './field-labels.ts';

/*
 * The API writes its messages for programs: they name fields by their paths and list every accepted
 * value. This file translates them into the words of the forms.
 */

/** Messages for required fields that are empty, by the last segment of the field's path. */
const ENTRIES: Readonly<Record<string, string>> = {
  address: 'Enter an address.',
  browser: 'Enter a browser.',
  city: 'Enter a city.',
  code: 'Enter the code.',
  country: 'Choose a country.',
  currentPassword: 'Enter your current password.',
  device: 'Choose a device.',
  email: 'Enter an email address.',
  folderId: 'Choose a folder.',
  from: 'Enter when it begins.',
  key: 'Enter a key.',
  language: 'Enter a language.',
  latitude: 'Enter a latitude.',
  longitude: 'Enter a longitude.',
  name: 'Enter a name.',
  number: 'Enter a phone number.',
  os: 'Enter an operating system.',
  pageId: 'Choose a page.',
  password: 'Enter a password.',
  phone: 'Enter a phone number.',
  percentage: 'Enter a percentage.',
  query: 'Enter a parameter.',
  ssid: 'Enter a network name.',
  target: 'Enter a number or email address.',
  text: 'Enter text.',
  timezone: 'Enter a time zone, such as Europe/Berlin.',
  title: 'Enter a title.',
  to: 'Enter when it ends.',
  until: 'Enter when it ends.',
  url: 'Enter a URL.',
  value: 'Enter a value.',
};

/**
 * Rules of the API with their wording in a form; `$1` is the first capture group of the pattern.
 */
const RULES: readonly [rule: RegExp, words: string][] = [
  [/^must be a valid URL$/, 'Enter a full URL, such as https://example.com/page.'],
  [/^must be a URL that begins with http/, 'Enter a URL that begins with https:// or http://.'],
  [/^must be the origin of a page/, 'Enter an origin, such as https://shop.example.'],
  [/^must not begin with http.* twice$/, 'The URL begins with https:// twice.'],
  [/^must not be the path of a file$/, 'Enter the address of a web page, not of a file.'],
  [/^must be one URL, not (\d+)$/, 'Enter one URL, not $1.'],
  [/^must not use the scheme (\S+)$/, 'URLs that begin with $1 aren’t allowed.'],
  [/^must be a (?:full domain|host) name/, 'Enter a domain, such as go.example.com.'],
  [/^must not be the root of the domain itself$/, 'The homepage can’t redirect to itself.'],
  [/^must not be the short link itself$/, 'A short link can’t redirect to itself.'],
  [/^must not lead to a host that/, 'Your administrator has blocked this site.'],
  [/^must be in the future$/, 'Choose a time in the future.'],
  [/^must be before expiresAt$/, 'Choose a time before the link expires.'],
  [/^must be an ISO 8601 date/, 'Enter a date and time, such as 2026-12-24 18:00.'],
  [/^must have a from that is before its until$/, 'The end must be after the start.'],
  [/^must be a query without/, 'Enter parameters, such as utm_source=mail.'],
  [/^must be a time of day/, 'Enter a time of day, such as 09:30.'],
  [/^must be a language such as/, 'Enter a language code, such as de or pt-BR.'],
  [/^must be an? (?:IANA|valid) time ?zone/i, 'Enter a time zone, such as Europe/Berlin.'],
  [/^must be a valid email/, 'Enter an email address, such as ada@example.com.'],
  [
    /^must contain only letters, digits, -, _/,
    "Use letters, digits, emoji and the characters - _ . / ~ ! $ & ' ( ) * + , ; = : @ only.",
  ],
  [/^must not start or end with \//, 'It can’t start or end with a slash.'],
  [/^must not contain empty, "\."/, 'Each part between slashes needs a name.'],
  [/^must not end with \+/, 'It can’t end with +.'],
  [/^must have \* only at its end/, '/* is allowed at the end only.'],
  [
    /^must not be "[^"]*"(?:: the name is reserved|, which is a path of the console)$/,
    'This name is reserved. Choose another one.',
  ],
  [/^must be (?:a number|an integer|a safe number)$/, 'Enter a number.'],
  [/^must be at most (\d+) characters? long$/, 'Use at most $1 characters.'],
  [/^must not be longer than (\d+) characters$/, 'Use at most $1 characters.'],
  [/^must be at least (\d+) characters? long$/, 'Use at least $1 characters.'],
  [/^must be at least (-?[\d.]+)$/, 'Enter $1 or more.'],
  [/^must be at most (-?[\d.]+)$/, 'Enter $1 or less.'],
  [/^must contain at most (\d+) items?$/, 'Use at most $1.'],
  [/^must be at least (\d+) px for this content/, 'Use at least $1 px for this content.'],
  [/^must be one of the folders to which the caller/, 'Choose a folder.'],
  [/^must be one of /, 'This isn’t one of the choices.'],
  [/^must be unique$|^must not contain (?:a )?duplicates?/, 'This is here twice.'],
  [/^must not contain (?:line breaks or )?control characters$/, 'Remove the line breaks.'],
  [/^must have percentages that add up to 100/, 'The percentages must add up to 100.'],
  [/^must have a host name that (?:exists|can be resolved)$/, 'The host name can’t be found.'],
  [/^must have a host that responds over HTTP$/, 'The host doesn’t respond.'],
  [/^must have a valid TLS certificate$/, 'The host has no valid TLS certificate.'],
  [/^must not point to a private IP address$/, 'The host has a private address.'],
  [/^must respond with status \S+, not (\d+)$/, 'The response had status $1.'],
  [/^must respond completely within ([\d.]+) s$/, 'The response took longer than $1 s.'],
  [/^must not redirect more than (\d+) times$/, 'There were more than $1 redirects.'],
  [/^must not be larger than (\d+) MiB$/, 'Use a file of at most $1 MiB.'],
  [/^must be a font whose license/, 'Its license does not allow a font to be part of pictures.'],
  [/^must have at most 2 MiB of outlines/, 'The font has too many letters: use a part of it.'],
  [/^must be the present code of/, 'This code isn’t valid, or was used before. Enter another one.'],
  [
    /^must be at most ten minutes old/,
    'This took too long. Reload the page, and scan the code again.',
  ],
  [/^must be your current password$/, 'This isn’t your current password.'],
  [/^must not be set without testVariants$/, 'Set up an A/B test first.'],
  [/^must be in lower case \(utmRules/, 'Use lower case in this workspace.'],
  [/^must separate words by "(.)" only/, 'Separate words by $1 in this workspace.'],
  [/^must be set \(utmRules/, 'This workspace requires it.'],
];

/** Rules that report a missing value. */
const MISSING =
  /^(?:is required|must not be empty|must be a string|must be filled in|must contain at least 1 item|must have at least 1 field)$/;

/** True for a message without field names, headers, paths or ids of the API. */
const isPlain = (text: string): boolean =>
  text.length <= 200 &&
  !/[a-z][A-Z]|[`[\]{}]|\w_\w|\b(?:GET|POST|PUT|PATCH|DELETE) \/|\b[A-Z]\w+-[A-Z]\w+/.test(text);

/** Matches a message of the API about a field: the path, then the rule that the value breaks. */
const ABOUT_FIELD = /^([a-zA-Z_][\w.[\]-]*) ((?:must|may|is|can|cannot|does) .*)$/s;

/**
 * Translates a message of the API into an error for each field that it names. A rule without a
 * translation keeps the field's path, which `inWords` replaces by the label of the form.
 */
export function fieldsInWords(message: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const part of message.split('; ')) {
    const [, path, rule] = ABOUT_FIELD.exec(part) ?? [];
    if (path !== undefined && rule !== undefined) fields[path] ??= ruleInWords(path, rule);
  }
  return fields;
}

function ruleInWords(path: string, rule: string): string {
  if (MISSING.test(rule)) return ENTRIES[lastName(path)] ?? 'Fill this in.';
  for (const [pattern, words] of RULES) {
    const found = pattern.exec(rule);
    if (found !== null) return words.replace('$1', found[1] ?? '');
  }
  return isPlain(rule) ? `${path} ${rule}` : 'This value isn’t accepted.';
}

/**
 * Replaces the path in a message about a field by a label: "Color must …". The console's own
 * wording stays unchanged.
 */
export const inWords = (message: string, label: string): string => {
  const [, , rule] = ABOUT_FIELD.exec(message) ?? [];
  return rule === undefined ? message : sentence(`${label} ${rule}`);
};

/** Labels for the parts of scopes. */
const AREAS: Readonly<Record<string, string>> = {
  analytics: 'analytics',
  audit: 'the audit log',
  customers: 'customers',
  domains: 'domains',
  keys: 'API keys',
  links: 'links',
  members: 'members',
  pages: 'pages',
  qrcodes: 'QR codes',
  tags: 'tags',
  webhooks: 'webhooks',
  workspace: 'the settings of the workspace',
};

/** Messages of the API that name no field, with the console's wording. */
const MESSAGES: readonly [message: RegExp, words: string][] = [
  [/^email or password is wrong$/, 'Wrong email or password.'],
  [/^The workspace ".*" requires a second/, 'This workspace requires two-factor authentication.'],
  [/^Passkeys of a person without a password/, 'Sign out and in again, then change your passkeys.'],
  [/^Sign in with a passkey first$/, 'Sign in again, with your passkey.'],
  [/^requireSecondFactor can be/, 'Set up two-factor authentication for yourself first.'],
  [/^This needs an operator/, 'Only an operator of this installation can open this.'],
  [/^This needs the (\w+) plan or higher/, 'This needs the $1 plan or higher. Ask an owner.'],
  [/^The key "(.*)" is taken\b/, 'The slug “$1” is taken.'],
  [/^The key "(.*)" cannot be used/, 'The slug “$1” can’t be used. Choose another one.'],
  [/^The externalId "(.*)" is taken\b/, 'Another record has the external ID “$1”.'],
  [/^If-Match must be/, 'Somebody changed this in the meantime. Reload the page to see it.'],
  [/^fgColor and bgColor must differ more/, 'Color and background are too similar to scan.'],
  [/^bgColor lets the page behind/, 'Phones cannot read a transparent code on dark pages.'],
  [/^frameTextColor and frameColor must differ/, 'Text and frame are too similar to read.'],
  [/^The content of \d+ bytes/, 'This is too much for a QR code. Shorten the content.'],
  [/^There is no /, 'This doesn’t exist anymore, or you don’t have access to it.'],
];

/** Wording of the console for a message that is meant for programs, by HTTP status. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'The service didn’t accept this. Check what you entered.',
  401: 'Sign in again to go on.',
  403: 'You don’t have access to this. Ask an owner.',
  404: 'This doesn’t exist anymore, or you don’t have access to it.',
  409: 'This conflicts with another change. Reload the page to see it.',
  410: 'This has expired.',
  422: 'The service didn’t accept this. Check what you entered.',
};

/**
 * Translates a refusal for places that have no form to show field errors.
 *
 * @param nameOf returns the label of a field where its place has other labels than forms
 */
export function refusalInWords(
  status: number,
  message: string,
  nameOf: (path: string) => string = labelOf,
): string {
  const scope = /lacks the scope "(\w+)\.(\w+)"/.exec(message);
  if (scope !== null) {
    const area = AREAS[scope[1]!] ?? 'this';
    return scope[2] === 'read'
      ? `You don’t have access to ${area}. Ask an owner.`
      : `You can’t change ${area}. Ask an owner.`;
  }
  for (const [pattern, words] of MESSAGES) {
    const found = pattern.exec(message);
    if (found !== null) return words.replace('$1', found[1] ?? '');
  }
  const fields = Object.entries(fieldsInWords(message));
  if (fields.length > 0) {
    return fields
      .map(([path, words]) => {
        const label = nameOf(path);
        const said = inWords(words, label);
        return said === words ? `${label}: ${said}` : said;
      })
      .join(' ');
  }
  return isPlain(message)
    ? sentence(message)
    : (BY_STATUS[status] ?? 'Something went wrong. Try again in a moment.');
}
