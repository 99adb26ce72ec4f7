import { expect } from 'chai';
import { fontRanges, scriptFont } from '../../src/qrcodes/render/font-files.ts';
import { findScript, IDEOGRAPH_UNITS } from '../../src/qrcodes/render/script-fonts.ts';

/** Letters before an ideograph that make one package the first of those searched. */
const PACKAGES = { sc: '', jp: 'の', kr: '가' };

describe('fonts of ideographs', () => {
  for (const [name, before] of Object.entries(PACKAGES)) {
    it(`have what their ranges promise, as wide as a design is checked with: ${name}`, () => {
      const folder = `@fontsource-variable/noto-sans-${name}`;
      const { starts, ends, files } = fontRanges(`${folder}/unicode.json`)!;
      // File by file, because few fonts stay open.
      const byFile = new Map<string, number[]>();
      for (const [at, subset] of files.entries()) {
        byFile.set(subset, [...(byFile.get(subset) ?? []), at]);
      }
      const faults: string[] = [];
      let checked = 0;
      for (const [subset, ranges] of byFile) {
        const file = `${folder}/files/noto-sans-${name}-${subset}-wght-normal.woff2`;
        const font = scriptFont(file, 400)!;
        for (const at of ranges) {
          for (let code = starts[at]!; code <= ends[at]!; code += 1) {
            const character = String.fromCodePoint(code);
            const found = findScript(character, before + character, 400);
            if (found === undefined || !('glyph' in found) || found.glyph.file !== file) continue;
            checked += 1;
            const about = `${name} ${code.toString(16)}`;
            if (!font.hasGlyphForCodePoint(code)) faults.push(`${about} is missing`);
            const width = font.glyphForCodePoint(code).advanceWidth / IDEOGRAPH_UNITS;
            if (Math.abs(width - found.glyph.width) > 0.001) faults.push(`${about}: ${width} wide`);
          }
        }
      }
      expect(faults).to.deep.equal([]);
      expect(checked).to.be.above(10_000);
    });
  }
});
