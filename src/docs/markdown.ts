import { setImmediate as turn } from 'node:timers/promises';
import { Marked, type Token, type Tokens } from 'marked';
import { html as escaping } from '../web/layout.ts';

/** A part of a guide, from one heading to the next. */
export interface Section {
  /** Anchor in the page; empty for text in front of the first heading. */
  id: string;
  title: string;
  text: string;
}

/** A guide as HTML, with its sections for the search. */
export interface Rendered {
  title: string;
  /** Plain text of the first paragraph. */
  summary: string;
  html: string;
  sections: Section[];
}

/**
 * Resolves the target of a link or image to an address in the documentation; `undefined` if there
 * is none. Only its results become addresses in the page.
 */
export type Resolve = (target: string) => string | undefined;

const escape = (text: string): string => escaping`${text}`.text;

/**
 * Renders a guide, without the metadata in front of it. HTML in it is shown as text. Other work runs
 * between parsing and rendering.
 */
export async function render(text: string, resolve: Resolve): Promise<Rendered> {
  const markdown = new Marked({ gfm: true });
  const tokens = markdown.lexer(withoutMetadata(text));
  const sections: Section[] = [{ id: '', title: '', text: '' }];
  const idOf = new Map<Token, string>();
  const anchors = new Map<string, number>();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const title = plainText(token);
      const id = uniqueAnchor(anchorOf(title), anchors);
      idOf.set(token, id);
      sections.push({ id, title, text: '' });
    } else {
      sections.at(-1)!.text += `${plainText(token)} `;
    }
  }
  markdown.use({
    renderer: {
      html: ({ text: source }) => escape(source),
      heading(token) {
        const content = this.parser.parseInline(token.tokens);
        return `<h${token.depth} id="${escape(idOf.get(token) ?? '')}">${content}</h${token.depth}>\n`;
      },
      // Wide code and tables scroll separately, also by keyboard.
      code: ({ text: source }) => `<pre tabindex="0"><code>${escape(source)}</code></pre>\n`,
      table(token) {
        const cell = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens);
        const row = (cells: readonly string[]) => `<tr>${cells.join('')}</tr>\n`;
        const head = row(token.header.map((headCell) => `<th>${cell(headCell)}</th>`));
        // A narrow screen shows each row as a list, with column names beside the cells.
        const columns = token.header.map((headCell) => escape(textOf(headCell)));
        const body = token.rows
          .map((cells) =>
            row(
              cells.map(
                (cellTokens, n) => `<td data-column="${columns[n]}">${cell(cellTokens)}</td>`,
              ),
            ),
          )
          .join('');
        return `<div class="wide" tabindex="0"><table>\n<thead>${head}</thead>\n<tbody>${body}</tbody></table></div>\n`;
      },
      // A link to something that is not in the documentation becomes plain text.
      link(token) {
        const content = this.parser.parseInline(token.tokens);
        const target = resolve(token.href);
        if (target === undefined) return content;
        const rel = /^https?:/.test(target) ? ' rel="noreferrer"' : '';
        return `<a href="${escape(target)}"${rel}>${content}</a>`;
      },
      image({ href, text: alt }) {
        const target = resolve(href);
        return target === undefined ? '' : `<img src="${escape(target)}" alt="${escape(alt)}">`;
      },
    },
  });
  const title = sections.find((section) => section.title !== '')?.title ?? '';
  const first = tokens.find(({ type }) => type === 'paragraph');
  const summary = first === undefined ? '' : plainText(first);
  await turn();
  return { title, summary, html: markdown.parser(tokens), sections };
}

/** Line before and after the metadata of a file, in YAML. */
const METADATA_FENCE = '---\n';

function withoutMetadata(text: string): string {
  if (!text.startsWith(METADATA_FENCE)) return text;
  const end = text.indexOf(METADATA_FENCE, METADATA_FENCE.length);
  return end === -1 ? text : text.slice(end + METADATA_FENCE.length);
}

/**
 * Replaces the targets of links and images in Markdown. A link without an address becomes its text,
 * and an image is removed.
 */
export function withTargets(text: string, resolve: Resolve): string {
  const markdown = new Marked({ gfm: true });
  let replaced = text;
  void markdown.walkTokens(markdown.lexer(text), (token) => {
    if (token.type !== 'link' && token.type !== 'image') return;
    const { href, raw, type, text: shown } = token as Tokens.Link | Tokens.Image;
    const address = resolve(href);
    if (address === undefined) replaced = replaced.replaceAll(raw, type === 'image' ? '' : shown);
    else replaced = replaced.replaceAll(`](${href})`, `](${address})`);
  });
  return replaced;
}

/** Returns the text of a token, without markup. */
function plainText(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flat().map(textOf).join(' ');
  }
  if (token.type === 'list') {
    return (token as Tokens.List).items.map(textOf).join(' ');
  }
  if (token.type === 'br') return ' ';
  if ('tokens' in token && token.tokens !== undefined) return textOf({ tokens: token.tokens });
  return 'text' in token ? String(token.text) : '';
}

const textOf = ({ tokens }: { tokens: Token[] }): string => tokens.map(plainText).join('');

/** Makes the anchor of a heading in the same way as GitHub, so that links work there too. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

function uniqueAnchor(anchor: string, anchors: Map<string, number>): string {
  const count = anchors.get(anchor) ?? 0;
  anchors.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}
