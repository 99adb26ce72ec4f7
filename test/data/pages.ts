import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Metatags } from '../../src/metatags/record.ts';
import type { SiteAnswer } from '../support/site.ts';

/*
 * Pages of every shape that the web has, and what is said of them. `SITE` in an expected address is that of the site
 * that answers with the page.
 */

/** One page: how it is answered, and what is found in it. What is not named is `null`. */
export interface PageShape {
  what: string;
  answer: SiteAnswer;
  found: Partial<Metatags>;
}

/** Text whose characters are bytes. */
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

const html = (body: string | Buffer, type = 'text/html; charset=utf-8'): SiteAnswer => ({
  type,
  body,
});
const head = (inside: string): SiteAnswer =>
  html(`<!doctype html><html><head>${inside}</head><body><p>Text</p></body></html>`);
const titled = (title: string): string => `<!doctype html><title>${title}</title><p>Text</p>`;

/** So many bytes that are no part of any tag. */
const filler = (size: number): string => `<!--${' '.repeat(size)}-->`;

const row = (what: string, answer: SiteAnswer, found: Partial<Metatags> = {}): PageShape => ({
  what,
  answer,
  found,
});

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

const CHARACTER_SETS: PageShape[] = [
  row('UTF-8 by its header', html(titled('Grüße 日本語')), { title: 'Grüße 日本語' }),
  row(
    'UTF-8 by its mark, whatever the header says',
    {
      type: 'text/html; charset=shift_jis',
      body: Buffer.from(`\ufeff${titled('Grüße')}`),
    },
    { title: 'Grüße' },
  ),
  row('UTF-8 that is called nothing', html(titled('Grüße'), 'text/html'), { title: 'Grüße' }),
  row(
    'Shift_JIS by its header',
    html(bytes(titled('\x93\xfa\x96{\x8c\xea')), 'text/html; charset=Shift_JIS'),
    { title: '日本語' },
  ),
  row(
    'Shift_JIS by a label in quotes',
    html(bytes(titled('\x93\xfa\x96{\x8c\xea')), 'text/html;charset="x-sjis"'),
    { title: '日本語' },
  ),
  row(
    'Shift_JIS by its meta alone',
    html(bytes(`<meta charset=shift_jis>${titled('\x93\xfa\x96{\x8c\xea')}`), 'text/html'),
    { title: '日本語' },
  ),
  row(
    'EUC-KR by its http-equiv',
    html(
      bytes(
        `<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=euc-kr">${titled('\xc7\xd1\xb1\xb9\xbe\xee')}`,
      ),
      'text/html',
    ),
    { title: '한국어' },
  ),
  row(
    'GB 18030 with characters of four bytes',
    html(bytes(titled('\xd6\xd0\xce\xc4 \x949\xfc6')), 'text/html; charset=gb18030'),
    { title: '中文 😀' },
  ),
  row('Big5', html(bytes(titled('\xa4\xa4\xa4\xe5')), 'text/html; charset=big5'), {
    title: '中文',
  }),
  row('ISO-2022-JP', html(bytes(titled('\x1b$BF|K\\\x1b(B')), 'text/html; charset=iso-2022-jp'), {
    title: '日本',
  }),
  row(
    'windows-1251',
    html(bytes(titled('\xcf\xf0\xe8\xe2\xe5\xf2')), 'text/html; charset=windows-1251'),
    { title: 'Привет' },
  ),
  row(
    'KOI8-R by its meta',
    html(bytes(`<meta charset="koi8-r">${titled('\xf0\xd2\xc9\xd7\xc5\xd4')}`), 'text/html'),
    { title: 'Привет' },
  ),
  row(
    'windows-1252 that calls itself ISO 8859-1',
    html(bytes(titled('It\x92s \x80 5 \x96 caf\xe9')), 'text/html; charset=iso-8859-1'),
    { title: 'It’s € 5 – café' },
  ),
  row('windows-1252 that is called nothing', html(bytes(titled('It\x92s caf\xe9')), 'text/html'), {
    title: 'It’s café',
  }),
  row(
    'UTF-8 that calls itself ISO 8859-1, as browsers show it',
    html(titled('café'), 'text/html; charset=iso-8859-1'),
    { title: 'cafÃ©' },
  ),
  row(
    'invalid UTF-8 that calls itself UTF-8',
    html(bytes(titled('caf\xe9')), 'text/html; charset=utf-8'),
    { title: 'caf\ufffd' },
  ),
  row('UTF-16, little end first, by its mark', html(utf16(titled('Ünï 日本')), 'text/html'), {
    title: 'Ünï 日本',
  }),
  row(
    'UTF-16, big end first, by its mark',
    html(utf16(titled('Ünï 日本')).swap16(), 'text/html; charset=utf-8'),
    { title: 'Ünï 日本' },
  ),
  row(
    'UTF-8 whose meta says UTF-16',
    html(`<meta charset="utf-16">${titled('Grüße')}`, 'text/html'),
    { title: 'Grüße' },
  ),
  row(
    'a meta that says x-user-defined',
    html(bytes(`<meta charset="x-user-defined">${titled('caf\xe9')}`), 'text/html'),
    { title: 'café' },
  ),
  row(
    'a header that says what nobody knows, and a meta that knows',
    html(bytes(`<meta charset=windows-1251>${titled('\xcf\xf0')}`), 'text/html; charset=klingon'),
    { title: 'Пр' },
  ),
  row(
    'a first meta that says what nobody knows',
    html(bytes(`<meta charset=x><meta charset=windows-1251>${titled('\xcf\xf0')}`), 'text/html'),
    { title: 'Пр' },
  ),
  row('a header that wins over the meta', html(`<meta charset="windows-1251">${titled('Grüße')}`), {
    title: 'Grüße',
  }),
  row(
    'a meta after the first 1,024 bytes',
    html(
      bytes(`${filler(1_100)}<meta charset=shift_jis>${titled('\x93\xfa\x96{\x8c\xea')}`),
      'text/html',
    ),
    { title: '日本語' },
  ),
  row(
    'UTF-8 whose late meta says something else',
    html(`${filler(1_100)}<meta charset=shift_jis>${titled('日本語')}`, 'text/html'),
    { title: '日本語' },
  ),
];

const TITLES: PageShape[] = [
  row(
    'has og: before twitter: before its own title',
    head(
      '<title>C</title><meta name="twitter:title" content="B"><meta property="og:title" content="A">',
    ),
    { title: 'A' },
  ),
  row(
    'has twitter: before its own title',
    head('<title>C</title><meta name="twitter:title" content="B">'),
    { title: 'B' },
  ),
  row(
    'has an empty og:title',
    head(
      '<meta property="og:title" content=""><meta name="twitter:title" content="&nbsp; &#8206;"><title>C</title>',
    ),
    { title: 'C' },
  ),
  row(
    'says everything twice: the first counts',
    head(
      '<title>One</title><title>Two</title><meta name=description content=First><meta name=description content=Second>',
    ),
    { title: 'One', description: 'First' },
  ),
  row(
    'is written in capitals',
    html(
      '<HTML><HEAD><TITLE>Loud</TITLE><META NAME="DESCRIPTION" CONTENT="Louder"><LINK REL="CANONICAL" HREF="/c"></HEAD>',
    ),
    { title: 'Loud', description: 'Louder', canonical: 'SITE/c' },
  ),
  row(
    'has attributes without quotes, and with single ones',
    head(
      "<meta property=og:title content=Plain><meta name='description' content='In \"single\" ones'>",
    ),
    { title: 'Plain', description: 'In "single" ones' },
  ),
  row(
    'confuses name and property',
    head('<meta name="og:title" content="A"><meta property="description" content="B">'),
    { title: 'A', description: 'B' },
  ),
  row(
    'has its attributes in another order, and twice',
    head('<meta content="A" content="B" data-x property="og:title" />'),
    { title: 'A' },
  ),
  row(
    'has entities, with and without a semicolon',
    head('<title>Fish &amp; Chips &lt;3 caf&eacute &#x1F41F; &copy 2 &notathing;</title>'),
    { title: 'Fish & Chips <3 café 🐟 © 2 ¬athing;' },
  ),
  row(
    'has entities in attributes',
    head('<meta property="og:title" content="&quot;A&quot; &#39;B&#39; ?a=1&copy=2">'),
    { title: '"A" \'B\' ?a=1&copy=2' },
  ),
  row('has entities twice, and shows them once', head('<title>&amp;amp;</title>'), {
    title: '&amp;',
  }),
  row('has emoji of many parts', head('<title>👩‍👩‍👧‍👦 🇯🇵 👍🏽</title>'), {
    title: '👩‍👩‍👧‍👦 🇯🇵 👍🏽',
  }),
  row('has marks for writing from right to left', head('<title>\u200fשלום\u200e עולם</title>'), {
    title: '\u200fשלום\u200e עולם',
  }),
  row(
    'turns around what stands beside its title',
    head('<title>\u202egnp.exe\u2066 A\u2069</title>'),
    { title: 'gnp.exe A' },
  ),
  row(
    'has white space of all kinds',
    head('<title>\n\t One\r\n  two \u00a0\u2003three\u2028 </title>'),
    { title: 'One two three' },
  ),
  row('has control characters', head('<title>a\u0007b\u001b[31mc\u007f \u0085d</title>'), {
    title: 'ab[31mc d',
  }),
  row(
    'has NUL bytes',
    html(bytes('<meta property="og:title" content="a\0b"><meta name=description content=c\0>')),
    { title: 'ab', description: 'c' },
  ),
  row('has a very long title', head(`<title>${'word '.repeat(100_000)}</title>`), {
    title: 'word '.repeat(60).trim(),
  }),
  row('has a long title, cut between two characters', head(`<title>${'a'.repeat(299)}😀</title>`), {
    title: 'a'.repeat(299),
  }),
  row(
    'has long texts of other kinds',
    head(
      `<meta name=description content="${'d'.repeat(1_001)}"><meta property=og:site_name content="${'s'.repeat(101)}">`,
    ),
    { description: 'd'.repeat(1_000), siteName: 's'.repeat(100) },
  ),
  row('has tags in its title', head('<title>A <b>bold</b> <!-- thing --></title>'), {
    title: 'A <b>bold</b> <!-- thing -->',
  }),
  row('never closes its title', html('<title>Open'), { title: 'Open' }),
];

const PLACES: PageShape[] = [
  row('has no head', html('<title>A</title><meta name=description content=B><p>Text'), {
    title: 'A',
    description: 'B',
  }),
  row(
    'has a title between head and body only',
    html('<html><title>A</title><body><title>B</title></body>'),
    { title: 'A' },
  ),
  row(
    'has its tags in its body',
    html('<html><body><title>A</title><meta property="og:title" content="B"></body></html>'),
  ),
  row(
    'has tags after its head',
    html('<head><title>A</title></head><meta property="og:title" content="B"><body>'),
    { title: 'A' },
  ),
  row('has a stray end tag before its tags', html('</div></p><head><title>A</title>'), {
    title: 'A',
  }),
  row(
    'has tags in comments',
    head('<!-- <meta property="og:title" content="X"><title>X</title> </head> --><title>A</title>'),
    { title: 'A' },
  ),
  row(
    'has tags in scripts and styles',
    head(
      '<script>document.write("<title>X</title></head><body>")</script><style>/* <meta name=description content=X> */</style><title>A</title>',
    ),
    { title: 'A' },
  ),
  row(
    'has a comment in a script',
    head('<script><!-- <title>X</title> //--></script><title>A</title>'),
    { title: 'A' },
  ),
  row(
    'says something to who has no scripts',
    head(
      '<noscript><title>Enable it</title><meta name="description" content="Enable it"></noscript><title>A</title>',
    ),
    { title: 'A' },
  ),
  row('has a template', head('<template><title>X</title></template><title>A</title>'), {
    title: 'A',
  }),
  row(
    'has a picture with a title in its head',
    head('<svg><title>Logo</title></svg><svg/><title>A</title>'),
    { title: 'A' },
  ),
  row(
    'has a picture with a title in its body',
    html('<html><head></head><body><svg><title>Logo</title></svg></body>'),
  ),
  row(
    'has a picture with a title, and no head or title',
    html('<svg xmlns="http://www.w3.org/2000/svg"><title>Logo</title></svg>'),
  ),
  row(
    'is a shell for scripts',
    html(
      '<!doctype html><html><head><script src="/app.js"></script></head><body><div id="root"></div></body></html>',
    ),
  ),
  row(
    'has JSON-LD only',
    head(
      '<script type="application/ld+json">{"@type":"Article","headline":"X","image":"/x.png"}</script>',
    ),
  ),
  row(
    'refreshes to another page',
    head('<meta http-equiv="refresh" content="0; url=/elsewhere"><title>Wait</title>'),
    { title: 'Wait' },
  ),
  row(
    'nests deeper than any head',
    html(`<title>A</title>${'<div>'.repeat(5_000)}<meta name=description content=X>`),
    { title: 'A' },
  ),
  row(
    'is huge, with its title at the start',
    html(`<title>A</title>${filler(3 * 1024 * 1024)}<meta name=description content=X>`),
    { title: 'A' },
  ),
  row(
    'is huge, with its title at the end',
    html(`<html><head>${filler(3 * 1024 * 1024)}<title>X</title></head>`),
  ),
  row('ends in the middle of a tag', html('<title>A</title><meta name="description" content="B'), {
    title: 'A',
  }),
  row('is empty', html('')),
  row(
    'is XHTML',
    html(
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>A</title><meta name="description" content="B" /></head></html>',
      'application/xhtml+xml',
    ),
    { title: 'A', description: 'B' },
  ),
  row('has no Content-Type', { body: titled('A') }, { title: 'A' }),
  row(
    'has no Content-Type, and begins with a comment',
    { body: `\n <!-- 1 -->${titled('A')}` },
    { title: 'A' },
  ),
  row('has an invalid Content-Type', html(titled('A'), 'html'), { title: 'A' }),
  row('calls itself plain text, and is HTML', html(titled('A'), 'text/plain'), { title: 'A' }),
  row(
    'calls itself XML, and is XHTML',
    html(`<?xml version="1.0"?>\n<html><head>${titled('A')}`, 'text/xml'),
    { title: 'A' },
  ),
  row(
    'has a Content-Type in capitals with parameters',
    html(titled('A'), 'TEXT/HTML ; Charset=UTF-8'),
    { title: 'A' },
  ),
  row('is answered with 204', { status: 204 }),
  row('is answered with 203', { ...head('<title>A</title>'), status: 203 }, { title: 'A' }),
];

const ADDRESSES: PageShape[] = [
  row(
    'has relative addresses',
    head(
      '<meta property=og:image content="a/b.png?c=1&amp;d=2"><link rel=icon href=/i.ico><link rel=canonical href="?p=1"><meta property=og:video content=../v.mp4>',
    ),
    {
      image: 'SITE/shapes/a/b.png?c=1&d=2',
      icon: 'SITE/i.ico',
      canonical: 'SITE/shapes/PAGE?p=1',
      video: 'SITE/v.mp4',
    },
  ),
  row(
    'has an address without a scheme',
    head('<meta property=og:image content="//cdn.example/i.png">'),
    { image: 'http://cdn.example/i.png' },
  ),
  row(
    'has a base',
    head(
      '<meta property=og:image content="i.png"><base href="https://cdn.example/x/"><base href="https://other.example/">',
    ),
    { image: 'https://cdn.example/x/i.png' },
  ),
  row('has a relative base', head('<base href="/b/"><link rel=icon href=i.ico>'), {
    icon: 'SITE/b/i.ico',
  }),
  row(
    'has a base that is no place',
    head('<base href="javascript:1"><link rel=icon href=/i.ico>'),
    { icon: 'SITE/i.ico' },
  ),
  row(
    'has invalid URLs',
    head(
      '<meta property=og:image content="javascript:alert(1)"><meta property=og:image:secure_url content="data:image/png;base64,AAAA"><meta property=og:image:url content="http://["><meta name=twitter:image content="https://a.example/t.png">',
    ),
    { image: 'https://a.example/t.png' },
  ),
  row(
    'has scripts for addresses only',
    head(
      '<link rel=canonical href="javascript:1"><link rel=icon href="data:,"><meta property=og:video content="vbscript:1"><meta property=og:image content="file:///etc/passwd">',
    ),
  ),
  row(
    'has og:image before all others',
    head(
      '<link rel=image_src href=/4><meta name=twitter:image content=/3><meta property=og:image:secure_url content=/2><meta property=og:image content=/1>',
    ),
    { image: 'SITE/1' },
  ),
  row(
    'has og:image:secure_url',
    head('<meta property=og:image:url content=/3><meta property=og:image:secure_url content=/2>'),
    { image: 'SITE/2' },
  ),
  row(
    'has og:image:url',
    head('<meta property=og:image:url content=/3><meta name=twitter:image:src content=/4>'),
    { image: 'SITE/3' },
  ),
  row('has image_src only', head('<link rel="image_src" href="/4">'), { image: 'SITE/4' }),
  row(
    'has several images',
    head('<meta property=og:image content=/1><meta property=og:image content=/2>'),
    { image: 'SITE/1' },
  ),
  row(
    'has an image whose address is too long',
    head(
      `<meta property=og:image content="/${'a'.repeat(2_048)}"><meta name=twitter:image content=/t>`,
    ),
    { image: 'SITE/t' },
  ),
  row(
    'has an image whose address is beyond ASCII',
    head('<meta property=og:image content="/bücher/日本 1.png">'),
    { image: 'SITE/b%C3%BCcher/%E6%97%A5%E6%9C%AC%201.png' },
  ),
  row(
    'has icons of several kinds',
    head(
      '<link rel=mask-icon href=/m><link rel=apple-touch-icon href=/a><link rel="shortcut icon" href="/s.ico">',
    ),
    { icon: 'SITE/s.ico' },
  ),
  row('has an icon for Apple only', head('<link rel=apple-touch-icon href=/a>'), {
    icon: 'SITE/a',
  }),
  row(
    'has og:url, and names of its site',
    head(
      '<meta property=og:url content=/u><meta name=application-name content=App><meta property=og:site_name content=Site>',
    ),
    { canonical: 'SITE/u', siteName: 'Site' },
  ),
  row(
    'has a canonical address beside og:url',
    head('<meta property=og:url content=/u><link rel=canonical href=/c>'),
    { canonical: 'SITE/c' },
  ),
  row(
    'has a player',
    head(
      '<meta name=twitter:player content=https://v.example/p><meta name=twitter:player:stream content=https://v.example/s>',
    ),
    { video: 'https://v.example/s' },
  ),
  row(
    'has everything',
    head(
      '<meta property=og:title content=T><meta property=og:description content=D><meta property=og:image content=/i><meta property=og:video content=/v><meta property=og:site_name content=S><link rel=icon href=/f><link rel=canonical href=/c>',
    ),
    {
      title: 'T',
      description: 'D',
      image: 'SITE/i',
      video: 'SITE/v',
      siteName: 'S',
      icon: 'SITE/f',
      canonical: 'SITE/c',
    },
  ),
];

const packed = (encoding: string, body: Buffer): SiteAnswer => ({
  type: 'text/html; charset=utf-8',
  headers: { 'content-encoding': encoding },
  body,
});

const COMPRESSED: PageShape[] = [
  row('is packed by gzip', packed('gzip', gzipSync(titled('Grüße'))), { title: 'Grüße' }),
  row('is packed by brotli', packed('br', brotliCompressSync(titled('Grüße'))), { title: 'Grüße' }),
  row('is packed by deflate', packed('deflate', deflateSync(titled('Grüße'))), { title: 'Grüße' }),
  row(
    'is a bomb: 100 MiB of head in 100 KiB',
    packed('gzip', gzipSync(`<title>A</title>${filler(100 * 1024 * 1024)}`)),
    { title: 'A' },
  ),
];

/** Pages that are read. */
export const PAGES: readonly PageShape[] = [
  ...CHARACTER_SETS,
  ...TITLES,
  ...PLACES,
  ...ADDRESSES,
  ...COMPRESSED,
];

/** Responses that are no page, and the reason. */
export const NO_PAGES: readonly { what: string; answer: SiteAnswer; why: string }[] = [
  {
    what: 'JSON',
    answer: html('{"title":"A"}', 'application/json'),
    why: 'must respond with a web page, not application/json',
  },
  {
    what: 'HTML with the type of JSON',
    answer: html(titled('A'), 'application/json'),
    why: 'must respond with a web page, not application/json',
  },
  {
    what: 'a PDF',
    answer: html('%PDF-1.7', 'application/pdf'),
    why: 'must respond with a web page, not application/pdf',
  },
  {
    what: 'a video',
    answer: html('', 'video/mp4'),
    why: 'must respond with a web page, not video/mp4',
  },
  {
    what: 'plain text',
    answer: html('hello', 'text/plain; charset=utf-8'),
    why: 'must respond with a web page: a body of type text/plain must begin as HTML',
  },
  {
    what: 'a feed',
    answer: html('<?xml version="1.0"?><rss><title>A</title></rss>', 'application/xml'),
    why: 'must respond with a web page: a body of type application/xml must begin as HTML',
  },
  {
    what: 'bytes without a Content-Type',
    answer: { body: Buffer.alloc(5_000, 7) },
    why: 'must respond with a web page: a body without a type must begin as HTML',
  },
  {
    what: 'a missing page',
    answer: { ...html(titled('Not found')), status: 404 },
    why: 'must respond with status 2xx, not 404 (Not Found)',
  },
  {
    what: 'a forbidden page',
    answer: { ...html(titled('No')), status: 403 },
    why: 'must respond with status 2xx, not 403 (Forbidden)',
  },
  {
    what: 'a page with a server error',
    answer: { ...html(titled('Oh')), status: 500 },
    why: 'must respond with status 2xx, not 500 (Internal Server Error)',
  },
  {
    what: 'an unknown status',
    answer: { ...html(titled('Oh')), status: 599 },
    why: 'must respond with status 2xx, not 599',
  },
  {
    what: 'a redirect without a Location',
    answer: { status: 302 },
    why: 'must respond with status 2xx, not 302 (Found)',
  },
  {
    what: 'a redirect to an invalid URL',
    answer: { status: 301, headers: { location: 'http://[' } },
    why: 'must not redirect to an invalid URL',
  },
  {
    what: 'a redirect to a file',
    answer: { status: 301, headers: { location: 'file:///etc/passwd' } },
    why: 'must begin with http:// or https://',
  },
  {
    what: 'invalid gzip',
    answer: packed('gzip', Buffer.from(titled('A'))),
    why: 'must not respond with damaged compressed data',
  },
  {
    what: 'truncated gzip',
    answer: packed('gzip', gzipSync(`<title>A</title>${filler(50)}`).subarray(0, 40)),
    why: 'must not respond with damaged compressed data',
  },
  {
    what: 'an encoding that was not requested',
    answer: packed('zstd', Buffer.from('A')),
    why: 'must respond uncompressed or in an accepted encoding',
  },
];
