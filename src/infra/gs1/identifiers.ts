import { once } from '../memoize.ts';

/** A part of a value: its characters, its length, and what else is checked of it. */
export interface Component {
  /** `N`: digits; `X`: GS1's 82 characters; `Y`: its 39 characters; `Z`: base64url. */
  charset: 'N' | 'X' | 'Y' | 'Z';
  min: number;
  max: number;
  isOptional: boolean;
  check: string | undefined;
}

/** An application identifier that a GS1 Digital Link can have. */
export interface Identifier {
  components: readonly Component[];
  /** Sets of identifiers, one of which must be present: each is a list of patterns. */
  needs: readonly (readonly string[])[];
  /** Patterns of identifiers that must not be present. */
  excludes: readonly string[];
  /** Of a primary key: lists of its qualifiers, in the order of the path. */
  qualifiers: readonly (readonly string[])[] | undefined;
}

/*
 * Application identifiers of GS1 Digital Link URIs: those that are primary keys, qualifiers or data
 * attributes in the GS1 Barcode Syntax Dictionary of 2026-01-27
 * (https://github.com/gs1/gs1-syntax-dictionary, Apache License 2.0).
 *
 *   identifiers  format  [need=one,of|these]  [not=these]  [key=qualifiers,in,order|others]
 *
 * `7030:7039` are all from the first to the last, `310:316*` are 3100 to 3105, …, 3160 to 3165. `n`
 * in a pattern stands for any digit. Parts of a format are joined with `+`, and optional ones end
 * with `?`. `a+b` in a list are needed together.
 */
const TABLE = `
00 N18,sum key=
01 N14,sum not=255,37 key=22,10,21|235
02 N14,sum need=37 not=01
10 X..20 need=01,02,8006,8026
11 N6,date0 need=01,02,8006,8026
12 N6,date0 need=8020
13 N6,date0 need=01,02,8006,8026
15:16 N6,date0 need=01,02,8006,8026
17 N6,date0 need=01,02,255,8006,8026
20 N2 need=01,02,8006,8026
21 X..20 need=01,8006 not=235
22 X..20 need=01
235 X..28 need=01
240:241 X..30 need=01,02,8006,8026
242 N..6 need=01,02,8006,8026
243 X..20 need=01
250 X..30 need=01+21,8006+21
251 X..30 need=01,8006
253 N13,sum+X..17? key=
254 X..20 need=414
255 N13,sum+N..12? not=01,02,415,8006,8020,8026 key=
30 N..8 need=01,02
310:316* N6 need=01,02
320:329* N6 need=01,02
330:336* N6 need=00,01
337:337* N6 need=01
340:349* N6 need=00,01
350:352* N6 need=01,02
353:355* N6 need=00,01
356:357* N6 need=01,02
360:361* N6 need=01,02
362:363* N6 need=00,01
364:366* N6 need=01,02
367:369* N6 need=00,01
37 N..8 need=00+02,00+8026
3900:3909 N..15 need=255,8020 not=390n,391n,394n,8111
3910:3919 N3+N..15 need=8020 not=391n
3920:3929 N..15 need=01+30,01+31nn,01+32nn,01+35nn,01+36nn not=392n,393n
3930:3939 N3+N..15 need=30,31nn,32nn,35nn,36nn not=393n
3940:3943 N4 need=255 not=394n,8111
3950:3955 N6 need=30,31nn,32nn,35nn,36nn not=392n,393n,395n,8005
400 X..30
401 X..30,prefix key=
402 N17,sum key=
403 X..30 need=00
410:413 N13,sum
414 N13,sum key=254|7040
415 N13,sum need=8020 key=8020
416 N13,sum
417 N13,sum key=7040
420 X..20 not=421
421 N3+X..9 not=4307
422 N3 need=01,02,8006,8026 not=426
423 N3+N3?+N3?+N3?+N3? need=01,02 not=426
424 N3 need=01,02 not=426
425 N3+N3?+N3?+N3?+N3? need=01,02 not=426
426 N3 need=01,02
427 X..3 need=01+422,02+422
4300:4301 X..35,percent need=00
4302 X..70,percent need=00
4303 X..70,percent need=4302
4304:4306 X..70,percent need=00
4307 X2,letters need=00
4308 X..30 need=00
4309 N10,latitude+N10,longitude need=00
4310:4311 X..35,percent need=00
4312 X..70,percent need=00
4313 X..70,percent need=4312
4314:4316 X..70,percent need=00
4317 X2,letters need=00
4318 X..20 need=00
4319 X..30 need=00
4320 X..35,percent need=00
4321:4323 N1,flag need=00
4324:4325 N6,date0+N4,time need=00
4326 N6,date need=00
4330 N6+X1,minus? need=00 not=4331
4331 N6+X1,minus? need=00 not=4330
4332 N6+X1,minus? need=00 not=4333
4333 N6+X1,minus? need=00 not=4332
7001 N13 need=01,02,8006,8026
7002 X..30 need=01,02
7003 N6,date+N4,time need=01,02
7004 N..4 need=01+10
7005 X..12 need=01,02
7006 N6,date need=01,02
7007 N6,date+N6,date? need=01,02
7008 X..3 need=01,02
7009 X..10 need=01,02
7010 X..2 need=01,02
7011 N6,date+N4,time? need=01,02
7020 X..20 need=01+416,8006+416
7021 X..20 need=01,8006
7022 X..20 need=01+7021,8006+7021
7023 X..30,prefix
7030:7039 N3+X..27 need=01,02
7040 N1+X1+X1+X1
7041 X..4 need=00
710:717 X..20 need=01
7230:7239 X2+X..28 need=01,8004
7240 X..20 need=01,8006
7241 N2 need=8017,8018
7242 X..25 need=8017,8018
7250 N8,day need=8018 not=7251
7251 N8,day+N4,time need=8018 not=7250
7252 N1,sex need=8018
7253:7254 X..40,percent need=8017,8018 not=7256,7259
7255 X..10 need=8017,8018 not=7256,7259
7256 X..90,percent need=8017,8018
7257 X..70 need=8018
7258 X3 need=8018+7259
7259 X..40,percent need=8018 not=7256
8001 N4,nonzero+N5,nonzero+N3,nonzero+N1,winding+N1 need=01
8002 X..20
8003 N1,zero+N13,sum+X..16? key=
8004 X..30,prefix key=7040
8005 N6 need=01,02
8006 N14,sum+N4,piece not=01,37 key=22,10,21
8007 X..34,iban need=415
8008 N6,date0+N2,hour+N2,minute?+N2,minute? need=01,02
8009 X..50 need=00,01
8010 Y..30,prefix key=8011
8011 N..12,unpadded need=8010
8012 X..20 need=01,8006
8013 X..25,pair key=
8017 N18,sum not=8018 key=8019
8018 N18,sum not=8017 key=8019
8019 N..10 need=8017,8018
8020 X..25 need=415
8026 N14,sum+N4,piece need=37 not=02,8006
8030 Z..90 need=00,01+21,253,255,8003,8004,8006+21,8010+8011,8017,8018
8111 N4 need=255
90:99 X..90
`;

const COMPONENT = /^([NXYZ])(\.\.)?(\d+)(?:,(\w+))?(\?)?$/;

function componentOf(text: string): Component {
  const [, charset, range, length = '', check, optional] = COMPONENT.exec(text)!;
  const max = Number(length);
  return {
    charset: charset as Component['charset'],
    min: range === undefined ? max : 1,
    max,
    isOptional: optional !== undefined,
    check,
  };
}

/** All identifiers of a row: `10`, `15:16`, `310:316*`. */
function namesOf(range: string): string[] {
  const [first = '', last = first] = range.replace('*', '').split(':');
  const count = Number(last) - Number(first) + 1;
  const names = Array.from({ length: count }, (_, at) =>
    String(Number(first) + at).padStart(first.length, '0'),
  );
  if (!range.endsWith('*')) return names;
  return names.flatMap((name) => Array.from({ length: 6 }, (_, at) => `${name}${at}`));
}

/** Returns all identifiers by their digits; those of weights and sizes exclude their own kind. */
export const identifiers = once((): ReadonlyMap<string, Identifier> => {
  const all = new Map<string, Identifier>();
  for (const line of TABLE.trim().split('\n')) {
    const [range = '', format = '', ...rules] = line.split(' ');
    const ruleOf = (name: string) =>
      rules.find((rule) => rule.startsWith(`${name}=`))?.slice(name.length + 1);
    const components = format.split('+').map(componentOf);
    const needs =
      ruleOf('need')
        ?.split(',')
        .map((set) => set.split('+')) ?? [];
    const excludes = ruleOf('not')?.split(',') ?? [];
    const qualifiers = ruleOf('key')
      ?.split('|')
      .map((one) => one.split(',').filter(Boolean));
    for (const name of namesOf(range)) {
      const kind = range.endsWith('*') ? [`${name.slice(0, 3)}n`] : [];
      all.set(name, { components, needs, excludes: [...excludes, ...kind], qualifiers });
    }
  }
  return all;
});

/** Names of the primary keys that people know. */
export const KEY_NAMES: Readonly<Record<string, string>> = {
  '00': 'SSCC',
  '01': 'GTIN',
  '253': 'GDTI',
  '255': 'GCN',
  '401': 'GINC',
  '402': 'GSIN',
  '414': 'GLN',
  '415': 'GLN',
  '417': 'GLN',
  '8003': 'GRAI',
  '8004': 'GIAI',
  '8006': 'ITIP',
  '8010': 'CPID',
  '8013': 'GMN',
  '8017': 'GSRN',
  '8018': 'GSRN',
};
