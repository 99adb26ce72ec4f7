import { createHash } from 'node:crypto';
import axe from 'axe-core';
import { expect } from 'chai';
import { JSDOM } from 'jsdom';
import type { DisplayPage } from '../../src/lookup/display-page.ts';
import { CONTENT_NAMES } from '../../src/qrcodes/content/index.ts';
import { NETWORK_CHOICES } from '../../src/qrcodes/content/network-choices.ts';
import { NETWORK_NAMES } from '../../src/qrcodes/content/networks.ts';
import { displayPage, fileAnswer } from '../../src/redirect/pages/display.ts';
import { notFoundPage } from '../../src/redirect/pages/notices.ts';
import { ICONS } from '../../src/web/icons.ts';
import type { Page } from '../../src/web/layout.ts';
import { networkIcon } from '../../src/web/network-icons.ts';
import { PHRASES } from '../../src/web/phrases/en.ts';
import { pageOf } from '../qr/contents.ts';
import { HOSTILE, SAMPLES } from '../support/display-samples.ts';

const ADDRESS = { shortLink: 'https://acme.link/menu', fileHref: '/menu?file=1' };

function header({ headers }: Page, name: string): string | undefined {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text === name);
  return at === -1 ? undefined : headers[at + 1];
}

/** Parses a page as a browser without scripts does. */
function documentOf(page: Page): Document {
  return new JSDOM(page.body.toString()).window.document;
}

function shown(page: DisplayPage, address: Parameters<typeof displayPage>[1] = ADDRESS): Document {
  return documentOf(displayPage(page, address));
}

function one(type: string): DisplayPage {
  return SAMPLES[type]!;
}

/** Parses a page with one action and one row that link to an address. */
function pageWithLink(href: string): Document {
  const rows = [{ label: 'Address', value: 'here', href }];
  return shown({ type: 'text', title: 'A page', actions: [{ label: 'Open', href }], rows });
}

const buttonsOf = (document: Document) => [...document.querySelectorAll('button')];
const hrefsOf = (document: Document) =>
  [...document.querySelectorAll('a')].map((link) => link.getAttribute('href'));

describe('a display page', () => {
  for (const [type, sample] of Object.entries(SAMPLES)) {
    it(`shows all data of ${type}, without scripts`, () => {
      const answer = displayPage(sample, ADDRESS);
      const document = documentOf(answer);

      expect(answer.status).to.equal(200);
      expect(document.querySelectorAll('h1')).to.have.length(1);
      expect(document.querySelectorAll('main')).to.have.length(1);
      expect(document.documentElement.lang).to.equal('en');
      expect(document.querySelector('footer')?.textContent).to.equal('acme.link/menu');
      const values = [...document.querySelectorAll('dd .value')].map((value) => value.textContent);
      const wanted = sample.rows.map(({ value }) => value.toWellFormed()).filter(Boolean);
      expect(values).to.include.members(wanted);
      expect(document.querySelectorAll('.badge svg path')).to.have.length(1);
      for (const button of buttonsOf(document)) {
        expect(button.closest('[hidden]'), 'is hidden until the script runs').to.not.equal(null);
        expect(document.getElementById(button.dataset['copy'] ?? '')).to.not.equal(null);
      }
    });

    it(`allows exactly the assets of ${type} by their hashes`, () => {
      const answer = displayPage(sample, ADDRESS);
      const document = documentOf(answer);
      const policy = header(answer, 'Content-Security-Policy')!.split('; ');

      for (const name of ['style', 'script']) {
        const elements = [...document.querySelectorAll(name)];
        expect(elements).to.have.length(1);
        const hash = createHash('sha256').update(elements[0]!.textContent).digest('base64');
        expect(policy).to.include(`${name}-src 'sha256-${hash}'`);
      }
      for (const name of ['default-src', 'form-action', 'base-uri', 'frame-ancestors']) {
        expect(policy).to.include(`${name} 'none'`);
      }
      const attributes = [...document.querySelectorAll('*')].flatMap((element) =>
        element.getAttributeNames(),
      );
      expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).to.deep.equal(
        [],
      );
    });

    it(`is accessible: ${type}`, async () => {
      const { window } = new JSDOM(displayPage(sample, ADDRESS).body.toString(), {
        runScripts: 'outside-only',
      });
      window.eval(axe.source);
      // The script would show these elements.
      for (const element of window.document.querySelectorAll('[data-scripted]')) {
        element.removeAttribute('hidden');
      }
      const result = await (window as unknown as { axe: typeof axe }).axe.run(
        window.document.documentElement,
        { rules: { 'color-contrast': { enabled: false } } },
      );
      window.close();
      expect(result.violations.map(({ id, nodes }) => [id, nodes[0]?.html])).to.deep.equal([]);
    });
  }

  it('is not cached and sends no referrer', () => {
    const answer = displayPage(one('wifi'), ADDRESS);
    expect(header(answer, 'Cache-Control')).to.equal('private, no-store');
    expect(header(answer, 'Referrer-Policy')).to.equal('no-referrer');
    expect(header(answer, 'X-Content-Type-Options')).to.equal('nosniff');
    expect(header(answer, 'Content-Length')).to.equal(String(answer.body.length));
    const document = documentOf(answer);
    expect(document.querySelector('meta[name=robots]')?.getAttribute('content')).to.equal(
      'noindex',
    );
    expect(document.querySelector('meta[name=referrer]')?.getAttribute('content')).to.equal(
      'no-referrer',
    );
  });

  it('names the value that a button copies, and does not translate names such as SSID', () => {
    const rows = ['Wallet address', 'SSID', 'Wi-Fi password', 'Straße', ''].map((label) => ({
      label,
      value: 'x',
      copy: true as const,
    }));
    const names = buttonsOf(shown({ ...one('phone'), rows })).map((button) =>
      button.getAttribute('aria-label'),
    );
    expect(names).to.deep.equal([
      'Copy wallet address',
      'Copy SSID',
      'Copy Wi-Fi password',
      'Copy Straße',
      'Copy',
    ]);
  });

  it('has a large button for the first value to copy when nothing can be opened', () => {
    const document = shown(one('wifi'));
    const buttons = buttonsOf(document);
    expect(buttons.map((button) => button.textContent)).to.deep.equal(['Copy password']);
    expect(buttons[0]?.className).to.equal('action');
    expect(document.getElementById(buttons[0]?.dataset['copy'] ?? '')?.textContent).to.equal(
      'croissant; "au beurre" 2025',
    );
  });

  it('lists links with the icons of their networks, without unsafe addresses', () => {
    const document = shown({
      type: 'social',
      title: 'Northwind',
      actions: [],
      rows: [],
      links: [
        { label: 'Instagram', href: 'https://www.instagram.com/n', icon: 'instagram', note: '@n' },
        { label: '<b>', href: 'https://example.com/', icon: '__proto__' },
        { label: 'Bad', href: 'javascript:alert(1)' },
      ],
    });
    const links = [...document.querySelectorAll('.links a')];
    expect(links.map(({ textContent }) => textContent)).to.deep.equal(['Instagram@n', '<b>']);
    expect(links.map((link) => link.querySelector('svg')!.getAttribute('class'))).to.deep.equal([
      'icon-instagram',
      'icon-web',
    ]);
  });

  it('has an icon for each social network', () => {
    for (const [network] of NETWORK_CHOICES) {
      if (network !== 'website') expect(networkIcon(network), network).to.not.equal(undefined);
    }
  });

  it('shows the picture of the workspace, and allows its host only', () => {
    const picture = { id: 'abc', width: 90, height: 60 };
    const page = { type: 'vcard', title: 'Ada', actions: [], rows: [], picture };
    const images = { baseUrl: 'https://api.acme.test', projectId: 'proj_1' };
    const answer = displayPage(page, { ...ADDRESS, images });
    expect(documentOf(answer).querySelector('.photo')!.getAttribute('src')).to.equal(
      'https://api.acme.test/logos/proj_1/abc',
    );
    expect(header(answer, 'Content-Security-Policy')).to.contain(
      "img-src 'self' https://api.acme.test;",
    );
    expect(shown(page).querySelectorAll('.photo, .badge')).to.have.length(1);
  });

  it('shows the map of the operator around a place, and allows its host only', () => {
    const page = pageOf('latlog')!;
    const map = { tiles: 'https://tile.example.org/{z}/{x}/{y}.png', attribution: '© Mappers' };
    const answer = displayPage(
      { ...page, place: { latitude: 52.52, longitude: 13.405 } },
      {
        ...ADDRESS,
        map,
      },
    );
    const document = documentOf(answer);
    const tiles = [...document.querySelectorAll('.map image')].map((tile) => ({
      href: tile.getAttribute('href'),
      x: Number(tile.getAttribute('x')),
      y: Number(tile.getAttribute('y')),
    }));
    // Tile of the place by the formula of the OpenStreetMap wiki: floor(x), floor(y).
    const middle = tiles.find(
      ({ href }) => href === 'https://tile.example.org/16/35208/21492.png',
    )!;
    expect([middle.x <= 240 && middle.x > -16, middle.y <= 120 && middle.y > -136]).to.deep.equal([
      true,
      true,
    ]);
    expect(document.querySelector('figcaption')!.textContent).to.equal('© Mappers');
    expect(header(answer, 'Content-Security-Policy')).to.contain(
      "img-src 'self' https://tile.example.org;",
    );
    expect(shown(page).querySelector('.map')).to.equal(null);
    const pole = { ...page, place: { latitude: 90, longitude: 0 } };
    expect(shown(pole, { ...ADDRESS, map }).querySelector('.map')).to.equal(null);
  });

  it('begins with the amount of a payment, and copies the account with its large button', () => {
    for (const name of ['epc', 'swissqr', 'upi', 'crypto', 'pix'] as const) {
      const [first] = pageOf(name)!.rows;
      expect(first, name).to.deep.include({ copy: true, isAmount: true });
    }
    const [button] = buttonsOf(shown(pageOf('epc')!)).slice(-1);
    expect(button!.textContent).to.contain('Copy IBAN');
  });

  it('draws a code with a quiet zone of four modules', () => {
    const svg = shown(one('wifi')).querySelector('svg[role=img]')!;
    const { size, path, label } = one('wifi').code!;
    const side = size + 8;
    expect(svg.getAttribute('viewBox')).to.equal(`-4 -4 ${side} ${side}`);
    expect(svg.getAttribute('aria-label')).to.equal(`QR code: ${label}`);
    const [ground, modules] = svg.querySelectorAll('path');
    expect(ground?.getAttribute('fill')).to.equal('#fff');
    expect(ground?.getAttribute('d')).to.equal(`M-4-4h${side}v${side}h-${side}z`);
    expect(modules?.getAttribute('fill')).to.equal('#000');
    expect(modules?.getAttribute('d')).to.equal(path);
  });

  it('leaves out a code that is not a path', () => {
    const { size, label } = one('wifi').code!;
    for (const path of ['', `M0 0h1v1h-1z"/><script>1</script>`]) {
      const document = shown({ ...one('wifi'), code: { size, label, path } });
      expect(document.querySelectorAll('figure')).to.have.length(0);
      expect(document.querySelectorAll('script')).to.have.length(1);
    }
  });

  it('has saving a contact as its first action', () => {
    const links = [...shown(one('vcard')).querySelectorAll('a.action')];
    expect(links.map((link) => link.textContent)).to.deep.equal(['Save contact', 'Call', 'Email']);
    expect(links[0]?.getAttribute('href')).to.equal('/menu?file=1');
  });

  it('has no file without a URL, or with one of another site', () => {
    const { shortLink } = ADDRESS;
    expect(hrefsOf(shown(one('vcard'), { shortLink }))[0]).to.match(/^tel:/);
    for (const fileHref of [
      '//evil.example/',
      '/\\evil.example',
      '/\t/evil.example',
      'javascript:1',
      'x',
      '',
    ]) {
      expect(hrefsOf(shown(one('vcard'), { shortLink, fileHref }))).to.not.include(fileHref);
    }
  });

  const REFUSED: [what: string, href: string][] = [
    ['javascript', 'javascript:alert(1)'],
    ['javascript in mixed case', 'JaVaScRiPt:alert(1)'],
    ['javascript after a space', ' javascript:alert(1)'],
    ['javascript after a control character', '\u0001javascript:alert(1)'],
    ['javascript broken by a tab', 'java\tscript:alert(1)'],
    ['javascript broken by a line', 'java\r\nscript:alert(1)'],
    ['javascript after a no-break space', '\u00a0javascript:alert(1)'],
    ['javascript as entities', '&#106;avascript:alert(1)'],
    ['data', 'data:text/html,<script>alert(1)</script>'],
    ['vbscript', 'vbscript:msgbox(1)'],
    ['a blob', 'blob:https://example.com/1'],
    ['a file', 'file:///etc/passwd'],
    ['an intent of Android', 'intent://scan/#Intent;scheme=zxing;end'],
    ['a source view', 'view-source:https://example.com'],
    ['https after a space', ' https://example.com'],
    ['https with a null', 'https://example.com/\u0000'],
    ['https without a host', 'https:example'],
    ['https with an empty host', 'https:///example.com'],
    ['no scheme', 'example.com'],
    ['a path', '/elsewhere'],
    ['another host of the same scheme', '//evil.example'],
    ['a name of every object', 'constructor:1'],
    ['nothing', ''],
  ];
  for (const [what, href] of REFUSED) {
    it(`shows as text, never as a link: ${what}`, () => {
      const document = pageWithLink(href);
      expect(hrefsOf(document)).to.deep.equal([]);
      expect(document.querySelector('dd')?.textContent).to.equal('here');
    });
  }

  const OPENED = [
    'https://example.com/a?b=c#d',
    'HTTP://EXAMPLE.COM',
    'mailto:a@example.com?subject=%22x%22',
    'tel:+15105550101',
    'sms:+15105550101?body=hello',
    'facetime:a@example.com',
    'facetime-audio:+15105550101',
    'geo:1.5,-2.5?q=1.5,-2.5(Here & there)',
    'maps:?q=1,2',
    'bitcoin:bc1q?amount=1',
    'ethereum:0x0@1?value=2e18',
    'litecoin:a',
    'bitcoincash:a',
    'dogecoin:a',
    'dash:a',
    'monero:a',
    'solana:a',
  ];
  for (const href of OPENED) {
    it(`opens ${href} without opener and referrer`, () => {
      const document = pageWithLink(href);
      expect(hrefsOf(document)).to.deep.equal([href, href]);
      for (const link of document.querySelectorAll('a')) {
        expect(link.getAttribute('rel')).to.equal('noopener noreferrer');
      }
    });
  }

  it('keeps its policy with hostile text', () => {
    const document = shown(one('strange'));
    expect(document.querySelectorAll('script')).to.have.length(1);
    expect(document.querySelectorAll('[autofocus], [onfocus]')).to.have.length(0);
    expect(document.title)
      .to.contain('<script>')
      .and.not.match(/[\u202a-\u202e\u2066-\u2069]/);
    expect(document.querySelector('h1')?.textContent).to.contain(HOSTILE.script);
    expect(hrefsOf(document).every((href) => /^(https:|\/menu)/.test(href ?? ''))).to.equal(true);
    expect(document.body.textContent).to.contain("javascript:document.title='owned'");
  });

  it('isolates the direction of texts from their surroundings', () => {
    const document = shown(one('strange'));
    for (const element of document.querySelectorAll('h1, dt, .value, .action span, figcaption')) {
      expect(element.getAttribute('dir'), element.outerHTML.slice(0, 80)).to.equal('auto');
    }
  });
});

describe('the display page of a content type', () => {
  /** Names that are the same in every language. */
  const NAMES = [
    'Google Maps',
    'IBAN',
    'App Store',
    'Google Play',
    'LNURL',
    'Lightning',
    'UPI ID',
    'BIC',
    'Google Calendar',
    'Apple Maps',
    'OpenStreetMap',
    'Pix copia e cola',
    ...NETWORK_NAMES,
  ];
  const isPhrase = (label: string) =>
    [...PHRASES, ...NAMES].includes(label.replace(/ \(.*\)$/s, ''));

  for (const name of CONTENT_NAMES) {
    const page = pageOf(name);
    if (page === undefined) continue;

    it(`has an icon, a button for each action, and labels in every language: ${name}`, () => {
      expect(ICONS, 'src/web/icons.ts must have an icon of the type').to.have.property(page.type);
      const { actions, rows, code, file } = page;
      expect(
        hrefsOf(shown(page)),
        'SCHEMES of src/redirect/pages/display.ts must have the scheme of each action',
      ).to.include.members(actions.map(({ href }) => href));
      const labels = [...actions, ...rows, code, file].flatMap((part) => part?.label ?? []);
      expect(
        labels.filter((label) => !isPhrase(label)),
        'src/web/phrases must have each label',
      ).to.deep.equal([]);
    });
  }
});

describe('the file of a display page', () => {
  const file = one('vcard').file!;

  it('is a vCard that phones open', () => {
    const answer = fileAnswer(file);
    expect(answer.body.toString()).to.equal(file.text);
    expect(header(answer, 'Content-Type')).to.equal('text/vcard; charset=utf-8');
    expect(header(answer, 'Content-Disposition')).to.equal(
      `inline; filename="Amelie Laurent-Okafor.vcf"; filename*=UTF-8''Am%C3%A9lie%20Laurent-Okafor.vcf`,
    );
    expect(header(answer, 'Content-Security-Policy')).to.equal("default-src 'none'; sandbox");
    expect(header(answer, 'X-Content-Type-Options')).to.equal('nosniff');
    expect(header(answer, 'Cache-Control')).to.equal('private, no-store');
    expect(header(answer, 'Content-Length')).to.equal(String(answer.body.length));
  });

  it('is an iCalendar file that phones open', () => {
    const answer = fileAnswer(pageOf('event')!.file!);
    expect(header(answer, 'Content-Type')).to.equal('text/calendar; charset=utf-8');
    expect(header(answer, 'Content-Disposition')).to.contain('.ics"');
  });

  it('is plain text for any other type', () => {
    for (const type of [
      'text/html',
      'text/html\r\nX-Evil: 1',
      'text/vcardx',
      'text/calendars',
      '',
    ]) {
      expect(header(fileAnswer({ ...file, type }), 'Content-Type')).to.equal(
        'text/plain; charset=utf-8',
      );
    }
  });

  const NAMES: [what: string, name: string, parameters: string][] = [
    ['nothing', '', `filename="file"; filename*=UTF-8''file`],
    ['dots', '../../.', `filename="file"; filename*=UTF-8''file`],
    ['lines', 'a\r\nX-Evil: 1', `filename="a X-Evil 1"; filename*=UTF-8''a%20X-Evil%201`],
    ['quotes', 'a"; x="b.vcf', `filename="a ; x= b.vcf"; filename*=UTF-8''a%20%3B%20x%3D%20b.vcf`],
    [
      'apostrophes',
      "O'Neil (1)*.vcf",
      `filename="O'Neil (1) .vcf"; filename*=UTF-8''O%27Neil%20%281%29%20.vcf`,
    ],
    ['percent signs', '50%41.vcf', `filename="50_41.vcf"; filename*=UTF-8''50%2541.vcf`],
    [
      'wide quotes',
      'a＂; x＼.vcf',
      `filename="a_; x_.vcf"; filename*=UTF-8''a%EF%BC%82%3B%20x%EF%BC%BC.vcf`,
    ],
    ['an override', 'a\u202efcv.exe', `filename="afcv.exe"; filename*=UTF-8''afcv.exe`],
    ['other scripts', '名刺.vcf', `filename="__.vcf"; filename*=UTF-8''%E5%90%8D%E5%88%BA.vcf`],
    ['half a character', 'a\ud83d.vcf', `filename="a_.vcf"; filename*=UTF-8''a%EF%BF%BD.vcf`],
  ];
  for (const [what, name, parameters] of NAMES) {
    it(`has a safe name: ${what}`, () => {
      expect(header(fileAnswer({ ...file, name }), 'Content-Disposition')).to.equal(
        `inline; ${parameters}`,
      );
    });
  }

  it('keeps the extension of a long name, and no half characters', () => {
    const disposition = header(
      fileAnswer({ ...file, name: `${'x'.repeat(95)}${'👋'.repeat(50)}.vcf` }),
      'Content-Disposition',
    );
    expect(disposition).to.equal(
      `inline; filename="${'x'.repeat(95)}.vcf"; filename*=UTF-8''${'x'.repeat(95)}.vcf`,
    );
  });
});

describe('a fixed page', () => {
  it('allows its style sheet by hash and no script', () => {
    const policy = header(notFoundPage('en'), 'Content-Security-Policy')!.split('; ');
    const style = documentOf(notFoundPage('en')).querySelector('style')!.textContent;
    const hash = createHash('sha256').update(style).digest('base64');
    expect(policy).to.include.members([`style-src 'sha256-${hash}'`, "script-src 'none'"]);
    expect(documentOf(notFoundPage('en')).querySelectorAll('script')).to.have.length(0);
  });
});
