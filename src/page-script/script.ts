/*
 * The script of web pages (`/track.js`). It keeps the id of the click that opened the page in a
 * cookie of the site, and sends leads and sales with it. It runs on pages of others, so it imports
 * nothing, changes only `window.shortlinks` and that cookie, and does nothing for visitors who ask
 * for privacy. docs/page-script.md describes its attributes.
 */

/** A lead or sale: the body of `POST /track/lead` or `POST /track/sale`. */
type Fields = Record<string, unknown>;
type Track = (fields: Fields) => Promise<unknown>;
type Name = 'trackLead' | 'trackSale';

/** A call that the page stored before this script was loaded. */
type Call = [name: Name, fields: Fields, resolve: (body: unknown) => void, reject: () => void];

declare global {
  interface Window {
    shortlinks?: Record<Name, Track> & { queue?: Call[] };
  }
  interface Navigator {
    globalPrivacyControl?: boolean;
  }
}

/*
 * Names that a workspace can give to the parameter of the click, and the name of the cookie. Ids
 * have the form of src/visitors/click-id.ts; a page can be opened with any other text.
 */
const PARAMETER = /[?&](?:click_id|dub_id)=(clk_[\w-]{24})(?=&|$)/;
const COOKIE = /(?:^|; )click_id=(clk_[\w-]{24})(?=;|$)/;
const LIFETIME_S = 90 * 86_400;

const script = document.currentScript as HTMLScriptElement;
const { key, domain } = script.dataset;
const isPrivate = navigator.globalPrivacyControl === true || navigator.doNotTrack === '1';

/** Click that opened this page; also where the browser stores no cookies. */
const opened = isPrivate ? undefined : PARAMETER.exec(location.search)?.[1];

const clickId = (): string | undefined => opened ?? COOKIE.exec(document.cookie)?.[1];

/** Sends a lead or sale. The path is relative to this script, which may be behind a path of the site. */
async function send(path: string, fields: Fields): Promise<unknown> {
  const response = await fetch(new URL(path, script.src), {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(fields),
    credentials: 'omit',
    // The request outlives the page, which may be left at once.
    keepalive: true,
  }).catch(() => {
    throw new Error(`No response: is the key right, and ${location.origin} one of its origins?`);
  });
  // A proxy may answer with a page.
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.error?.message ?? `HTTP ${response.status}`);
  return body;
}

const withClick = (fields: Fields): Fields => ({ clickId: clickId(), ...fields });

const api: Record<Name, Track> = {
  async trackLead(fields) {
    const lead = isPrivate ? {} : withClick(fields);
    return lead['clickId'] ? send('track/lead', lead) : null;
  },
  async trackSale(fields) {
    return isPrivate ? null : send('track/sale', withClick(fields));
  },
};

if (opened) {
  document.cookie =
    `click_id=${opened}; Path=/; Max-Age=${LIFETIME_S}; SameSite=Lax` +
    (location.protocol === 'https:' ? '; Secure' : '') +
    (domain ? `; Domain=${domain}` : '');
}
const calls = window.shortlinks?.queue ?? [];
window.shortlinks = api;
for (const [name, fields, resolve, reject] of calls) api[name](fields).then(resolve, reject);
