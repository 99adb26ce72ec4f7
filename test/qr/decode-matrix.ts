import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DECODERS } from '../support/decoders.ts';
import { type Case, casesOf, FACTORS, SEED } from './cases.ts';
import { decodeCase, describeFailure, type Failure } from './decode.ts';
import { RENDERINGS } from './renderings.ts';

/*
 * Draws every case, decodes it in every rendering with every decoder, and writes what was seen to
 * docs/qr-decode-matrix.md. `npm run qr-matrix`, or with another seed `npm run qr-matrix -- 7`, which writes nothing.
 */

// Each Ghostscript listens to its process.
process.setMaxListeners(0);
const seed = Number(process.argv[2] ?? SEED);
const { cases, impossible } = casesOf(seed);
console.log(`seed ${seed}: ${cases.length} codes`);
const failures: Failure[] = [];
for (const [index, one] of cases.entries()) {
  for (const failure of await decodeCase(one)) {
    failures.push(failure);
    console.log(describeFailure(failure));
  }
  if (index % 50 === 49) console.log(`${index + 1} of ${cases.length}`);
}
const perCode = RENDERINGS.length * Object.keys(DECODERS).length;
console.log(`${cases.length * perCode} decodes, ${failures.length} failures`);
if (seed === SEED) writeFileSync('docs/qr-decode-matrix.md', report());
process.exit(failures.length === 0 ? 0 : 1);

function report(): string {
  return [
    '# What decoders make of our codes',
    '',
    'Made by `npm run qr-matrix`. Each pair of two choices of different factors occurs in at least one code; each code',
    `is decoded in ${RENDERINGS.length} renderings (${RENDERINGS.join(', ')}) by ${versions()}. A decode counts when its`,
    'bytes are the payload. CI decodes a tenth of these codes, drawn anew by a seed that it prints.',
    '',
    `Seed ${seed}: **${cases.length} codes, ${cases.length * perCode} decodes, ${failures.length} failures.**`,
    '',
    '| factor | choice | codes | decodes | failures |',
    '| --- | --- | --- | --- | --- |',
    ...Object.entries(FACTORS).flatMap(([factor, choices]) =>
      choices.map((choice) => row(factor as keyof typeof FACTORS, choice)),
    ),
    '',
    '## Pairs that no code can have',
    '',
    ...(impossible.length === 0 ? ['None.'] : impossible.map((pair) => `- ${pair}`)),
    '',
    '## Failures',
    '',
    ...(failures.length === 0 ? ['None.'] : failures.map((one) => `- ${describeFailure(one)}`)),
    '',
  ].join('\n');
}

function row(factor: keyof Case['choices'], choice: string): string {
  const isChosen = ({ choices }: Case) => choices[factor] === choice;
  const codes = cases.filter(isChosen).length;
  const failed = failures.filter((failure) => isChosen(failure.case)).length;
  return `| ${factor} | ${choice} | ${codes} | ${codes * perCode} | ${failed} |`;
}

function versions(): string {
  const { resolve } = createRequire(import.meta.url);
  const version = (name: string) => {
    const file = resolve(name).replace(/dist.*$/, 'package.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
  };
  return `ZBar (zbar-wasm ${version('@undecaf/zbar-wasm')}) and ZXing (zxing-wasm ${version('zxing-wasm/reader')})`;
}
