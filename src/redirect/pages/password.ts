import { type Language, say } from '../../web/language.ts';
import { html, NOTHING, type Page, pageAssets, wholePage } from '../../web/layout.ts';
import { FORM_STYLE } from './form-style.ts';

const ASSETS = pageAssets(FORM_STYLE);

const LOCK = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M6.500 10.500h11a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-11a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM8 10.500V7.500a4 4 0 0 1 8 0v3M12 14.500v2"/></svg>`;

/** The outcome of the previous attempt. */
export type LastTry = { outcome: 'wrong' } | { outcome: 'tooMany'; waitSeconds: number };

/**
 * Asks for the password of a link. The page reveals neither the destination nor the title.
 *
 * @param action target of the form: the path of the link itself
 */
export function passwordPage(action: string, language: Language, last?: LastTry): Page {
  const fault =
    last === undefined
      ? undefined
      : last.outcome === 'wrong'
        ? say(language, 'This password is not right.')
        : say(language, 'Too many tries. Try again in {} s.', String(last.waitSeconds));
  const title = say(language, 'Protected link');
  const body = html`<main>
<header>
<span class="badge">${LOCK}</span>
<h1>${title}</h1>
<p>${say(language, 'Enter the password to open this link.')}</p>
</header>
<form method="post" action="${action}">
<div class="field">
<label for="password">${say(language, 'Password')}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1000"${
    fault === undefined ? NOTHING : html` aria-invalid="true" aria-describedby="fault"`
  }>
${fault === undefined ? NOTHING : html`<p class="fault" id="fault" role="alert">${fault}</p>`}
</div>
<button class="action main" type="submit">${say(language, 'Continue')}</button>
</form>
</main>`;
  const isTooMany = last?.outcome === 'tooMany';
  return wholePage(
    isTooMany ? 429 : 403,
    ASSETS,
    { language, title, body, allow: { forms: true } },
    isTooMany ? ['Retry-After', String(last.waitSeconds)] : [],
  );
}
