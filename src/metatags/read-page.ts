import { STATUS_CODES } from 'node:http';
import { Refusal } from '../errors.ts';
import { FETCH_RULES, FetchRefused } from '../infra/fetch-refused.ts';
import { type Fetched, guardedFetch } from '../infra/guarded-fetch.ts';
import { decodePage } from './charset.ts';
import { describePage } from './describe.ts';
import { Head } from './head.ts';
import { MAX_URL, type Metatags } from './record.ts';

/** Maximum size of a page after decompression, in bytes. */
const MAX_BYTES = 1024 * 1024;
/**
 * Default time limit for everything: name resolution, redirects, and the page up to the end of its
 * head, in ms.
 */
const TIMEOUT_MS = 5_000;
const REDIRECTS = 5;

/** Kind of a response by its Content-Type, which may be missing. */
type Kind = 'html' | 'unclear' | 'image' | 'other';

/**
 * Reads the metadata in a page as its server sends it, without running scripts. For an image,
 * returns that it is one.
 *
 * @throws Refusal `unprocessable_entity` if there is no readable page
 */
export async function readPage(url: string, timeoutMs = TIMEOUT_MS): Promise<Metatags> {
  const fetched = await fetchHead(url, timeoutMs);
  const { status, headers } = fetched;
  // The fragment is not part of a request, and does not change the page.
  const at = fetched.url.replace(/#.*$/s, '');
  if (!isSuccess(status)) {
    const name = STATUS_CODES[status];
    throw refuse(FETCH_RULES.status('2xx', name === undefined ? status : `${status} (${name})`));
  }
  const contentType = headers['content-type'] ?? '';
  const type = essenceOf(contentType);
  const kind = kindOf(type);
  if (kind === 'image') {
    return { ...describePage(new Head(), at), image: at.length > MAX_URL ? null : at };
  }
  if (kind === 'other') throw refuse(`must respond with a web page, not ${type}`);
  const html = decodePage(fetched.body, contentType);
  if (kind === 'unclear' && html.trim() !== '' && !looksLikeHtml(html)) {
    throw refuse(
      `must respond with a web page: a body ${type === '' ? 'without a type' : `of type ${type}`} must begin as HTML`,
    );
  }
  const head = new Head();
  head.write(html);
  head.end();
  return describePage(head, at);
}

const refuse = (rule: string) => new Refusal('unprocessable_entity', `url ${rule}`);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

async function fetchHead(url: string, timeoutMs: number): Promise<Fetched> {
  // During the download only the end of the head matters, for which the character set is irrelevant
  // except for UTF-16: of such a page more than needed is read.
  const watched = new Head();
  try {
    return await guardedFetch(url, {
      timeoutMs,
      maxBytes: MAX_BYTES,
      overflow: 'cut',
      compressed: true,
      maxRedirects: REDIRECTS,
      headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      isWanted: (status, headers) =>
        isSuccess(status) &&
        ['html', 'unclear'].includes(kindOf(essenceOf(headers['content-type'] ?? ''))),
      isEnough: (piece) => {
        watched.write(piece.toString('latin1'));
        return watched.isOver;
      },
    });
  } catch (error) {
    if (error instanceof FetchRefused) throw refuse(error.message);
    throw error;
  }
}

/** Returns the media type without its parameters; empty if it is invalid. */
function essenceOf(contentType: string): string {
  return (
    /^\s*([\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100})/.exec(contentType)?.[1]?.toLowerCase() ?? ''
  );
}

function kindOf(type: string): Kind {
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (['', 'text/plain', 'text/xml', 'application/xml'].includes(type)) return 'unclear';
  return type.startsWith('image/') ? 'image' : 'other';
}

/** True if a text begins like HTML (MIME Sniffing, 7.1), with or without an XML declaration. */
function looksLikeHtml(text: string): boolean {
  const begin = text
    .slice(0, 1_024)
    .replace(/^\s*<\?xml[^>]*>/i, '')
    .trimStart();
  return /^<(!--|(!doctype\s+html|html|head|title|meta|link|base|style|script|body|iframe|h1|div|table|font|img|br|a|b|p)[\s/>])/i.test(
    begin,
  );
}
