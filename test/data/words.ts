/*
 * Words that sentences for people do not use, with the better one: in the console, in the guides, in
 * the API reference and in messages of the API. `test/unit/words.test.ts` reads all sentences. One
 * thing has one name everywhere, and a sentence is understood when it is read once.
 */

/** Where a sentence is read. */
export type Reader = 'console' | 'guides' | 'messages' | 'reference';

export interface Word {
  /** A space also stands for a line break. */
  pattern: RegExp;
  better: string;
  why: string;
  /** Where the word is refused; everywhere, unless it is set. */
  only?: readonly Reader[];
}

/** Records and their parts that people create. */
const RECORD =
  'account|click|code|domain|export|folder|import|invitation|key|link|password|redirect|slug|tag|template|view|webhook|workspace';

export const WORDS: readonly Word[] = [
  {
    pattern: /(?<![\w-])spans?\b/i,
    better: 'period',
    why: 'analytics, retention and reports all have periods',
  },
  {
    pattern: /(?<!confidence )\bintervals?\b/i,
    better: 'period',
    why: 'analytics, retention and reports all have periods',
    only: ['console'],
  },
  {
    pattern: new RegExp(
      `\\b(?:make|makes|made|making) (?:(?:a|an|another|its?|new|of|the|your) )*(?:\\w+ )?(?:${RECORD})s?\\b(?! \\w+er\\b)`,
      'i',
    ),
    better: 'create',
    why: 'the button says Create',
  },
  {
    pattern: /\b(?:is|are|was|were|be|been|being) made\b|\bmade (?:by|from|of|with)\b/i,
    better: 'created, recorded or sent',
    why: 'the button says Create',
  },
  {
    pattern:
      /(?<!\b(?:e-?mail|IP|IPv4|IPv6|client|postal|private|public|street|wallet) |\bip-)\baddress(?:es)?\b(?! bar\b)/i,
    better: 'URL, link, email address or IP address',
    why: 'it can be any of the four',
  },
  {
    pattern:
      /\blead(?:s|ing)? (?:to|on to|nowhere|elsewhere|anywhere|here|back)\b(?! (?:a|most) (?:leads?|sales?)\b)|\bled to\b/i,
    better: 'opens, redirects to, goes to',
    why: 'a lead is a conversion',
  },
  {
    pattern: /\b(?:that|those) of\b/i,
    better: 'the noun again, or a possessive',
    why: 'the reader has to look back for what it stands for',
  },
  {
    pattern: /\b(?:its|his|her) own\b|\bof (?:your|their|our) own\b/i,
    better: 'your own …, a separate …, custom, or nothing',
    why: 'it only stresses what is clear already',
  },
  {
    pattern: /\b(?:by|for|of) (?:which|whom)\b/i,
    better: 'two sentences, or a verb',
    why: 'it is read twice',
  },
  {
    pattern: /\b(?:is|are|be|was|were|been) kept\b/i,
    better: 'stored, or stays',
    why: 'data is stored, a setting stays',
  },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, better: 'fix', why: 'the common word' },
  {
    pattern: /\b(?:take|takes|taken|taking|took) (?:it |that |this |them )?back\b/i,
    better: 'undo, withdraw, revoke',
    why: 'the button says Undo',
  },
  {
    pattern: /\b(?:take|takes|taken|taking|took) (?:\w+ ){0,3}(?:away|off)\b/i,
    better: 'remove',
    why: 'the button says Remove',
  },
  {
    pattern: /\b(?:is|are) forgotten\b/i,
    better: 'removed',
    why: 'data is removed',
  },
  {
    pattern: /\bOperation\b/,
    better: 'Admin',
    why: 'it is at /console/admin',
    only: ['console'],
  },
  {
    pattern: /\bGround\b|\b(?:the|transparent|dark|light) ground\b/,
    better: 'background',
    why: 'the word of every design tool',
    only: ['console'],
  },
  { pattern: /\bbears?\b/i, better: 'survives, allows', why: 'the common word' },
  { pattern: /\be-mails?\b/i, better: 'email', why: 'one spelling, as `email` in the API' },
  {
    pattern:
      /\b(?:exact|random|reserved|same|taken|unknown|wildcard) keys?\b|\bkeys? (?:and|or) domains?\b|\bdomains? (?:and|or) keys?\b|\bkey \(slug\)/i,
    better: 'slug',
    why: 'the last part of a short link; a key is an API key',
    only: ['console'],
  },
  {
    pattern: /\b(?:Id|id|Ids|ids)\b/,
    better: 'ID',
    why: 'an abbreviation',
    only: ['console'],
  },
  {
    pattern: /\bmost visits\b/i,
    better: 'click limit',
    why: 'it reads like “most of the visits”',
    only: ['console'],
  },
  {
    pattern:
      /\b(?:(?:custom|initial|normal|optim|organ|raster|recogn|summar|synchron)is\w+|colours?|centres?|behaviours?|licences?|millimetres?)\b/i,
    better: 'the American spelling',
    why: 'as in the fields of the API',
  },
  {
    pattern: /\bplan (?:free|pro|business|enterprise)\b/i,
    better: 'Business plan',
    why: 'the adjective comes first',
  },
  {
    pattern: /^Change(?: the \w+)?$/,
    better: 'Edit',
    why: 'the button says Edit',
    only: ['console'],
  },
  { pattern: /\bMay do\b/i, better: 'Permissions', why: 'the noun', only: ['console'] },
  { pattern: /\bWhere from\b/i, better: 'Locations', why: 'the noun', only: ['console'] },
  { pattern: /\banew\b/i, better: 'again', why: 'the common word' },
  { pattern: /\bwhoever\b/i, better: 'anyone who', why: 'the common word' },
];

/** A word that a file may use after all, where no other one is right. */
export interface Allowance {
  file: string;
  /** The word as it is written there. */
  word: string;
  why: string;
}

export const ALLOWANCES: readonly Allowance[] = [
  {
    file: 'docs/monitoring.md',
    word: 'spans',
    why: 'the parts of a trace, in OpenTelemetry',
  },
  {
    file: 'src/console/api/error-words.ts',
    word: 'address',
    why: 'a postal address',
  },
  {
    file: 'src/console/qrcodes/content-fields.ts',
    word: 'address',
    why: 'a wallet’s address',
  },
  {
    file: 'src/console/qrcodes/content-fields.ts',
    word: 'random key',
    why: 'a kind of Pix key',
  },
  {
    file: 'src/console/qrcodes/vcard-form.tsx',
    word: 'Address',
    why: 'a postal address',
  },
  {
    file: 'src/console/qrcodes/vcard-form.tsx',
    word: 'address',
    why: 'a postal address',
  },
  {
    file: 'src/short-links/destination.ts',
    word: 'lead to',
    why: 'the console recognizes this message',
  },
];

/** Files whose sentences are not yet written by this list. None is added: the list is to become empty. */
export const PENDING: readonly string[] = [];
