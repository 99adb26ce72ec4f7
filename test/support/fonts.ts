import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import opentype from 'opentype.js';
import { unpacked } from '../../src/qrcodes/render/woff.ts';

/* Font files, good ones and damaged ones. */

const require = createRequire(import.meta.url);

/** Reads a font of the packages: `inter/files/inter-latin-700-normal.woff2`. */
export function packagedFont(file: string, scope = '@fontsource'): Buffer {
  const [name, ...rest] = file.split('/');
  const folder = path.dirname(require.resolve(`${scope}/${name}/package.json`));
  return readFileSync(path.join(folder, ...rest));
}

export const NUNITO = 'nunito/files/nunito-latin-700-normal.woff2';
const NUNITO_WOFF = 'nunito/files/nunito-latin-700-normal.woff';

/** Returns a font as a `data:` URI. */
export const fontUri = (bytes: Uint8Array, type = 'font/woff2'): string =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** Tables of a font by their tags. */
export type Tables = Map<string, Buffer>;

/** Returns the tables of Nunito, as a TrueType file has them. */
export function tablesOfNunito(): Tables {
  const file = Buffer.from(unpacked(packagedFont(NUNITO_WOFF)));
  const tables: Tables = new Map();
  for (let row = 12; row < 12 + file.readUInt16BE(4) * 16; row += 16) {
    const [offset, length] = [file.readUInt32BE(row + 8), file.readUInt32BE(row + 12)];
    tables.set(
      file.toString('latin1', row, row + 4),
      Buffer.from(file.subarray(offset, offset + length)),
    );
  }
  return tables;
}

/** Writes a TrueType file. */
export function trueType(tables: Tables): Buffer {
  const head = Buffer.alloc(12 + tables.size * 16);
  head.writeUInt32BE(0x10000, 0);
  head.writeUInt16BE(tables.size, 4);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [at, [tag, bytes]] of [...tables].entries()) {
    const row = 12 + at * 16;
    head.write(tag, row, 'latin1');
    head.writeUInt32BE(offset, row + 8);
    head.writeUInt32BE(bytes.length, row + 12);
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)]);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat(parts);
}

/** Writes a WOFF file, in which tables can claim another length. */
export function woff(tables: Tables, lengths: Record<string, number> = {}): Buffer {
  const head = Buffer.alloc(44 + tables.size * 20);
  head.write('wOFF', 'latin1');
  head.writeUInt32BE(0x10000, 4);
  head.writeUInt16BE(tables.size, 12);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [at, [tag, bytes]] of [...tables].entries()) {
    const deflated = deflateSync(bytes, { level: 9 });
    const packed = deflated.length < bytes.length ? deflated : bytes;
    const row = 44 + at * 20;
    head.write(tag, row, 'latin1');
    head.writeUInt32BE(offset, row + 4);
    head.writeUInt32BE(packed.length, row + 8);
    head.writeUInt32BE(lengths[tag] ?? bytes.length, row + 12);
    parts.push(packed);
    offset += packed.length;
  }
  return Buffer.concat(parts);
}

/**
 * Replaces the first glyphs by composite ones.
 *
 * @param partsOf returns the glyphs of which a glyph consists
 */
export function composites(tables: Tables, count: number, partsOf: (glyph: number) => number[]) {
  const data = Array.from({ length: count }, (_, glyph) => {
    const parts = partsOf(glyph);
    const bytes = Buffer.alloc(10 + parts.length * 6);
    bytes.writeInt16BE(-1, 0);
    for (const [at, part] of parts.entries()) {
      // The flags say that the arguments are two bytes, and whether another part follows.
      bytes.writeUInt16BE(at === parts.length - 1 ? 0x0002 : 0x0022, 10 + at * 6);
      bytes.writeUInt16BE(part, 12 + at * 6);
    }
    return bytes;
  });
  const glyphs = tables.get('maxp')!.readUInt16BE(4);
  const loca = Buffer.alloc((glyphs + 1) * 4);
  let offset = 0;
  for (let glyph = 0; glyph <= glyphs; glyph += 1) {
    loca.writeUInt32BE(offset, glyph * 4);
    offset += data[glyph]?.length ?? 0;
  }
  const head = Buffer.from(tables.get('head')!);
  // Offsets of glyphs have four bytes.
  head.writeInt16BE(1, 50);
  return new Map([...tables, ['glyf', Buffer.concat(data)], ['loca', loca], ['head', head]]);
}

/** Sets the rights to embed a font. */
export function withRights(tables: Tables, fsType: number): Tables {
  const os2 = Buffer.from(tables.get('OS/2')!);
  os2.writeUInt16BE(fsType, 8);
  return new Map([...tables, ['OS/2', os2]]);
}

/** Builds an OpenType font with cubic curves, whose letters are the same shape. */
export function openType(letters: string, name = 'Blocks'): Buffer {
  const shape = new opentype.Path();
  shape.moveTo(50, 0);
  shape.lineTo(450, 0);
  shape.curveTo(450, 300, 400, 700, 250, 700);
  shape.curveTo(100, 700, 50, 300, 50, 0);
  shape.close();
  const empty = new opentype.Glyph({
    name: '.notdef',
    advanceWidth: 500,
    path: new opentype.Path(),
  });
  const glyphs = Array.from(
    letters,
    (letter) =>
      new opentype.Glyph({
        name: `u${letter.codePointAt(0)!.toString(16)}`,
        unicode: letter.codePointAt(0)!,
        advanceWidth: 500,
        path: shape,
      }),
  );
  const font = new opentype.Font({
    familyName: name,
    styleName: 'Regular',
    unitsPerEm: 1_000,
    ascender: 800,
    descender: -200,
    glyphs: [empty, ...glyphs],
  });
  return Buffer.from(font.toArrayBuffer());
}
