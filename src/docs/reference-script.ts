import { EXAMPLE_LANGUAGES, KEY_PLACEHOLDER } from './examples/index.ts';

/**
 * Starts the component. The document contains the configured address of the API; requests go to the
 * page's own origin, which the policy allows.
 */
const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
const load = async (path) => (await fetch(path)).json();
const [spec, examples] = await Promise.all([load('/openapi.json'), load('/docs/examples.json')]);
spec.servers = [{ url: location.origin }];
/** Completes what the component leaves out for screen readers and keyboards, in every part that it draws. */
const complete = () => {
  const set = (selector, attributes) => {
    for (const element of document.querySelectorAll('#reference ' + selector)) {
      for (const [name, value] of Object.entries(attributes)) {
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
      }
    }
  };
  set('.information-container', { role: 'region', 'aria-label': 'About the API' });
  set('.scheme-container', { role: 'region', 'aria-label': 'Server' });
  set('.filter-container', { role: 'region', 'aria-label': 'Filter' });
  set('.filter-container input', { 'aria-label': 'Filter by tag or path' });
  set('#servers', { 'aria-label': 'Server' });
  set('.examples-select-element', { 'aria-label': 'Example' });
  set('.body-param__text', { 'aria-label': 'Body of the request' });
  set('.opblock-tag', { 'aria-level': '2' });
  set('h4, h5', { 'aria-level': '3' });
  set('td.col_header', { role: 'columnheader' });
  set('pre.microlight', { tabindex: '0' });
  // The button around it does the same.
  for (const link of document.querySelectorAll('.opblock-summary-control a[href]')) {
    link.removeAttribute('href');
  }
  // Has the id of the control in it.
  for (const label of document.querySelectorAll('label[id]:has([id])')) label.removeAttribute('id');
};
new MutationObserver(complete).observe(document.querySelector('#reference'), {
  childList: true,
  subtree: true,
});
`;

/** State of the examples: the language and the key, with the components that show them. */
const STATE = `const LANGUAGES = ${JSON.stringify(EXAMPLE_LANGUAGES)};
const PLACEHOLDER = ${JSON.stringify(KEY_PLACEHOLDER)};
/** Browsers that block storage throw; the choice then lasts as long as the page. */
const remembered = (storage, name) => {
  let value = null;
  try { value = storage().getItem(name); } catch {}
  return {
    get: () => value,
    set(next) {
      value = next;
      try {
        if (next === null) storage().removeItem(name);
        else storage().setItem(name, next);
      } catch {}
    },
  };
};
const language = remembered(() => localStorage, 'docs-language');
const key = remembered(() => sessionStorage, 'docs-key');
const drawn = new Set();
const redraw = () => drawn.forEach((draw) => draw());
const chosen = () => (LANGUAGES.includes(language.get()) ? language.get() : LANGUAGES[0]);
`;

/** Examples of an operation, as a component of the reference. Texts are inserted as texts. */
const EXAMPLES = `const Examples = ({ React, operation }) => {
  const { createElement: make, useEffect, useReducer, useRef, useState } = React;
  const [, draw] = useReducer((count) => count + 1, 0);
  const [copied, setCopied] = useState('');
  const tabs = useRef(null);
  useEffect(() => {
    drawn.add(draw);
    return () => drawn.delete(draw);
  }, []);
  const texts = examples[operation];
  if (texts === undefined) return null;
  const shown = chosen();
  const text = texts[shown].replace(PLACEHOLDER, () => key.get() ?? PLACEHOLDER);
  const hasKey = texts.curl.includes(PLACEHOLDER);
  const choose = (next) => {
    language.set(next);
    setCopied('');
    redraw();
  };
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const index = (LANGUAGES.indexOf(shown) + step + LANGUAGES.length) % LANGUAGES.length;
    choose(LANGUAGES[index]);
    tabs.current.children[index].focus();
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied('Copied.');
    } catch {
      setCopied('Select the text to copy it.');
    }
  };
  const tab = (name) => make('button', {
    key: name, type: 'button', role: 'tab', 'aria-selected': name === shown,
    tabIndex: name === shown ? 0 : -1, onClick: () => choose(name),
  }, name);
  const button = (label, onClick) => make('button', { type: 'button', onClick }, label);
  return make('section', { className: 'examples', 'aria-label': 'Examples' },
    make('div', { className: 'choices' },
      make('div', { role: 'tablist', 'aria-label': 'Language', ref: tabs, onKeyDown: move }, LANGUAGES.map(tab)),
      make('div', { className: 'actions' },
        hasKey && button(key.get() === null ? 'Use a key' : 'Change key', openKeys),
        button('Copy', copy),
        make('span', { role: 'status' }, copied))),
    make('pre', { role: 'tabpanel', 'aria-label': shown, tabIndex: 0 }, text));
};
const WithExamples = ({ React }) => ({
  wrapComponents: {
    responses: (Responses) => (props) => React.createElement(React.Fragment, null,
      React.createElement(Examples, { React, operation: props.method.toUpperCase() + ' ' + props.path }),
      React.createElement(Responses, props)),
  },
});
`;

/**
 * The dialog for a key. A key is used in examples only; it is sent nowhere. One that the page
 * creates for a signed-in person expires after a day.
 */
const KEYS = `const DAY_MS = 86_400_000;
const dialog = document.querySelector('#keys');
const [field, workspaces] = dialog.querySelectorAll('input, select');
const [create, forget] = ['create', 'forget'].map((name) => dialog.querySelector('[name=' + name + ']'));
const report = dialog.querySelector('[role=status]');
const openKeys = async () => {
  report.textContent = '';
  field.value = '';
  forget.hidden = key.get() === null;
  dialog.showModal();
  // Nobody is signed in where the answer is an error.
  const { workspaces: own = [] } = await fetch('/me').then((answer) => answer.json()).catch(() => ({}));
  const creating = own.filter(({ scopes }) => scopes.some((one) => one === '*' || one === 'keys.write'));
  workspaces.replaceChildren(...creating.map(({ slug, name }) => new Option(name, slug)));
  create.hidden = creating.length === 0;
};
const use = (value) => {
  key.set(value);
  dialog.close();
  redraw();
};
dialog.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const value = field.value.trim();
  if (/^[\\w-]{8,200}$/.test(value)) use(value);
  else report.textContent = 'This is not an API key. Copy the whole key, such as sk_….';
});
create.querySelector('button').addEventListener('click', async ({ target }) => {
  target.disabled = true;
  report.textContent = 'Creating a key …';
  try {
    const answer = await fetch('/keys', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Workspace': workspaces.value },
      body: JSON.stringify({
        name: 'API reference',
        expiresAt: new Date(Date.now() + DAY_MS).toISOString(),
      }),
    });
    const record = await answer.json();
    if (answer.status === 201) use(record.key);
    else report.textContent = record.error?.message ?? 'The service is busy. Try again later.';
  } catch {
    report.textContent = 'The service cannot be reached. Try again later.';
  } finally {
    target.disabled = false;
  }
});
forget.addEventListener('click', () => use(null));
dialog.querySelector('[name=close]').addEventListener('click', () => dialog.close());
`;

const COMPONENT = `SwaggerUIBundle({
  spec,
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [WithExamples],
  layout: 'BaseLayout',
  deepLinking: true,
  filter: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** The script of the reference's page. */
export const REFERENCE_SCRIPT = START + STATE + KEYS + EXAMPLES + COMPONENT;
