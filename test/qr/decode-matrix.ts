import { writeFileSync } from 'node:fs';
import { casesOf, SEED } from './cases.ts';
import { decodeCase, describeFailure, type Failure, isFault } from './decode.ts';
import { report } from './decode-report.ts';

/*
 * Renders every case, decodes each rendering with every decoder, and writes the results to
 * docs/qr-decode-matrix.md: `npm run qr-matrix`. `npm run qr-matrix -- 7` uses another seed and
 * writes nothing.
 */

// Each Ghostscript adds listeners to the process.
process.setMaxListeners(0);
const seed = Number(process.argv[2] ?? SEED);
const { cases, impossible } = casesOf(seed);
console.log(`seed ${seed}: ${cases.length} codes`);
const failures: Failure[] = [];
for (const [index, one] of cases.entries()) {
  for (const failure of await decodeCase(one)) {
    failures.push(failure);
    if (isFault(failure)) console.log(describeFailure(failure));
  }
  if (index % 50 === 49) console.log(`${index + 1} of ${cases.length}`);
}
const faults = failures.filter(isFault).length;
console.log(`${cases.length} codes, ${faults} failures, ${failures.length - faults} other misses`);
if (seed === SEED) {
  writeFileSync('docs/qr-decode-matrix.md', report({ seed, cases, impossible, failures }));
}
process.exit(faults === 0 ? 0 : 1);
