import { Parser } from 'htmlparser2';

/**
 * Elements whose content is ignored: images have titles too, and `<noscript>` does not describe the
 * page.
 */
const OTHERS = new Set(['svg', 'math', 'noscript', 'template', 'iframe', 'noframes']);
/**
 * Maximum depth of open elements, more than any real head has. The parser scans all of them at each
 * tag, which without a limit takes minutes for a page of a megabyte.
 */
const MAX_DEPTH = 100;

/**
 * Parser of the head of a page. It collects values unchanged, without validation, resolution or
 * truncation. HTML is written in pieces; `isOver` is set at the end of the head or the beginning of
 * the body.
 */
export class Head {
  isOver = false;
  /** The text of the first `<title>`. */
  title: string | undefined;
  /** URL of the first `<base>`. */
  base: string | undefined;
  /** Character sets that `<meta>` tags name, in order. */
  readonly charsets: string[] = [];
  readonly #metas = new Map<string, string[]>();
  readonly #links = new Map<string, string[]>();
  readonly #parser: Parser;
  #depth = 0;
  #others = 0;
  #isInTitle = false;

  constructor() {
    this.#parser = new Parser({
      onopentagname: (name) => {
        if (name === 'body') this.#stop();
      },
      onopentag: (name, attributes) => this.#open(name, attributes),
      ontext: (text) => {
        if (this.#isInTitle) this.title += text;
      },
      onclosetag: (name, isImplied) => this.#close(name, isImplied),
    });
  }

  /** Parses further HTML, until the head is over. */
  write(html: string): void {
    if (!this.isOver) this.#parser.write(html);
  }

  /** Ends the page; unfinished elements count. */
  end(): void {
    if (!this.isOver) this.#parser.end();
  }

  /** Contents of the `<meta>` tags with a name, in order. */
  meta(name: string): readonly string[] {
    return this.#metas.get(name) ?? [];
  }

  /** URLs of the `<link>` tags with a relation, in order. */
  link(relation: string): readonly string[] {
    return this.#links.get(relation) ?? [];
  }

  #stop(): void {
    this.isOver = true;
    this.#parser.pause();
  }

  #open(name: string, attributes: Record<string, string>): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) return this.#stop();
    if (OTHERS.has(name)) this.#others += 1;
    if (this.#others > 0) return;
    if (name === 'title' && this.title === undefined) {
      this.title = '';
      this.#isInTitle = true;
    } else if (name === 'base') {
      this.base ??= attributes['href'];
    } else if (name === 'meta') {
      this.#openMeta(attributes);
    } else if (name === 'link') {
      for (const relation of wordsOf(attributes['rel'])) {
        add(this.#links, relation, attributes['href']);
      }
    }
  }

  #openMeta({ charset, content, ...attributes }: Record<string, string>): void {
    if (charset !== undefined) this.charsets.push(charset);
    if (attributes['http-equiv']?.trim().toLowerCase() === 'content-type') {
      const named = charsetIn(content ?? '');
      if (named !== undefined) this.charsets.push(named);
    }
    // Open Graph uses `property`, everything else `name`, but pages confuse the two.
    const names = new Set([...wordsOf(attributes['property']), ...wordsOf(attributes['name'])]);
    for (const name of names) add(this.#metas, name, content);
  }

  #close(name: string, isImplied: boolean): void {
    this.#depth -= 1;
    if (OTHERS.has(name)) this.#others -= 1;
    if (name === 'title') this.#isInTitle = false;
    if (name === 'head' && !isImplied) this.#stop();
  }
}

/** The character set in a Content-Type. */
export function charsetIn(contentType: string): string | undefined {
  return /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
}

const wordsOf = (text = ''): string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

function add(map: Map<string, string[]>, name: string, value: string | undefined): void {
  if (value === undefined || value.trim() === '') return;
  const values = map.get(name);
  if (values === undefined) map.set(name, [value]);
  else values.push(value);
}
