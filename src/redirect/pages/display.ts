import { normalize } from '../../infra/normalize.ts';
import type { DisplayLink, DisplayPage, DisplayRow } from '../../lookup/display-page.ts';
import { logoUrl } from '../../web/brand.ts';
import { ICONS, type IconName, typeIcon } from '../../web/icons.ts';
import { type Language, say, translate } from '../../web/language.ts';
import {
  answer,
  DIRECTION_MARKS,
  type Html,
  html,
  NOTHING,
  type Page,
  pageAssets,
  wholePage,
} from '../../web/layout.ts';
import { networkIcon } from '../../web/network-icons.ts';
import { DISPLAY_SCRIPT } from './display-script.ts';
import { DISPLAY_STYLE } from './display-style.ts';
import { mapHtml, type TileHost } from './map.ts';

const ASSETS = pageAssets(DISPLAY_STYLE, DISPLAY_SCRIPT);

/** Width of the quiet zone around a code, in modules (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4;

/** Number of buttons that fit at the lower edge of the screen without hiding the page. */
const FEW_BUTTONS = 3;

/** Schemes that become links, with the icons of their buttons. Any other scheme stays text. */
const SCHEMES: ReadonlyMap<string, IconName> = new Map<string, IconName>([
  ...schemes('web', 'http', 'https'),
  ...schemes('email', 'mailto'),
  ...schemes('phone', 'tel', 'facetime-audio'),
  ...schemes('sms', 'sms'),
  ...schemes('facetime', 'facetime'),
  ...schemes('latlog', 'geo', 'maps'),
  ...schemes('epc', 'upi'),
  ...schemes('crypto', 'bitcoin', 'bitcoincash', 'dash', 'dogecoin', 'ethereum', 'lightning'),
  ...schemes('crypto', 'litecoin', 'monero', 'ripple', 'solana', 'stellar', 'tron', 'zcash'),
]);

function schemes(icon: IconName, ...names: string[]): [string, IconName][] {
  return names.map((name) => [name, icon]);
}

/**
 * Icon of an address that may become a link; `undefined` for any other. Browsers drop control
 * characters and leading blanks before they read a scheme, so such an address is refused rather
 * than cleaned.
 */
function linkIcon(href: string): IconName | undefined {
  if (/\p{Cc}/u.test(href)) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href)?.[1]?.toLowerCase();
  const icon = scheme === undefined ? undefined : SCHEMES.get(scheme);
  // Browsers would read "https:name" as a path of this host.
  return icon === 'web' && !/^https?:\/\/[^/]/i.test(href) ? undefined : icon;
}

/**
 * The page for a scanned dynamic code. It is complete without a script, which adds copy buttons. If
 * there is nothing to open, the first row that can be copied gets the primary button.
 *
 * @param address `shortLink`: URL of the page; `fileHref`: URL or path of {@link fileAnswer},
 *   without which the page offers no file; `images`: where its picture is, without which it has none;
 *   `map`: the operator's map
 */
export function displayPage(
  stored: DisplayPage,
  address: { shortLink: string; fileHref?: string; images?: ImageHost; map?: TileHost },
  language: Language = 'en',
  isIndexed = false,
): Page {
  const page = inLanguage(stored, language);
  const { title, subtitle } = page;
  const isOpenable = ({ href }: { href: string }) => linkIcon(href) !== undefined;
  const buttons = [
    fileButton(page, address.fileHref),
    ...page.actions.filter(isOpenable).map(openButton),
  ].filter((button) => button !== NOTHING);
  const refused = page.actions.filter((action) => !isOpenable(action));
  const rows: DisplayRow[] = [
    ...page.rows,
    ...refused.map(({ label, href }) => ({ label, value: href })),
  ].filter(({ value }) => value !== '');
  const isPromoted = ({ copy, isAmount }: DisplayRow) => copy === true && isAmount !== true;
  const promoted = buttons.length === 0 ? rows.findIndex(isPromoted) : -1;

  const body = html`<main>
<header>
${badge(page, address.images)}
<h1 dir="auto">${title}</h1>
${subtitle === undefined ? NOTHING : html`<p dir="auto">${subtitle}</p>`}
</header>
${mapHtml(page.place, address.map, language)}
${rows.length === 0 ? NOTHING : html`<dl>\n${rows.map((row, at) => rowHtml(row, at, { language, hasButton: at !== promoted }))}</dl>`}
${linkList(page.links)}
${codeHtml(page.code, language)}
${promoted === -1 ? openBar(buttons) : copyBar(copyLabel(rows[promoted]!.label, language), promoted)}
<p class="status" role="status" data-copied="${say(language, 'Copied')}" data-selected="${say(language, 'Selected. Use the copy command of your device.')}"></p>
</main>
<footer><p>${address.shortLink.replace(/^https?:\/\//, '')}</p></footer>`;
  const hosts = [
    ...(page.picture && address.images ? [address.images.baseUrl] : []),
    ...(page.place && address.map ? [address.map.tiles] : []),
  ];
  const allow = { images: hosts.map((url) => new URL(url).origin).join(' ') };
  return wholePage(200, ASSETS, { language, title, body, isIndexed, allow });
}

/** Where the images of a workspace are: on the public URL of the API. */
interface ImageHost {
  baseUrl: string;
  projectId: string;
}

/** The picture of a page, or the icon of its type. */
function badge({ type, picture }: DisplayPage, images: ImageHost | undefined): Html {
  if (picture === undefined || images === undefined) {
    return html`<span class="badge">${typeIcon(type)}</span>`;
  }
  const { id, width, height } = picture;
  const url = logoUrl(images.baseUrl, images.projectId, id);
  return html`<img class="photo" src="${url}" alt="" width="${width}" height="${height}">`;
}

/** Buttons with the owner's labels; addresses that may not become links are left out. */
function linkList(links: readonly DisplayLink[] = []): Html {
  const items = links.flatMap(({ label, href, icon, note }) => {
    const own = linkIcon(href);
    if (own === undefined) return [];
    const small = note === undefined ? NOTHING : html`<small dir="auto">${note}</small>`;
    return [
      html`<li><a class="action" href="${href}" rel="noopener noreferrer">${networkIcon(icon) ?? ICONS[own]}<span dir="auto">${label}${small}</span></a></li>\n`,
    ];
  });
  return items.length === 0 ? NOTHING : html`<ul class="links">\n${items}</ul>`;
}

/** Translates the service's own words; text by the code's owner stays. */
function inLanguage(page: DisplayPage, language: Language): DisplayPage {
  if (language === 'en') return page;
  const ours = (text: string) => translate(language, text);
  const { title, subtitle, code, file } = page;
  return {
    ...page,
    title: page.isOwnTitle === true ? title : ours(title),
    subtitle: subtitle && ours(subtitle),
    actions: page.actions.map((action) => ({ ...action, label: ours(action.label) })),
    rows: page.rows.map((row) => ({ ...row, label: ours(row.label) })),
    code: code && { ...code, label: ours(code.label) },
    file: file && { ...file, label: ours(file.label) },
  };
}

function rowHtml(
  { label, value, href, copy, isAmount }: DisplayRow,
  at: number,
  { language, hasButton }: { language: Language; hasButton: boolean },
): Html {
  const isLink = href !== undefined && linkIcon(href) !== undefined;
  const shown = isLink
    ? html`<a class="value" id="value-${at}" href="${href}" rel="noopener noreferrer" dir="auto">${value}</a>`
    : html`<span class="value" id="value-${at}" dir="auto">${value}</span>`;
  const isCopyable = copy === true && hasButton;
  const button = isCopyable
    ? html`<button class="copy" type="button" data-copy="value-${at}" data-scripted hidden aria-label="${copyLabel(label, language)}">${ICONS.copy}${ICONS.check}</button>`
    : NOTHING;
  const kind = `${isCopyable ? ' copyable' : ''}${isAmount === true ? ' amount' : ''}`;
  return html`<div class="row${kind}"><dt dir="auto">${label}</dt><dd>${shown}${button}</dd></div>\n`;
}

/**
 * Label of a copy button, such as "Copy password"; names such as SSID or Wi-Fi keep their capitals.
 */
function copyLabel(label: string, language: Language): string {
  const isWord = language === 'en' && /^[A-Z][a-z]+( [a-z]+)*$/.test(label);
  return say(language, 'Copy {}', isWord ? label.toLowerCase() : label).trim();
}

function openButton({ label, href }: { label: string; href: string }): Html {
  return html`<a class="action" href="${href}" rel="noopener noreferrer">${ICONS[linkIcon(href)!]}<span dir="auto">${label}</span></a>\n`;
}

function fileButton({ file }: DisplayPage, href: string | undefined): Html {
  if (file === undefined || href === undefined) return NOTHING;
  const isOurs = /^\/(?![/\\])\P{Cc}*$/u.test(href) || linkIcon(href) === 'web';
  if (!isOurs) return NOTHING;
  return html`<a class="action" href="${href}" rel="noopener noreferrer">${ICONS.save}<span dir="auto">${file.label}</span></a>\n`;
}

function openBar(buttons: readonly Html[]): Html {
  if (buttons.length === 0) return NOTHING;
  const isFew = buttons.length <= FEW_BUTTONS;
  return html`<div class="actions${isFew ? ' few' : ''}">\n${buttons}</div>`;
}

function copyBar(words: string, at: number): Html {
  return html`<div class="actions few" data-scripted hidden>
<button class="action" type="button" data-copy="value-${at}">${ICONS.copy}${ICONS.check}<span dir="auto">${words}</span></button>
</div>`;
}

/** Dark on white in both themes, since many readers cannot read inverted codes. */
function codeHtml(code: DisplayPage['code'], language: Language): Html {
  if (code === undefined || !/^[MmHhVvLlZz\d\s,.-]+$/.test(code.path)) return NOTHING;
  const side = code.size + 2 * QUIET_ZONE;
  const box = `-${QUIET_ZONE} -${QUIET_ZONE} ${side} ${side}`;
  return html`<figure>
<svg class="code" viewBox="${box}" role="img" aria-label="${say(language, 'QR code: {}', code.label)}" shape-rendering="crispEdges"><path fill="#fff" d="${`M-${QUIET_ZONE}-${QUIET_ZONE}h${side}v${side}h-${side}z`}"/><path fill="#000" d="${code.path}"/></svg>
<figcaption dir="auto">${code.label}</figcaption>
</figure>`;
}

/**
 * The file of a display page. `inline`, so that phones open it in the matching app instead of only
 * saving it. Anything but a contact or an event is sent as plain text.
 */
export function fileAnswer({ name, type, text }: NonNullable<DisplayPage['file']>): Page {
  const [, kind = 'plain'] = /^text\/(?:x-)?(vcard|calendar)\s*(?:;|$)/i.exec(type) ?? [];
  const disposition = `inline; ${fileNameParameters(name)}`;
  return answer(200, `text/${kind.toLowerCase()}`, "default-src 'none'; sandbox", text, [
    'Content-Disposition',
    disposition,
  ]);
}

/** A file name in ASCII for old clients, and in full as RFC 8187 defines. */
function fileNameParameters(name: string): string {
  const safe =
    name
      .toWellFormed()
      .replaceAll(DIRECTION_MARKS, '')
      .replaceAll(/[\p{Cc}\u2028\u2029/\\:*?"<>|]/gu, ' ')
      .replaceAll(/\s+/g, ' ')
      .replace(/^[\s.]+/, '')
      .trim() || 'file';
  const short = safe.length > 100 ? shortened(safe) : safe;
  const ascii = normalize(short, 'NFKD')
    .replaceAll(/\p{M}/gu, '')
    // Quotes again, since normalization turns full-width quotes into plain ones.
    .replaceAll(/[^ -~]|["\\/%]/g, '_');
  const full = encodeURIComponent(short).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${ascii}"; filename*=UTF-8''${full}`;
}

/** Shortens a long name, keeping its extension. */
function shortened(name: string): string {
  const ending = /\.\w{1,8}$/.exec(name)?.[0] ?? '';
  return (
    name
      .slice(0, 100 - ending.length)
      .toWellFormed()
      .replace(/\ufffd$/, '') + ending
  );
}
