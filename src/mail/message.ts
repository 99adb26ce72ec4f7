import { type Language, say } from '../web/language.ts';
import { DIRECTION_MARKS, html, NOTHING } from '../web/layout.ts';

/** A table in a mail, with a value at the end of each row. */
export interface MailTable {
  title: string;
  rows: readonly (readonly string[])[];
}

/** Content of a mail; texts of users are plain text. */
export interface Message {
  /** Language of its texts; English if absent. */
  language?: Language;
  subject: string;
  lines: readonly string[];
  tables?: readonly MailTable[];
  /** The main button. */
  action?: { label: string; url: string };
  /** Reason why the reader receives it. */
  reason: string;
  /**
   * URL that unsubscribes the reader from mails of this kind; absent for a mail that is sent once.
   */
  unsubscribeUrl?: string;
  /** Time after which the mail is of no use, such as the expiry of its link. */
  expiresAt?: Date;
}

/** The encoded parts of a mail. */
export interface MailContent {
  subject: string;
  text: string;
  html: string;
  unsubscribeUrl?: string | undefined;
  /** ISO time after which the mail is not sent. */
  expiresAt?: string | undefined;
}

const MAX_SUBJECT_LENGTH = 200;
const MAX_LINE_LENGTH = 1_000;

/** Joins a text into one line: a line break in a subject would begin another header. */
const oneLine = (text: string, longest: number): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '')
    .slice(0, longest)
    .toWellFormed();

/**
 * Formats a message as plain text, and as HTML without images, scripts or other external content.
 */
export function toContent(message: Message): MailContent {
  const clean = cleaned(message);
  const { subject, unsubscribeUrl } = clean;
  const expiresAt = message.expiresAt?.toISOString();
  return { subject, text: toText(clean), html: toHtml(clean), unsubscribeUrl, expiresAt };
}

/** Joins each text of a message into one line. */
function cleaned({ language = 'en', subject, lines, tables = [], reason, ...rest }: Message) {
  const clean = (text: string): string => oneLine(text, MAX_LINE_LENGTH);
  return {
    ...rest,
    language,
    subject: oneLine(subject, MAX_SUBJECT_LENGTH),
    lines: lines.map(clean),
    tables: tables.map(({ title, rows }) => ({ title, rows: rows.map((row) => row.map(clean)) })),
    reason: clean(reason),
  };
}

type CleanMessage = ReturnType<typeof cleaned>;

function toText(message: CleanMessage): string {
  const { language, lines, tables, action, reason, unsubscribeUrl } = message;
  const unsubscribe =
    unsubscribeUrl === undefined ? '' : `\n${say(language, 'Unsubscribe')}: ${unsubscribeUrl}`;
  const parts = [
    ...lines,
    ...tables.map(({ title, rows }) =>
      [title, ...rows.map((row) => `- ${row.join(': ')}`)].join('\n'),
    ),
    ...(action === undefined ? [] : [`${action.label}: ${action.url}`]),
    `-- \n${reason}${unsubscribe}`,
  ];
  return `${parts.join('\n\n')}\n`;
}
/** Inline styles, since many mail clients drop style sheets, with fonts of the reader's device. */
const STYLES = {
  body: 'margin:0;padding:24px 12px;background:#f5f7fa',
  card: 'max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border:1px solid #dce2ea;border-radius:12px;color:#14181f;font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere',
  title: 'margin:0 0 16px;font-size:20px;line-height:1.3',
  line: 'margin:0 0 8px',
  heading: 'margin:24px 0 4px;font-size:16px',
  table: 'width:100%;border-collapse:collapse',
  name: 'padding:6px 12px 6px 0;border-top:1px solid #dce2ea;text-align:left',
  value: 'padding:6px 0;border-top:1px solid #dce2ea;text-align:right',
  button:
    'display:inline-block;margin:24px 0 0;padding:10px 16px;border-radius:8px;background:#2257d2;color:#ffffff;font-weight:600;text-decoration:none',
  reason:
    'margin:24px 0 0;padding:16px 0 0;border-top:1px solid #dce2ea;color:#566072;font-size:13px',
  link: 'color:#566072',
};

function toHtml(message: CleanMessage): string {
  const { language, subject, lines, tables, action, reason, unsubscribeUrl } = message;
  const row = (cells: readonly string[]) =>
    cells.map((cell, at) => {
      const isLast = at === cells.length - 1;
      return html`<td style="${isLast ? STYLES.value : STYLES.name}">${cell}</td>`;
    });
  const button =
    action === undefined
      ? NOTHING
      : html`<a href="${action.url}" style="${STYLES.button}">${action.label}</a>\n`;
  const unsubscribe =
    unsubscribeUrl === undefined
      ? NOTHING
      : html` <a href="${unsubscribeUrl}" style="${STYLES.link}">${say(language, 'Unsubscribe')}</a>`;
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="${STYLES.body}">
<div style="${STYLES.card}">
<h1 style="${STYLES.title}">${subject}</h1>
${lines.map((line) => html`<p style="${STYLES.line}">${line}</p>\n`)}${tables.map(
  ({ title, rows }) => html`<h2 style="${STYLES.heading}">${title}</h2>
<table style="${STYLES.table}">
${rows.map((cells) => html`<tr>${row(cells)}</tr>\n`)}</table>
`,
)}${button}<p style="${STYLES.reason}">${reason}${unsubscribe}</p>
</div>
</body>
</html>
`.text;
}
