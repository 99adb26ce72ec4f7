import type { FormField, PageEntry } from '../../lookup/entry.ts';
import { FORM_STYLE, waitingStyle } from '../../web/form-style.ts';
import { type Language, say } from '../../web/language.ts';
import { type Html, html, NOTHING, type Page, pageAssets, wholePage } from '../../web/layout.ts';
import type { Phrase } from '../../web/phrases/en.ts';

const ASSETS = pageAssets(FORM_STYLE);

/** The state of a page before a destination. */
export interface BeforePageOptions {
  language: Language;
  /** Path that continues to the destination, also the target of the form. */
  onward: string;
  /** The form must be filled in. */
  isMandatory: boolean;
  /** Time until the button can be used, in seconds. */
  waitSeconds: number;
  /** The form that was just sent, and its errors by field name. */
  sent?: { form: URLSearchParams; errors: ReadonlyMap<string, Phrase> } | undefined;
}

/** The owner's page before the destination: text, image and form, with a button that continues. */
export function beforePage(page: PageEntry, options: BeforePageOptions): Page {
  const { language, waitSeconds, sent } = options;
  const { title, text, image, fields = [] } = page;
  const hasErrors = sent !== undefined && sent.errors.size > 0;
  const body = html`<main>
${image === undefined ? NOTHING : html`<img class="picture" src="${image}" alt="">`}
<header>
<h1 dir="auto">${title}</h1>
${text === undefined ? NOTHING : html`<p dir="auto">${text}</p>`}
</header>
${hasErrors ? html`<p class="alert" role="alert">${say(language, 'Please correct what is marked.')}</p>` : NOTHING}
${fields.length === 0 ? onwardButton(page, options) : form(page, options)}
</main>`;
  const policy = image === undefined ? {} : { images: new URL(image).origin };
  return wholePage(
    hasErrors ? 422 : 200,
    waitSeconds === 0 ? ASSETS : pageAssets(waitingStyle(waitSeconds)),
    { language, title, body, allow: { ...policy, forms: fields.length > 0 } },
  );
}

/** Class of elements that appear after the wait; a bar shows its progress. */
const waits = ({ waitSeconds }: BeforePageOptions) => (waitSeconds === 0 ? '' : ' waits');
const clock = ({ waitSeconds }: BeforePageOptions): Html =>
  waitSeconds === 0 ? NOTHING : html`<div class="clock" role="presentation"></div>\n`;

function onwardButton(page: PageEntry, options: BeforePageOptions): Html {
  return html`<div class="buttons">
${clock(options)}<a class="action main${waits(options)}" href="${options.onward}" rel="nofollow"><span dir="auto">${buttonText(page, options)}</span></a>
</div>`;
}

const buttonText = ({ button }: PageEntry, { language }: BeforePageOptions) =>
  button ?? say(language, 'Continue');

function form(page: PageEntry, options: BeforePageOptions): Html {
  const { language, onward, isMandatory } = options;
  const skip = isMandatory
    ? NOTHING
    : html`<a class="quiet${waits(options)}" href="${onward}" rel="nofollow">${say(language, 'Skip')}</a>\n`;
  return html`<form method="post" action="${onward}" novalidate>
${(page.fields ?? []).map((field, at) => fieldHtml(field, `field-${at}`, options))}
<div class="buttons">
${clock(options)}<button class="action main${waits(options)}" type="submit"><span dir="auto">${buttonText(page, options)}</span></button>
${skip}</div>
</form>`;
}

function fieldHtml(field: FormField, id: string, options: BeforePageOptions): Html {
  const { name, label, type, required } = field;
  const { language, sent } = options;
  const error = sent?.errors.get(name);
  const aside = required
    ? NOTHING
    : html` <span class="aside">(${say(language, 'optional')})</span>`;
  const labelHtml = html`<label for="${id}" dir="auto">${label}${aside}</label>`;
  const control = controlHtml(field, id, options);
  const errorHtml =
    error === undefined
      ? NOTHING
      : html`<p class="fault" id="${id}-fault">${say(language, error)}</p>\n`;
  return type === 'checkbox'
    ? html`<div class="field tick">\n${control}\n${labelHtml}\n${errorHtml}</div>\n`
    : html`<div class="field">\n${labelHtml}\n${control}\n${errorHtml}</div>\n`;
}

/** Input types and modes, which give each field a suitable keyboard. */
const INPUTS = {
  text: html`type="text"`,
  email: html`type="email" autocomplete="email"`,
  phone: html`type="tel" autocomplete="tel"`,
  number: html`type="text" inputmode="decimal"`,
};

function controlHtml(field: FormField, id: string, { language, sent }: BeforePageOptions): Html {
  const { name, type, required, placeholder, options = [] } = field;
  const value = sent?.form.get(name) ?? '';
  const common = html`id="${id}" name="${name}"${required ? html` required` : NOTHING}${
    sent?.errors.has(name) === true
      ? html` aria-invalid="true" aria-describedby="${id}-fault"`
      : NOTHING
  }${placeholder === undefined ? NOTHING : html` placeholder="${placeholder}"`}`;
  if (type === 'textarea') return html`<textarea ${common} dir="auto">\n${value}</textarea>`;
  if (type === 'checkbox') {
    const checked = value === '' ? NOTHING : html` checked`;
    return html`<input ${common} type="checkbox" value="yes"${checked}>`;
  }
  if (type !== 'select') {
    return html`<input ${common} ${INPUTS[type]} value="${value}" dir="auto">`;
  }
  const choices = options.map(
    (option) => html`<option${option === value ? html` selected` : NOTHING}>${option}</option>\n`,
  );
  return html`<select ${common}>
<option value="">${say(language, 'Choose one')}</option>
${choices}</select>`;
}
