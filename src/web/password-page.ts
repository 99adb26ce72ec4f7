import { FORM_STYLE } from './form-style.ts';
import { type Language, say } from './language.ts';
import { html, NOTHING, type Page, pageAssets, wholePage } from './layout.ts';
import type { Phrase } from './phrases/en.ts';

const ASSETS = pageAssets(FORM_STYLE);

const LOCK = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M6.500 10.500h11a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2h-11a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2zM8 10.500V7.500a4 4 0 0 1 8 0v3M12 14.500v2"/></svg>`;

/** The outcome of the previous attempt. */
export type LastTry = { outcome: 'wrong' } | { outcome: 'tooMany'; waitSeconds: number };

/** Heading and sentence of the page. */
interface Words {
  title: Phrase;
  text: Phrase;
}

const OF_LINK: Words = {
  title: 'Protected link',
  text: 'Enter the password to open this link.',
};

/**
 * Asks for the password of a link or report. The page reveals nothing about it.
 *
 * @param action target of the form: the path of the page itself
 */
export function passwordPage(
  action: string,
  language: Language,
  last?: LastTry,
  words = OF_LINK,
): Page {
  const fault =
    last === undefined
      ? undefined
      : last.outcome === 'wrong'
        ? say(language, 'This password is not right.')
        : say(language, 'Too many tries. Try again in {} s.', String(last.waitSeconds));
  const title = say(language, words.title);
  const body = html`<main>
<header>
<span class="badge">${LOCK}</span>
<h1>${title}</h1>
<p>${say(language, words.text)}</p>
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
