import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const exists = (program: string) =>
  spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;

export const hasPython = exists('python3');
export const hasLibreOffice = exists('soffice');

const READ =
  "import csv, io, json, sys; json.dump(list(csv.reader(io.TextIOWrapper(sys.stdin.buffer, 'utf-8-sig', newline=''))), sys.stdout)";

/** Parses a file with Python's module `csv`. */
export function readByPython(file: string | Buffer): string[][] {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', READ], {
    input: file,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`Python: ${stderr}`);
  return JSON.parse(stdout) as string[][];
}

/**
 * Parses a file with LibreOffice, which writes it again for Python to read, with formulas as
 * formulas.
 */
export function readByLibreOffice(file: string | Buffer): string[][] {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-office-'));
  try {
    const source = path.join(folder, 'given.csv');
    writeFileSync(source, file);
    const { stderr } = spawnSync(
      'soffice',
      [
        `-env:UserInstallation=file://${folder}/profile`,
        '--headless',
        // Comma, quotation mark, UTF-8, from the first line.
        '--infilter=Text - txt - csv (StarCalc):44,34,76,1',
        '--convert-to',
        // The same options, with every text quoted, and formulas instead of their values.
        'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,true,false,true',
        '--outdir',
        path.join(folder, 'out'),
        source,
      ],
      { encoding: 'utf8', timeout: 60_000 },
    );
    try {
      return readByPython(readFileSync(path.join(folder, 'out', 'given.csv')));
    } catch (error) {
      throw new Error(`LibreOffice: ${stderr}`, { cause: error });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
