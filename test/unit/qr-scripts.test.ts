import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { missingCharacter, setLine } from '../../src/qrcodes/render/text.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';

const PAYLOAD = 'https://sho.rt/launch26';
const INTER = { family: 'Inter', weight: 600 };

describe('texts in other scripts', () => {
  const pathOf = (text: string, x = 0, weight = 600) =>
    setLine(text, { family: 'Inter', weight }).path(x, 0, 1_000);
  const widthOf = (text: string) => setLine(text, INTER).width;

  for (const [script, text] of Object.entries({
    Japanese: 'メニューを見る（無料）',
    'simplified Chinese': '扫码点餐',
    'traditional Chinese': '掃描二維碼',
    Korean: '메뉴를 스캔하세요',
    Arabic: 'امسح الرمز ضوئيًا، مجانًا',
    Persian: 'می‌خواهم',
    Hebrew: 'סרקו אותי',
    Thai: 'สแกนที่นี่ เพื่อดูเมนูน้ำ',
    Hindi: 'स्कैन करें क्षत्रिय',
    'several ones': 'Menü 菜单 قائمة मेनू',
  })) {
    it(`are drawn, and the code is read: ${script}`, async () => {
      expect(missingCharacter(text, INTER)).to.equal(undefined);
      const framed: Design = { ...defaultDesign(), frame: 'label-bottom', frameText: text };
      const plain = await drawPicture(PAYLOAD, { ...framed, frameText: ' ' }, 'svg');
      const svg = await drawPicture(PAYLOAD, framed, 'svg');
      expect(svg.length).to.be.above(plain.length + 1_000);
      const pixels = await toPixels(await drawPicture(PAYLOAD, framed, 'png'));
      for (const [name, decode] of Object.entries(DECODERS)) {
        expect((await decode(pixels))?.toString(), name).to.equal(PAYLOAD);
      }
    });
  }

  it('run from right to left, with numbers and brackets in their order', () => {
    expect(pathOf('אב')).to.equal(pathOf('ב') + pathOf('א', widthOf('ב') * 1_000));
    expect(pathOf('א 12')).to.equal(pathOf('12') + pathOf('א', widthOf('12 ') * 1_000));
    expect(pathOf('(א)')).to.equal(
      pathOf('(') + pathOf('א', widthOf('(') * 1_000) + pathOf(')', widthOf('(א') * 1_000),
    );
  });

  it('join the letters of Arabic', () => {
    const isolated = pathOf('س');
    const joined = pathOf('سس');
    expect(joined).not.to.contain(isolated);
    expect(widthOf('سس')).to.be.below(2 * widthOf('س') - 0.05);
    // Lam and alef have a form of their own, and a non-joiner keeps letters apart.
    expect(widthOf('لا')).to.be.below(widthOf('ل') + widthOf('ا') - 0.05);
    expect(widthOf('س\u200cس')).to.be.closeTo(2 * widthOf('س'), 0.01);
  });

  it('put a shadda under the vowel, in either order', () => {
    expect(pathOf('م\u064e\u0651')).to.equal(pathOf('م\u0651\u064e'));
  });

  it('reorder the vowel signs of Devanagari, and form conjuncts', () => {
    const consonant = pathOf('क', (widthOf('कि') - widthOf('क')) * 1_000);
    expect(pathOf('कि').endsWith(consonant)).to.equal(true);
    expect(widthOf('क्ष')).to.be.below(widthOf('क') + widthOf('ष') - 0.1);
  });

  it('put the marks of Thai above their letter, sara am in two parts', () => {
    expect(widthOf('ที่')).to.be.closeTo(widthOf('ท'), 1e-9);
    expect(widthOf('น้ำ')).to.be.closeTo(widthOf('นา'), 1e-9);
  });

  it('have the weight of the text, and the width of ideographs', () => {
    expect(pathOf('日', 0, 400)).not.to.equal(pathOf('日', 0, 900));
    for (const weight of [100, 400, 640, 900]) {
      expect(setLine('日本', { family: 'Lora', weight }).width).to.equal(2);
    }
  });

  it('are drawn at every weight', () => {
    for (const text of ['قائمة', 'תפריט', 'เมนู', 'मेनू', '菜单', '메뉴', 'メニュー']) {
      for (let weight = 100; weight <= 900; weight += 100) {
        const line = setLine(text, { family: 'Inter', weight });
        expect(line.width, `${text} ${weight}`).to.be.above(1);
        expect(line.path(0, 0, 100), `${text} ${weight}`).to.match(/^M[-\d. MLCZ]+Z$/);
      }
    }
  });

  it('draw ideographs as the other letters of the text ask for', () => {
    const startsAsAlone = (text: string) => pathOf(text).startsWith(pathOf('直'));
    expect(startsAsAlone('直接')).to.equal(true);
    expect(startsAsAlone('直の')).to.equal(false);
    expect(startsAsAlone('直가')).to.equal(false);
  });

  it('name the first character that no font has', () => {
    expect(missingCharacter('abc 𓀀𓁐', INTER)).to.equal('𓀀');
    expect(missingCharacter('日本 😀', INTER)).to.equal('😀');
  });

  it('accept marks that no word has together', () => {
    const marks = 'ٕیٟڋڣٍؐ٬ڋؚڳٶؗ٣ٟڄطۗډڮڀٰڎ؇ٽیٚ٩ة؇ږؿٹٖږڲۯۢڷڜ؆٭؝';
    expect(setLine(marks, INTER).path(0, 0, 100)).to.match(/^M[-\d. MLCZ]+Z$/);
  });

  it('load their fonts when they are drawn, and those that join letters when they are set', () => {
    const script = `
      import { createRequire } from 'node:module';
      import { setLine } from '${new URL('../../src/qrcodes/render/text.js', import.meta.url)}';
      const { cache } = createRequire('${new URL('../../src/qrcodes/render/font-files.js', import.meta.url)}');
      const isLoaded = () => Object.keys(cache).some((file) => file.includes('fontkit'));
      const styles = { family: 'Inter', weight: 600 };
      const found = ['SCAN ME', 'Привет', '日本'].map((text) => {
        setLine(text, styles);
        return isLoaded();
      });
      setLine('日本', styles).path(0, 0, 10);
      found.push(isLoaded());
      console.log(JSON.stringify(found));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script]);
    expect(JSON.parse(output.toString())).to.deep.equal([false, false, false, true]);
  });
});
