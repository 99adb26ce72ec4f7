import { type Language, say } from '../../html/language.ts';
import { type Html, html, look, NOTHING, type Page, wholePage } from '../../html/layout.ts';
import type { Phrase } from '../../html/phrases/en.ts';
import type { FormField, PageEntry } from '../../lookup/entry.ts';
import { FORM_STYLE, waitingStyle } from './form-style.ts';

const LOOK = look(FORM_STYLE);

/** How a page before a destination is shown this time. */
export interface Showing {
  language: Language;
  /** Path that leads on; a form is sent to it. */
  onward: string;
  /** The form has to be filled in. */
  isMandatory: boolean;
  /** Time until the button can be used, in seconds. */
  waitSeconds: number;
  /** What was sent before, and what was wrong with it. */
  sent?: { form: URLSearchParams; faults: ReadonlyMap<string, Phrase> };
}

/** The owner's page before the destination: a text, a picture, a form; a button that leads on. */
export function beforePage(page: PageEntry, showing: Showing): Page {
  const { language, waitSeconds, sent } = showing;
  const { title, text, image, fields = [] } = page;
  const hasFaults = sent !== undefined && sent.faults.size > 0;
  const body = html`<main>
${image === undefined ? NOTHING : html`<img class="picture" src="${image}" alt="">`}
<header>
<h1 dir="auto">${title}</h1>
${text === undefined ? NOTHING : html`<p dir="auto">${text}</p>`}
</header>
${hasFaults ? html`<p class="alert" role="alert">${say(language, 'Please correct what is marked.')}</p>` : NOTHING}
${fields.length === 0 ? onwardButton(page, showing) : form(page, showing)}
</main>`;
  const policy = image === undefined ? {} : { images: new URL(image).origin };
  return wholePage(
    hasFaults ? 422 : 200,
    waitSeconds === 0 ? LOOK : look(waitingStyle(waitSeconds)),
    { language, title, body, allow: { ...policy, forms: fields.length > 0 } },
  );
}

/** Comes when the wait is over; a bar shows how long that takes. */
const waits = ({ waitSeconds }: Showing) => (waitSeconds === 0 ? '' : ' waits');
const clock = ({ waitSeconds }: Showing): Html =>
  waitSeconds === 0 ? NOTHING : html`<div class="clock" role="presentation"></div>\n`;

function onwardButton(page: PageEntry, showing: Showing): Html {
  return html`<div class="buttons">
${clock(showing)}<a class="action main${waits(showing)}" href="${showing.onward}" rel="nofollow"><span dir="auto">${buttonText(page, showing)}</span></a>
</div>`;
}

const buttonText = ({ button }: PageEntry, { language }: Showing) =>
  button ?? say(language, 'Continue');

function form(page: PageEntry, showing: Showing): Html {
  const { language, onward, isMandatory } = showing;
  const skip = isMandatory
    ? NOTHING
    : html`<a class="quiet${waits(showing)}" href="${onward}" rel="nofollow">${say(language, 'Skip')}</a>\n`;
  return html`<form method="post" action="${onward}" novalidate>
${(page.fields ?? []).map((field, at) => fieldHtml(field, `field-${at}`, showing))}
<div class="buttons">
${clock(showing)}<button class="action main${waits(showing)}" type="submit"><span dir="auto">${buttonText(page, showing)}</span></button>
${skip}</div>
</form>`;
}

function fieldHtml(field: FormField, id: string, showing: Showing): Html {
  const { name, label, type, required } = field;
  const { language, sent } = showing;
  const fault = sent?.faults.get(name);
  const aside = required
    ? NOTHING
    : html` <span class="aside">(${say(language, 'optional')})</span>`;
  const labelHtml = html`<label for="${id}" dir="auto">${label}${aside}</label>`;
  const control = controlHtml(field, id, showing);
  const faultHtml =
    fault === undefined
      ? NOTHING
      : html`<p class="fault" id="${id}-fault">${say(language, fault)}</p>\n`;
  return type === 'checkbox'
    ? html`<div class="field tick">\n${control}\n${labelHtml}\n${faultHtml}</div>\n`
    : html`<div class="field">\n${labelHtml}\n${control}\n${faultHtml}</div>\n`;
}

/** Kinds of input with the keyboards that suit them. */
const INPUTS = {
  text: html`type="text"`,
  email: html`type="email" autocomplete="email"`,
  phone: html`type="tel" autocomplete="tel"`,
  number: html`type="text" inputmode="decimal"`,
};

function controlHtml(field: FormField, id: string, { language, sent }: Showing): Html {
  const { name, type, required, placeholder, options = [] } = field;
  const value = sent?.form.get(name) ?? '';
  const common = html`id="${id}" name="${name}"${required ? html` required` : NOTHING}${
    sent?.faults.has(name) === true
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
