import { expect } from 'chai';
import { phone } from '../../src/qrcodes/content/phone.ts';
import { readContent } from '../../src/qrcodes/content/read-content.ts';
import { wifi } from '../../src/qrcodes/content/wifi.ts';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { encodeMatrix } from '../../src/qrcodes/render/matrix.ts';
import { NAMED_LOOKS } from '../../src/qrcodes/render/named-looks.ts';
import { minPrintMm, scoreOf } from '../../src/qrcodes/render/score.ts';
import { resolveDesign } from '../../src/qrcodes/render/stored-design.ts';

const PAYLOAD = 'https://sho.rt/launch26';
const score = (changes: Partial<Design> = {}, payload = PAYLOAD) =>
  scoreOf(payload, { ...defaultDesign(), ...changes });
const reasons = (changes: Partial<Design>, payload?: string) =>
  score(changes, payload)
    .findings.filter((finding) => finding.score < 100)
    .map(({ name, reason }) => `${name}: ${reason}`);

describe('the score of a code', () => {
  it('is 100 for black on white', () => {
    expect(score().score).to.equal(100);
    expect(reasons({})).to.deep.equal([]);
  });

  it('is 0, with the faults, for what would be refused', () => {
    const { score: points, faults } = score({ fgColor: '#DDDDDD', size: 60 });
    expect(points).to.equal(0);
    expect(faults.map((fault) => fault.split(' must ')[0])).to.deep.equal([
      'size',
      'fgColor and bgColor',
    ]);
    expect(score({}, 'a'.repeat(2_954)).faults[0]).to.match(/does not fit into a QR code/);
  });

  it('is that of the lowest finding, which says what would help', () => {
    expect(reasons({ fgColor: '#AAAAAA' })).to.deep.equal([
      'Contrast: Code and background differ by 59%: choose colors further apart for poor light.',
    ]);
    expect(reasons({ fgColor: '#FFFFFF', bgColor: '#000000' })).to.deep.equal([
      'Contrast: The code is lighter than its background: some scanners read dark on light only.',
    ]);
    expect(reasons({ size: 140 })).to.deep.equal([
      'Sharpness: Each dot is 4 px wide: a larger image is sharper.',
    ]);
    expect(reasons({ size: 2000 }, 'a'.repeat(600))[0]).to.match(/^Density: 9\d dots a side/);
    const middle = { width: 84, height: 84, excavate: true };
    expect(
      reasons({ level: 'H', size: 500, middle }, 'https://go.example.com/abc1234')[0],
    ).to.match(/^Image: The image takes \d+% of the error correction: a smaller image leaves more/);
    expect(score({ fgColor: '#AAAAAA', size: 140 }).score).to.be.lessThan(85);
  });

  it('is high for every named look, whatever the content', () => {
    for (const [name, look] of Object.entries(NAMED_LOOKS)) {
      for (const payload of [PAYLOAD, 'https://example.com/'.padEnd(60, 'x')]) {
        expect(scoreOf(payload, resolveDesign(look, payload)).score, name).to.be.at.least(90);
      }
    }
    expect(Object.keys(NAMED_LOOKS)).to.have.length(20);
  });

  it('names the least width in print with its quiet zone', () => {
    expect(minPrintMm(encodeMatrix(PAYLOAD, 'M'), defaultDesign())).to.equal(14);
  });
});

describe('a content before it is sent', () => {
  it('is encoded as the service stores it', () => {
    expect(readContent(phone, '+49 (0)30 123456')).to.deep.equal({ text: 'tel:+4930123456' });
  });

  it('names the rules that it breaks, as the API does', () => {
    expect(readContent(wifi, { password: 'short' })).to.deep.equal({
      faults: ['wifi.ssid is required'],
    });
    expect(readContent(phone, 'x')).to.deep.equal({
      faults: ['phone must be a phone number of 3 to 15 digits, such as +12015550123'],
    });
  });
});
