import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp, { type Create } from 'sharp';
import { Refusal } from '../../src/errors.ts';
import { type ReadImage, readImage as readImageFor } from '../../src/images/read.ts';
import { imageSource } from '../../src/images/source.ts';
import { svgRoot } from '../../src/images/svg-root.ts';
import { eventually } from '../support/eventually.ts';
import { isDrawing, withDescendants } from '../support/processes.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';
// Starts the servers of the tests.
import '../support/servers.ts';

const NO_IMAGE = 'must be an image (PNG, JPEG, WebP, GIF, AVIF or SVG)';
const DAMAGED = 'must be an image whose file is not damaged';
const TOO_LONG = 'must be an SVG that can be drawn within 5 s of processor time';
const NAMESPACES =
  'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="64"';
const GREEN = '<rect width="64" height="64" fill="#0f0"/>';

/** Builds a `data:` URI, by default with a false type. */
const dataUri = (bytes: Buffer | string, type = 'image/png'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
const svg = (content: string, before = ''): string =>
  dataUri(`${before}<svg ${NAMESPACES}>${content}</svg>`, 'image/svg+xml');

const plain = (width: number, height: number, background: Create['background'] = 'red') =>
  sharp({ create: { width, height, channels: 4, background } });

/** Reads an image, and retries while the machine has no processor time for it. */
async function readImage(source: string): Promise<ReadImage> {
  for (;;) {
    try {
      return await readImageFor(source, { isOfNobody: false });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'service_unavailable') throw error;
    }
  }
}

/** Resolves with the message of a Refusal, and rethrows other errors. */
async function refusal(source: string): Promise<string> {
  try {
    const { width, height } = await readImage(source);
    return `not refused: ${width}×${height}`;
  } catch (error) {
    expect(error).to.be.instanceOf(Refusal).with.property('code', 'unprocessable_entity');
    return (error as Refusal).message;
  }
}

/** Reads the RGBA values of one pixel. */
async function pixel({ png, width }: ReadImage, x: number, y: number): Promise<number[]> {
  const raw = await sharp(png).ensureAlpha().raw().toBuffer();
  return [...raw.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** Builds one chunk of a PNG (ISO 15948, 5.3). */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Builds a tiny PNG whose header claims a size. */
function headerBomb(width: number, height: number): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const data = deflateSync(Buffer.alloc(1_000));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('images', function () {
  // An SVG is drawn at low priority: beside 20 other programs, 5 s of processor time take long.
  this.timeout(1_800_000);
  let site: Site;
  let restore: () => void;
  before(async () => {
    site = await Site.start();
    restore = keepSettings();
    setSettings({ OUTBOUND_ALLOW: '127.0.0.1' });
  });
  after(async () => {
    restore();
    await site.stop();
  });

  describe('of every format', () => {
    const kinds: [name: string, make: () => Promise<Buffer>][] = [
      ['PNG', () => plain(40, 20).png().toBuffer()],
      ['JPEG', () => plain(40, 20).jpeg({ quality: 100 }).toBuffer()],
      ['WebP', () => plain(40, 20).webp({ lossless: true }).toBuffer()],
      ['GIF', () => plain(40, 20).gif().toBuffer()],
      ['AVIF', () => plain(40, 20).avif({ lossless: true }).toBuffer()],
      ['CMYK JPEG', () => plain(40, 20).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()],
      ['16 bit PNG', () => plain(40, 20).toColourspace('rgb16').png().toBuffer()],
    ];
    for (const [name, make] of kinds) {
      it(`are converted to PNG: ${name}`, async () => {
        site.answer('/image', { headers: { 'Content-Type': 'text/html' }, body: await make() });
        const fetched = await readImage(`${site.url}/image`);
        expect([fetched.width, fetched.height]).to.deep.equal([40, 20]);
        expect(fetched.id).to.equal(createHash('sha256').update(fetched.png).digest('hex'));
        const { format, space, depth } = await sharp(fetched.png).metadata();
        expect([format, space, depth]).to.deep.equal(['png', 'srgb', 'uchar']);
        const [red, green, blue, alpha] = await pixel(fetched, 20, 10);
        // Print colors and lossy formats are only approximately equal.
        expect(red).to.be.greaterThan(220);
        expect(green).to.be.lessThan(50);
        expect(blue).to.be.lessThan(50);
        expect(alpha).to.equal(255);
      });
    }

    it('may have one pixel', async () => {
      const image = await readImage(dataUri(await plain(1, 1).png().toBuffer()));
      expect([image.width, image.height]).to.deep.equal([1, 1]);
    });

    it('are the first frame of an animation', async () => {
      const frames = await Promise.all(
        ['red', 'blue'].map((one) => plain(8, 8, one).png().toBuffer()),
      );
      const gif = await sharp(frames, { join: { animated: true } })
        .gif()
        .toBuffer();
      expect((await sharp(gif).metadata()).pages).to.equal(2);
      const image = await readImage(dataUri(gif, 'image/gif'));
      expect([image.height, ...(await pixel(image, 4, 4))]).to.deep.equal([8, 255, 0, 0, 255]);
    });

    it('are rotated by their EXIF orientation, and lose their metadata', async () => {
      const exif = { IFD0: { Copyright: 'Somebody', Artist: 'Somebody' } };
      const jpeg = await plain(40, 20)
        .withExif(exif)
        .withMetadata({ orientation: 6 })
        .withIccProfile('p3')
        .jpeg()
        .toBuffer();
      const image = await readImage(dataUri(jpeg, 'image/jpeg'));
      expect([image.width, image.height]).to.deep.equal([20, 40]);
      const found = await sharp(image.png).metadata();
      expect(found).not.to.have.any.keys('exif', 'icc', 'xmp', 'orientation');
    });

    it('keep their transparency', async () => {
      const clear = { r: 255, g: 0, b: 0, alpha: 0 };
      const image = await readImage(dataUri(await plain(4, 4, clear).png().toBuffer()));
      expect((await pixel(image, 1, 1))[3]).to.equal(0);
    });

    it('are scaled down, never up', async () => {
      const image = await readImage(dataUri(await plain(4_096, 100).png().toBuffer()));
      expect([image.width, image.height]).to.deep.equal([1_024, 25]);
    });

    it('have the same id when their pixels are equal', async () => {
      const png = await plain(4, 4).png().toBuffer();
      site.answer('/same', { body: png });
      const [one, other] = [await readImage(dataUri(png)), await readImage(`${site.url}/same`)];
      expect(one.id).to.equal(other.id);
    });
  });

  describe('in a data URI', () => {
    it('may be percent-encoded text', async () => {
      const text = `<svg ${NAMESPACES}>${GREEN}</svg>`;
      const drawn = await readImage(`data:image/svg+xml,${encodeURIComponent(text)}`);
      expect(await pixel(drawn, 9, 9)).to.deep.equal([0, 255, 0, 255]);
    });

    it('may be percent-encoded bytes', async () => {
      const png = await plain(4, 4).png().toBuffer();
      const bytes = [...png].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      expect((await readImage(`data:image/png,${bytes}`)).width).to.equal(4);
    });

    it('may be escaped base64 with a fragment', async () => {
      const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
      const noisy = sharp({
        create: { width: 64, height: 64, channels: 3, background: 'red', noise },
      });
      const uri = dataUri(await noisy.png().toBuffer());
      const start = uri.indexOf(',') + 1;
      const escaped = uri.slice(0, start) + encodeURIComponent(uri.slice(start));
      expect(escaped).to.contain('%2B').and.to.contain('%2F');
      for (const one of [uri, escaped, `${escaped}#logo`]) {
        expect((await readImage(one)).width, one.slice(0, 40)).to.equal(64);
      }
    });

    const bad: [uri: string, reason: string][] = [
      ['data:image/png;base64,', NO_IMAGE],
      ['data:image/png;base64,%zz', 'must be a data URI with valid percent-encoding'],
      ['data:image/png;base64', NO_IMAGE],
      ['data:', NO_IMAGE],
      ['data:image/png;base64,!!!!', NO_IMAGE],
      ['data:text/html,<script>alert(1)</script>', NO_IMAGE],
      ['data:image/svg+xml,%zz', 'must be a data URI with valid percent-encoding'],
      [dataUri(Buffer.alloc(2 * 1024 * 1024 + 1)), 'must not be larger than 2 MiB'],
    ];
    for (const [uri, reason] of bad) {
      it(`are refused: ${uri.slice(0, 40)}`, async () => {
        expect(await refusal(uri)).to.equal(reason);
      });
    }
  });

  describe('that are other files', () => {
    it('are recognized by their content, whatever their type', async () => {
      const others = [
        '<!DOCTYPE html><html><body>secret</body></html>',
        '<html><svg></svg></html>',
        '%PDF-1.7',
        'BM\x00\x00',
        'II*\x00',
        'P6 1 1 255 \x00\x00\x00',
        '#!/bin/sh',
        '\x00\x00\x01\x00',
        '{"secret":1}',
      ];
      for (const body of others) {
        site.answer('/other', {
          headers: { 'Content-Type': 'image/png' },
          body: Buffer.from(body, 'latin1'),
        });
        expect(await refusal(`${site.url}/other`), body).to.equal(NO_IMAGE);
      }
      expect(await refusal(dataUri(await plain(4, 4).tiff().toBuffer()))).to.equal(NO_IMAGE);
    });

    it('are refused when truncated', async () => {
      const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
      const noisy = sharp({
        create: { width: 200, height: 200, channels: 3, background: 'red', noise },
      });
      const whole = await Promise.all([
        noisy.clone().png().toBuffer(),
        noisy.clone().jpeg().toBuffer(),
        noisy.clone().webp().toBuffer(),
        noisy.clone().gif().toBuffer(),
        noisy.clone().avif().toBuffer(),
      ]);
      for (const bytes of whole) {
        for (const length of [20, Math.floor(bytes.length / 2)]) {
          expect(await refusal(dataUri(bytes.subarray(0, length)))).to.equal(DAMAGED);
        }
      }
    });

    it('are refused for huge dimensions before they are decoded', async () => {
      const tooMany = 'must not have more than 25 million pixels';
      expect(await refusal(dataUri(headerBomb(30_000, 30_000)))).to.equal(tooMany);
      expect(await refusal(dataUri(headerBomb(25_000, 1_001)))).to.equal(tooMany);
      expect(await refusal(dataUri(headerBomb(0x7fffffff, 0x7fffffff)))).to.equal(DAMAGED);
      expect(await refusal(dataUri(headerBomb(0, 0)))).to.equal(DAMAGED);
      expect(await refusal(dataUri(headerBomb(4_000, 4_000)))).to.equal(DAMAGED);
    });
  });

  describe('that are fetched', () => {
    it('are refused with the rule, and nothing of the response', async () => {
      site.answer('/secret', { status: 403, body: 'secret' });
      site.answer('/large', { body: Buffer.alloc(2 * 1024 * 1024 + 1) });
      site.answer('/out', { status: 302, headers: { Location: 'http://10.0.0.1/' } });
      const bad: [url: string, reason: string][] = [
        [`${site.url}/secret`, 'must respond with status 200, not 403'],
        [`${site.url}/large`, 'must not be larger than 2 MiB'],
        [`${site.url}/out`, 'must not point to a private IP address'],
        ['http://127.0.0.2/', 'must not point to a private IP address'],
        ['http://169.254.169.254/latest/', 'must not point to a private IP address'],
        ['file:///etc/passwd', 'must begin with http:// or https://'],
      ];
      for (const [url, reason] of bad) expect(await refusal(url), url).to.equal(reason);
    });

    it('have a timeout of 5 s', async () => {
      site.answer('/slow', { delayMs: 6_000 });
      expect(await refusal(`${site.url}/slow`)).to.equal('must respond completely within 5 s');
    });
  });

  describe('that are SVGs', () => {
    it('are drawn in the largest size that is stored', async () => {
      const image = await readImage(svg(GREEN));
      expect([image.width, image.height]).to.deep.equal([1_024, 1_024]);
      expect(await pixel(image, 1_000, 1_000)).to.deep.equal([0, 255, 0, 255]);
    });

    const prologues = [
      '\ufeff',
      '<?xml version="1.0"?>\n',
      '<?xml version="1.0" encoding="iso-8859-1" standalone="no"?>',
      '<!-- made by hand -->',
      '<!-- <!DOCTYPE svg [<!ENTITY a "a">]> -->',
      ' \n',
      '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">',
      "<!DOCTYPE\n  svg\n  SYSTEM 'a>b[c]'>",
      '<!DOCTYPE svg><!-- made by hand --><?made by="hand"?>',
      `<?xml version="1.0"?><!-- ${'long '.repeat(2_000)}--><!DOCTYPE svg>`,
    ];
    for (const before of prologues) {
      it(`may begin with ${JSON.stringify(before).slice(0, 120)}`, async () => {
        expect((await readImage(svg(GREEN, before))).width).to.equal(1_024);
      });
    }

    it('may mention DOCTYPE and entities in their text', async () => {
      const words = '<desc><![CDATA[<!DOCTYPE svg [<!ENTITY a "a">]>]]></desc><!-- <!ENTITY -->';
      expect((await readImage(svg(words + GREEN))).width).to.equal(1_024);
    });

    it('are checked in linear time, whatever precedes the root', async () => {
      const signs = [
        '<!DOCTYPE svg ',
        '<!DOCTYPE "',
        '<!--',
        '<?a',
        '<?a?>',
        '<!DOCTYPE svg>',
        '<!---->',
        ' ',
        '<',
      ];
      for (const sign of signs) {
        const text = sign.repeat(2_000_000 / sign.length);
        const before = performance.now();
        expect(svgRoot(text), sign).to.equal(undefined);
        expect(performance.now() - before, sign).to.be.lessThan(10_000);
      }
    });

    it('are drawn however long the process waits for the processor', async () => {
      const reading = readImageFor(svg(`${GREEN}<circle r="7"/>`), { isOfNobody: false });
      const child = await eventually(() => {
        const found = withDescendants(process.pid).find(({ id }) => isDrawing(id));
        expect(found).not.to.equal(undefined);
        return found!.id;
      });
      process.kill(child, 'SIGSTOP');
      await pause(7_000);
      process.kill(child, 'SIGCONT');
      expect((await reading).width).to.equal(1_024);
    });

    it('are refused for now when their process was ended from outside', async () => {
      const reading = readImageFor(svg(`${GREEN}<circle r="8"/>`), { isOfNobody: false });
      const refused = reading.then(
        () => undefined,
        (error: unknown) => error,
      );
      await eventually(() => {
        const found = withDescendants(process.pid).find(({ id }) => isDrawing(id));
        expect(found).not.to.equal(undefined);
        process.kill(found!.id, 'SIGKILL');
      });
      expect(await refused).to.include({ code: 'service_unavailable', retryAfterSeconds: 10 });
    });

    it('have a limit of processor time', async () => {
      const levels = Array.from({ length: 5 }, (_, level) => {
        const uses = `<use href="#g${level}"/>`.repeat(13);
        return `<g id="g${level + 1}">${uses}</g>`;
      });
      const bomb = `<defs><circle id="g0" r="60"/>${levels.join('')}</defs><use href="#g5"/>`;
      expect(await refusal(svg(bomb))).to.equal(TOO_LONG);
    });

    it('have a memory limit', async () => {
      const steps = Array.from({ length: 12_000 }, (_, i) => `<feOffset result="r${i}"/>`).join('');
      const filter = `<filter id="f" x="0" y="0" width="1" height="1">${steps}</filter>`;
      expect(await refusal(svg(`${filter}<g filter="url(#f)">${GREEN}</g>`))).to.equal(
        'must be an SVG that can be drawn with less memory',
      );
    });

    const harmless: [name: string, content: string][] = [
      ['scripts', '<script>document.querySelector("rect").remove()</script>'],
      ['handlers', '<set attributeName="x" to="0" onbegin="alert(1)"/>'],
      ['foreign objects', '<foreignObject width="64" height="64"><p>red</p></foreignObject>'],
      ['files', '<image xlink:href="file:///etc/hostname" width="64" height="64"/>'],
      ['paths', '<image href="/etc/hostname" width="64" height="64"/>'],
      [
        'included texts',
        '<text><include xmlns="http://www.w3.org/2001/XInclude" href="file:///etc/passwd" parse="text"/></text>',
      ],
    ];
    for (const [name, content] of harmless) {
      it(`draw no ${name}`, async () => {
        const [image, bare] = [await readImage(svg(GREEN + content)), await readImage(svg(GREEN))];
        const [pixels, barePixels] = await Promise.all(
          [image, bare].map(({ png }) => sharp(png).raw().toBuffer()),
        );
        expect(pixels!.equals(barePixels!)).to.equal(true);
      });
    }

    it('cause no requests', async () => {
      site.answer('/red.png', { body: await plain(64, 64).png().toBuffer() });
      site.answer('/red.css', { body: 'rect{fill:red}' });
      const before = site.requests();
      const url = `${site.url}/red`;
      const image = await readImage(
        svg(
          `<style>@import url(${url}.css);@font-face{font-family:a;src:url(${url}.ttf)}</style>${GREEN}` +
            `<image href="${url}.png" width="64" height="64"/><use href="${url}.svg#a"/>` +
            `<rect width="64" height="64" fill="url(${url}.svg#a)"/><text font-family="a"> </text>`,
          `<?xml-stylesheet href="${url}.css"?>`,
        ),
      );
      expect(site.requests()).to.equal(before);
      expect(await pixel(image, 500, 500)).to.deep.equal([0, 255, 0, 255]);
    });

    const laughs = Array.from(
      { length: 9 },
      (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
    );
    const refused: [name: string, before: string, content: string][] = [
      ['an exponential one', `<!DOCTYPE svg [<!ENTITY l0 "lol">${laughs.join('')}]>`, '&l9;'],
      [
        'one of a file',
        '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<text>&a;</text>',
      ],
      ['a parameter entity', '<!DOCTYPE svg [<!ENTITY % a SYSTEM "http://127.0.0.1/">%a;]>', GREEN],
      ['one in small letters', '<!doctype svg [<!entity a "a">]>', '<text>&a;</text>'],
      ['one behind a harmless DOCTYPE', '<!DOCTYPE svg><!DOCTYPE svg [<!ENTITY a "a">]>', '&a;'],
    ];
    for (const [name, before, content] of refused) {
      it(`must not have entities: ${name}`, async () => {
        expect(await refusal(svg(content, before))).to.equal('must not be an SVG with entities');
      });
    }

    it('must not have a DOCTYPE made of parts', async () => {
      const before = '<?xml version="1.0"?><!DOC<!DOCTYPE svg>TYPE svg [<!ENTITY a "a">]>';
      expect(await refusal(svg('&a;', before))).to.equal(NO_IMAGE);
    });

    it('must not have entities that are declared later', async () => {
      const doctype = '<!DOCTYPE svg [<!ENTITY a "a">]>';
      for (const content of [`${doctype}&a;`, `</svg>${doctype}<svg>&a;`, '&a;']) {
        expect(await refusal(svg(content)), content).to.equal(DAMAGED);
      }
    });

    it('must not have entities in another encoding', async () => {
      const hidden = '+ADwAIQ-DOCTYPE svg +AFsAPAAh-ENTITY a +ACI-a+ACIAPgBdAD4-';
      const declaration = '<?xml version="1.0" encoding="UTF-7"?>';
      expect(await refusal(svg('&a;', declaration + hidden))).to.equal(NO_IMAGE);
      const inComment = `${declaration}<!-- +AC0ALQA+-${hidden}+ADwAIQAtAC0- -->`;
      expect(await refusal(svg('&a;', inComment))).to.equal(DAMAGED);
      const wide = Buffer.from(`\ufeff<svg ${NAMESPACES}>${GREEN}</svg>`, 'utf16le');
      expect(await refusal(dataUri(wide))).to.equal(NO_IMAGE);
    });

    it('must not multiply by references to themselves', async () => {
      const levels = Array.from(
        { length: 9 },
        (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(10)}</g>`,
      );
      const dot = '<rect width=".01" height=".01"/>';
      const content = `<defs><g id="a0">${dot}</g>${levels.join('')}</defs><use href="#a9"/>`;
      // librsvg stops at a number of elements; on a busy machine, the time limit comes first.
      expect(await refusal(svg(content))).to.be.oneOf([DAMAGED, TOO_LONG]);
    });

    it('must not be huge or damaged', async () => {
      const sized = (size: string) => dataUri(`<svg xmlns="http://www.w3.org/2000/svg" ${size}/>`);
      for (const size of ['width="1e6" height="1e6"', 'viewBox="0 0 99999 99999"']) {
        expect(await refusal(sized(size)), size).to.equal(
          'must not have more than 25 million pixels',
        );
      }
      for (const size of [
        '',
        'width="0" height="0"',
        'width="-5" height="5"',
        'width="1e99" height="1e99"',
      ]) {
        expect(await refusal(sized(size)), size).to.match(/damaged$|pixels$|with a size$/);
      }
      expect(await refusal(dataUri('<svg xmlns="http://www.w3.org/2000/svg"><g>'))).to.equal(
        DAMAGED,
      );
    });
  });
});

describe('the field of an image', () => {
  const check = (value: unknown): string | undefined =>
    imageSource().messages({ rule: '{#rule}' }).validate(value).error?.message;

  it('accepts URLs and data URIs', () => {
    const url = 'https://example.com/';
    for (const value of [url, `${url}${'a'.repeat(32_768 - url.length)}`, 'HTTP://EXAMPLE.COM/A']) {
      expect(check(value), value.slice(0, 40)).to.equal(undefined);
    }
    for (const start of ['data:image/png;base64,', 'data:image/svg+xml,', 'DATA:IMAGE/PNG,']) {
      expect(check(start.padEnd(700_000, 'a')), start).to.equal(undefined);
    }
  });

  const bad: [value: unknown, reason: RegExp][] = [
    ['', /not allowed to be empty/],
    [5, /must be a string/],
    ['example.com/a.png', /^must be a URL that begins with http/],
    ['//example.com/a.png', /^must be a URL that begins with http/],
    ['file:///etc/passwd', /^must be a URL that begins with http/],
    ['javascript:alert(1)', /^must be a URL that begins with http/],
    ['http://', /^must be a URL that begins with http/],
    ['data:text/html,a', /^must be a data URI of an image$/],
    ['data:image/png', /^must be a data URI of an image$/],
    ['https://example.com/'.padEnd(32_769, 'a'), /^must not be longer than 32768 characters$/],
    ['data:image/png,'.padEnd(700_001, 'a'), /^must not be longer than 700000 characters/],
  ];
  for (const [value, reason] of bad) {
    it(`refuses ${JSON.stringify(value).slice(0, 40)}`, () =>
      expect(check(value)).to.match(reason));
  }
});
