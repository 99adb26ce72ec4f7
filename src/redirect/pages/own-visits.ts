import { FORM_STYLE } from '../../web/form-style.ts';
import { type Language, say } from '../../web/language.ts';
import { html, type Page, pageAssets, wholePage } from '../../web/layout.ts';

const ASSETS = pageAssets(FORM_STYLE);

const EYE = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M2.500 12c4-7 15-7 19 0c-4 7-15 7-19 0zM12 9a3 3 0 1 1 0 6a3 3 0 0 1 0-6z"/></svg>`;

/**
 * Shows whether visits from this browser are counted, with a button that changes it.
 *
 * @param action target of the form: the path of the page itself
 */
export function ownVisitsPage(
  language: Language,
  { action, domain, isCounted }: { action: string; domain: string; isCounted: boolean },
): Page {
  const title = say(language, 'Your own visits');
  const body = html`<main>
<header>
<span class="badge">${EYE}</span>
<h1>${title}</h1>
<p role="status">${say(
    language,
    isCounted
      ? 'Your visits to short links of your workspace on {} are counted in this browser.'
      : 'Your visits to short links of your workspace on {} are not counted in this browser.',
    domain,
  )}</p>
</header>
<form method="post" action="${action}">
<input type="hidden" name="count" value="${isCounted ? 'no' : 'yes'}">
<button class="action main" type="submit">${say(
    language,
    isCounted ? 'Don’t count my visits' : 'Count my visits',
  )}</button>
</form>
</main>`;
  return wholePage(200, ASSETS, { language, title, body, allow: { forms: true } });
}
