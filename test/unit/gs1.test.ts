import { expect } from 'chai';
import {
  canonicalUri,
  isMeantAsGs1,
  isValidPath,
  pathsOf,
  readElements,
  setFault,
} from '../../src/infra/gs1/digital-link.ts';

/** Reads text in brackets: its canonical path and query, or the broken rule. */
function read(text: string): string {
  const data = readElements(text);
  if (data === undefined) return 'unreadable';
  return setFault(data) ?? canonicalUri(data);
}

describe('GS1 element strings', () => {
  /** Numbers of GS1's public examples, and others with the prefix 952 for demonstrations. */
  const VALID: [text: string, uri: string][] = [
    ['(01)09520123456788', '/01/09520123456788'],
    ['(01)09520123456788(10)ABC1(21)12345', '/01/09520123456788/10/ABC1/21/12345'],
    ['(21)12345(10)LOT(22)2A(01)09520123456788', '/01/09520123456788/22/2A/10/LOT/21/12345'],
    [
      '(01)09520123456788(3103)000195(3922)0299(17)201225',
      '/01/09520123456788?17=201225&3103=000195&3922=0299',
    ],
    ['(01)09520123456788(10)A/B(17)290200', '/01/09520123456788/10/A%2FB?17=290200'],
    ["(01)09520123456788(10)a'\\(!*\\)", '/01/09520123456788/10/a%27%28%21%2A%29'],
    ['(01)09520123456788(235)TPX-1', '/01/09520123456788/235/TPX-1'],
    ['(01)09520123456788(91)x', '/01/09520123456788?91=x'],
    ['(00)106141411234567897', '/00/106141411234567897'],
    [
      '(00)106141411234567897(02)09520123456788(37)5',
      '/00/106141411234567897?02=09520123456788&37=5',
    ],
    ['(414)9521321123458(254)32a', '/414/9521321123458/254/32a'],
    [
      '(415)9521321123458(8020)REF(8007)GB29NWBK60161331926819',
      '/415/9521321123458/8020/REF?8007=GB29NWBK60161331926819',
    ],
    ['(417)9521321123458', '/417/9521321123458'],
    ['(253)9521321155558ABC', '/253/9521321155558ABC'],
    ['(255)95213211555581(3900)12', '/255/95213211555581?3900=12'],
    ['(401)9521ABC', '/401/9521ABC'],
    ['(402)95212345678901242', '/402/95212345678901242'],
    ['(8003)09521321155558ABC', '/8003/09521321155558ABC'],
    ['(8004)9521ABC', '/8004/9521ABC'],
    ['(8006)095201234567880103(21)7', '/8006/095201234567880103/21/7'],
    ['(8010)9521-AB(8011)12', '/8010/9521-AB/8011/12'],
    ['(8013)1987654Ad4X4bL5ttr2310c2K', '/8013/1987654Ad4X4bL5ttr2310c2K'],
    ['(8017)952123456789012345(8019)1', '/8017/952123456789012345/8019/1'],
  ];
  for (const [text, uri] of VALID) {
    it(`become a path: ${text}`, () => expect(read(text)).to.equal(uri));
  }

  const REFUSED: [text: string, rule: RegExp][] = [
    ['09520123456788', /unreadable/],
    ['(01)09520123456788(01)09520123456788', /unreadable/],
    ['(01)09520123456789', /must have the check digit 8 in \(01\)/],
    ['(01)0952012345678', /must have 14 digits in \(01\)/],
    ['(01)0952012345678A', /must have 14 digits/],
    ['(10)AB', /must have a primary key/],
    ['(8014)1', /must not have \(8014\)/],
    ['(01)09520123456788(10)A B', /1 to 20 characters of GS1’s set in \(10\)/],
    ['(01)09520123456788(10)123456789012345678901', /1 to 20 characters/],
    ['(01)09520123456788(17)291331', /must be a date of the form YYMMDD in \(17\)/],
    ['(01)09520123456788(7006)290200', /must be a date/],
    ['(01)09520123456788(37)2', /must have one of \(00\) and \(02\)/],
    ['(01)09520123456788(255)9521321155558', /must not have \(01\) with \(255\)/],
    ['(01)09520123456788(235)X(21)Y', /must not have \(235\) with \(21\)/],
    ['(01)09520123456788(235)X(10)Y', /must have after \(01\) either/],
    ['(01)09520123456788(250)x', /must have one of \(01\) and \(21\)/],
    ['(01)09520123456788(3103)000195(3102)000195', /must not have \(3103\) with \(3102\)/],
    ['(414)9521321123458(10)A', /must have one of \(01\), \(02\), \(8006\), \(8026\) with \(10\)/],
    ['(415)9521321123458', /must have \(8020\) with \(415\)/],
    ['(8006)095201234567880302', /piece/],
    ['(8004)95AB', /company prefix/],
    ['(8013)1987654Ad4X4bL5ttr2310c2X', /check characters/],
    ['(8003)19521321155558', /must begin with 0/],
    ['(8010)9521ab', /characters/],
    ['(8017)952123456789012345(8018)952123456789012345', /must not have \(8018\)/],
    ['(415)9521321123458(8020)R(8007)GB29NWBK60161331926810', /IBAN/],
  ];
  for (const [text, rule] of REFUSED) {
    it(`are refused: ${text}`, () => expect(read(text)).to.match(rule));
  }

  it('have a level for each qualifier', () => {
    expect(pathsOf(readElements('(01)09520123456788(10)A/1(21)S(17)290331')!)).to.deep.equal([
      '01/09520123456788/10/A/1/21/S',
      '01/09520123456788/10/A/1',
      '01/09520123456788',
    ]);
  });
});

describe('the path of a GS1 Digital Link', () => {
  const PATHS: [path: string, isMeant: boolean, isValid: boolean][] = [
    ['01/09520123456788', true, true],
    ['01/09520123456788/', true, true],
    ['01/09520123456788/10/ABC%2F1/21/5', true, true],
    ['01/09520123456788/21/5/10/A', true, false],
    ['01/09520123456788/10', true, false],
    ['01/09520123456788/17/290331', true, false],
    ['01/09520123456788/10/A/10/B', true, false],
    ['01/09520123456788/menu', true, false],
    ['01/09520123456788/10/%zz', true, false],
    ['01/09520123456789', true, false],
    ['01/9520123456788', true, false],
    ['00/106141411234567897', true, true],
    ['01/2024', false, false],
    ['10/20240101', false, false],
    ['2026/01/a', false, false],
    ['8004/9521AB', false, true],
  ];
  for (const [path, isMeant, isValid] of PATHS) {
    it(`is recognized by its path: ${path}`, () => {
      expect([isMeantAsGs1(path), isValidPath(path)]).to.deep.equal([isMeant, isValid]);
    });
  }
});
