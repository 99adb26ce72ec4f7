import { parseUrl } from '../../infra/url.ts';
import type { FormField } from '../../lookup/entry.ts';
import { REPORT_CATEGORIES, type ReportCategory } from '../../visits/report.ts';
import { FORM_STYLE } from '../../web/form-style.ts';
import { type Language, say } from '../../web/language.ts';
import {
  fixedNotice,
  type Html,
  html,
  NOTHING,
  type Page,
  pageAssets,
  wholePage,
} from '../../web/layout.ts';
import type { Phrase } from '../../web/phrases/en.ts';
import { REPORT_PATH } from '../address.ts';
import { checkAnswers } from './form.ts';

const ASSETS = pageAssets(FORM_STYLE);
/** Maximum lengths, in characters. */
const MAX_LENGTH = { link: 2_000, comment: 2_000, email: 254 };

const FLAG = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M6 21V4M6 4.500c4-2.500 8 2.500 12 0v9c-4 2.500-8-2.500-12 0"/></svg>`;

const CATEGORIES: Record<ReportCategory, Phrase> = {
  phishing: 'Phishing or fraud',
  malware: 'Malware',
  spam: 'Spam',
  illegal: 'Illegal content',
  other: 'Something else',
};

const FIELDS: (FormField & { label: Phrase })[] = [
  { name: 'link', label: 'Short link', type: 'text', required: true },
  {
    name: 'category',
    label: 'What is wrong?',
    type: 'select',
    required: true,
    options: [...REPORT_CATEGORIES],
  },
  { name: 'comment', label: 'Comment', type: 'textarea', required: false },
  { name: 'email', label: 'Email, if you want an answer', type: 'email', required: false },
];

/** A valid report, with its short link split into host and target. */
export interface Report {
  link: { host: string; target: string };
  category: ReportCategory;
  comment: string;
  email?: string | undefined;
}

/** Validates a submitted form; there is no report if it has errors. Errors are by field name. */
export function readReport(form: URLSearchParams): {
  report?: Report;
  errors: Map<string, Phrase>;
} {
  const { answers, errors } = checkAnswers(FIELDS, form);
  const { link = '', category, comment = '', email } = answers as Record<string, string>;
  for (const [name, longest] of Object.entries(MAX_LENGTH)) {
    if (String(answers[name] ?? '').length > longest) errors.set(name, 'This is too long.');
  }
  const url = parseUrl(/^https?:\/\//i.test(link) ? link : `https://${link}`);
  if (!errors.has('link') && url === undefined) errors.set('link', 'Please enter a short link.');
  if (errors.size > 0 || url === undefined) return { errors };
  const report = {
    link: { host: url.hostname, target: url.pathname + url.search },
    category: category as ReportCategory,
    comment,
    email,
  };
  return { report, errors };
}

/** The state of a form that was refused. */
interface Refused {
  /** Errors by field name. */
  errors?: ReadonlyMap<string, Phrase>;
  /** Time until this network can send another report, in minutes. */
  waitMinutes?: number;
}

/** The form for reporting a link to the operator. @param form the previous input */
export function reportPage(
  language: Language,
  form: URLSearchParams,
  { errors = new Map(), waitMinutes }: Refused = {},
): Page {
  const title = say(language, 'Report a link');
  const alert =
    waitMinutes !== undefined
      ? say(language, 'Too many reports. Try again in {} min.', String(waitMinutes))
      : errors.size > 0
        ? say(language, 'Please correct what is marked.')
        : undefined;
  const body = html`<main>
<header>
<span class="badge">${FLAG}</span>
<h1>${title}</h1>
<p>${say(language, 'Tell the operator of this service about a short link that does harm.')}</p>
</header>
${alert === undefined ? NOTHING : html`<p class="alert" role="alert">${alert}</p>\n`}<form method="post" action="${REPORT_PATH}" novalidate>
${FIELDS.map((field) => fieldHtml(field, form, errors.get(field.name), language))}
<button class="action main" type="submit">${say(language, 'Send report')}</button>
</form>
</main>`;
  const [status, headers] =
    waitMinutes !== undefined
      ? [429, ['Retry-After', String(waitMinutes * 60)]]
      : [errors.size > 0 ? 422 : 200, []];
  return wholePage(status, ASSETS, { language, title, body, allow: { forms: true } }, headers);
}

/** The page after a report was accepted. */
export const reportedPage = fixedNotice(200, {
  title: 'Thank you',
  text: 'The operator of this service looks at every report.',
});

function fieldHtml(
  { name, label, type, required }: (typeof FIELDS)[number],
  form: URLSearchParams,
  error: Phrase | undefined,
  language: Language,
): Html {
  const value = (form.get(name) ?? '').slice(0, MAX_LENGTH.link);
  const fault =
    error === undefined
      ? NOTHING
      : html`<p class="fault" id="${name}-fault">${say(language, error)}</p>\n`;
  const invalid =
    error === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="${name}-fault"`;
  const aside = required
    ? NOTHING
    : html` <span class="aside">(${say(language, 'optional')})</span>`;
  const common = html`id="${name}" name="${name}"${required ? html` required` : NOTHING}${invalid}`;
  const choices = REPORT_CATEGORIES.map(
    (category) =>
      html`<option value="${category}"${category === value ? html` selected` : NOTHING}>${say(language, CATEGORIES[category])}</option>\n`,
  );
  const control =
    type === 'select'
      ? html`<select ${common}>\n<option value="">${say(language, 'Choose one')}</option>\n${choices}</select>`
      : type === 'textarea'
        ? html`<textarea ${common} maxlength="${MAX_LENGTH.comment}" dir="auto">\n${value}</textarea>`
        : type === 'email'
          ? html`<input ${common} type="email" autocomplete="email" maxlength="${MAX_LENGTH.email}" value="${value}">`
          : html`<input ${common} type="text" inputmode="url" autocomplete="off" spellcheck="false" maxlength="${MAX_LENGTH.link}" value="${value}" dir="ltr">`;
  return html`<div class="field">\n<label for="${name}">${say(language, label)}${aside}</label>\n${control}\n${fault}</div>\n`;
}
