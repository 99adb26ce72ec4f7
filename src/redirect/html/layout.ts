import { createHash } from 'node:crypto';

/** A text that is HTML already and must not be escaped again. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(value: Html | string | number): string {
  if (value instanceof Html) return value.text;
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

/** Template tag for HTML: whatever is put in is escaped, unless it was made by this tag itself. */
export function html(parts: TemplateStringsArray, ...values: (Html | string | number)[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(escape)));
}

/** An answer with a body: status, headers as a flat list of names and values, body. */
export interface Page {
  status: number;
  headers: readonly string[];
  body: Buffer;
}

const STYLE = `
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;
font:1rem/1.5 system-ui,sans-serif;background:Canvas;color:CanvasText}
main{max-width:32rem;padding:2rem;text-align:center}
h1{font-size:1.5rem;margin:0 0 .5rem}
p{margin:0;opacity:.8}`;

const POLICY = [
  "default-src 'none'",
  // The one style sheet of all pages is allowed by its hash; no script ever is.
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A whole page that a visitor meets instead of a destination. */
export function page(
  status: number,
  { title, text }: { title: string; text: string },
  extraHeaders: readonly string[] = [],
): Page {
  const whole = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
</head>
<body><main><h1>${title}</h1><p>${text}</p></main></body>
</html>
`;
  const body = Buffer.from(whole.text);
  const headers = [
    'Content-Type',
    'text/html; charset=utf-8',
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'private, no-store',
    'Content-Security-Policy',
    POLICY,
    'X-Content-Type-Options',
    'nosniff',
    'Referrer-Policy',
    'no-referrer',
    ...extraHeaders,
  ];
  return { status, headers, body };
}
