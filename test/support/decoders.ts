import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import makeGhostscript from '@jspawn/ghostscript-wasm/gs.mjs';
import { scanRGBABuffer, ZBarConfigType, ZBarScanner, ZBarSymbolType } from '@undecaf/zbar-wasm';
import { expect } from 'chai';
import jsqr from 'jsqr';
import sharp from 'sharp';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { Format } from '../../src/qrcodes/render/design.ts';

/*
 * Three independent decoders: ZBar and ZXing (its C++ port), both as WebAssembly, and jsQR. They
 * return bytes, since a text would depend on the character set that they guess.
 */

const { resolve } = createRequire(import.meta.url);

/** An upright image as RGBA. */
export interface Pixels {
  data: Buffer;
  width: number;
  height: number;
}

/** Returns the pixels of an image on white paper. */
export async function toPixels(picture: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(picture, { unlimited: true })
    .flatten({ background: '#FFFFFF' })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

/** A printer: its resolution, and `pngmono` for one that prints black dots alone. */
export interface Printer {
  dpi: number;
  device: 'png16m' | 'pngmono';
}

/** Converts an image of any format for sharp: Ghostscript renders PDF and EPS. */
export async function printed(
  picture: Buffer,
  format: Format,
  printer: Printer = { dpi: 72, device: 'png16m' },
): Promise<Buffer> {
  return format === 'pdf' || format === 'eps' ? ghostscript(picture, format, printer) : picture;
}

/**
 * Calls a program that Emscripten compiled, and removes the listeners that it adds to the process.
 * They throw each uncaught error of a test again, which would end the process without a report.
 */
function withoutListeners<T>(call: () => T): T {
  const events = ['uncaughtException', 'unhandledRejection'];
  const before = events.map((event) => process.listeners(event as NodeJS.Signals));
  try {
    return call();
  } finally {
    for (const [at, event] of events.entries()) {
      for (const listener of process.listeners(event as NodeJS.Signals)) {
        if (!before[at]!.includes(listener)) process.off(event, listener);
      }
    }
  }
}

let ghostscriptWasm: Promise<WebAssembly.Module> | undefined;

async function ghostscript(
  document: Buffer,
  format: 'pdf' | 'eps',
  { dpi, device }: Printer,
): Promise<Buffer> {
  ghostscriptWasm ??= WebAssembly.compile(
    readFileSync(resolve('@jspawn/ghostscript-wasm/gs.wasm')),
  );
  const wasm = await ghostscriptWasm;
  const module = await withoutListeners(() =>
    makeGhostscript({
      // Otherwise the module would fetch its own file.
      instantiateWasm(imports, receive) {
        void WebAssembly.instantiate(wasm, imports).then(receive);
        return {};
      },
      print() {},
      printErr() {},
    }),
  );
  module.FS.writeFile('in', document);
  const code = await module.callMain([
    '-q',
    '-dNOPAUSE',
    '-dBATCH',
    '-dSAFER',
    ...(device === 'pngmono' ? [] : ['-dGraphicsAlphaBits=4']),
    `-sDEVICE=${device}`,
    `-r${dpi}`,
    ...(format === 'eps' ? ['-dEPSCrop'] : []),
    '-sOutputFile=out.png',
    'in',
  ]);
  if (code !== 0) throw new Error(`Ghostscript ended with ${code}`);
  return Buffer.from(module.FS.readFile('out.png'));
}

/** Decodes an image; `undefined` if the decoder finds no code. */
export type Decode = (pixels: Pixels) => Promise<Buffer | undefined>;

let zbar: Promise<ZBarScanner> | undefined;

/** @param isBinary true for the bytes of a code, false for the text that ZBar makes of them */
async function makeScanner(isBinary: boolean): Promise<ZBarScanner> {
  const scanner = await ZBarScanner.create();
  scanner.setConfig(ZBarSymbolType.ZBAR_NONE, ZBarConfigType.ZBAR_CFG_ENABLE, 0);
  scanner.setConfig(ZBarSymbolType.ZBAR_QRCODE, ZBarConfigType.ZBAR_CFG_ENABLE, 1);
  // Otherwise ZBar takes short UTF-8 texts without an ECI for Big5 or Shift JIS, and converts them.
  if (isBinary) scanner.setConfig(ZBarSymbolType.ZBAR_QRCODE, ZBarConfigType.ZBAR_CFG_BINARY, 1);
  return scanner;
}

const withZBar: Decode = async ({ data, width, height }) => {
  zbar ??= makeScanner(true);
  return scanWith(await zbar, { data, width, height });
};

async function scanWith(
  scanner: ZBarScanner,
  { data, width, height }: Pixels,
): Promise<Buffer | undefined> {
  const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.length) as ArrayBuffer;
  const [symbol] = await scanRGBABuffer(bytes, width, height, scanner);
  return symbol === undefined ? undefined : Buffer.from(symbol.data);
}

/** Reads a code as ZBar does by default: in the character set that it names, or that ZBar guesses. */
export async function textByZBar(picture: Buffer): Promise<string | undefined> {
  const scanner = await makeScanner(false);
  return (await scanWith(scanner, await toPixels(picture)))?.toString();
}

let zxingIsReady = false;

const withZXing: Decode = async ({ data, width, height }) => {
  if (!zxingIsReady) {
    const wasm = readFileSync(resolve('zxing-wasm/reader/zxing_reader.wasm'));
    const wasmBinary = wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length);
    prepareZXingModule({ overrides: { wasmBinary: wasmBinary as ArrayBuffer } });
    zxingIsReady = true;
  }
  const image = { data: new Uint8ClampedArray(data), width, height, colorSpace: 'srgb' as const };
  const [result] = await readBarcodes(image, { formats: ['QRCode'], maxNumberOfSymbols: 1 });
  return result?.isValid === true ? Buffer.from(result.bytes) : undefined;
};

const withJsQR: Decode = async ({ data, width, height }) => {
  const bytes = new Uint8ClampedArray(data.buffer, data.byteOffset, data.length);
  const code = jsqr.default(bytes, width, height);
  return code === null ? undefined : Buffer.from(code.binaryData);
};

export const DECODERS: Record<string, Decode> = { ZBar: withZBar, ZXing: withZXing };

/**
 * A decoder of web pages, without corrections for pictures that are blurred, noisy or small: it must
 * read clean pictures, and may miss distorted ones.
 */
export const CLEAN_DECODERS: Record<string, Decode> = { ...DECODERS, jsQR: withJsQR };

/** Reads the text of the QR code in an image, on which two decoders must agree. */
export async function scan(picture: Buffer): Promise<string | undefined> {
  const pixels = await toPixels(picture);
  const [zbar, zxing] = await Promise.all([withZBar(pixels), withZXing(pixels)]);
  expect(zbar?.toString()).to.equal(zxing?.toString());
  return zxing?.toString();
}
