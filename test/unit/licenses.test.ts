import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { load } from 'js-yaml';

interface Component {
  name: string;
  licenses?: { license?: { id?: string; name?: string }; expression?: string }[];
}

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions: Record<string, string>;
  steps: Step[];
}

/** Licenses of what runs. LGPL: libvips of `sharp`, a shared library that can be replaced. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'OFL-1.1',
  'Unlicense',
];

/** Packages for other systems, whose license (MIT) package-lock.json lacks. */
const UNLICENSED = /^@msgpackr-extract\/msgpackr-extract-/;

const workflow = load(readFileSync('.github/workflows/release.yml', 'utf8')) as {
  permissions: object;
  jobs: Record<string, Job>;
};
const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

describe('a release', () => {
  it('lists all packages that run, each with a license that allows it', () => {
    const text = execFileSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8' });
    const { bomFormat, components } = JSON.parse(text) as {
      bomFormat: string;
      components: Component[];
    };
    expect(bomFormat).to.equal('CycloneDX');
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const names = components.map(({ name }) => name);
    expect(names).to.include.members(Object.keys(dependencies));
    expect(names).not.to.include('mocha');
    for (const { name, licenses = [] } of components) {
      const ids = licenses.flatMap(({ license, expression }) =>
        (expression ?? license?.id ?? license?.name ?? '').replaceAll(/[()]/g, '').split(' AND '),
      );
      if (ids.length === 0) expect(name).to.match(UNLICENSED);
      else expect(ALLOWED, name).to.include.members(ids);
    }
  });

  it('runs actions of a fixed commit, with the rights of each job alone', () => {
    expect(workflow.permissions).to.deep.equal({});
    for (const { permissions } of Object.values(workflow.jobs)) {
      expect(Object.values(permissions).filter((right) => right === 'write')).to.have.length(1);
    }
    for (const { uses } of steps) if (uses !== undefined) expect(uses).to.match(/@[0-9a-f]{40}$/);
  });

  it('takes nothing of the tag or the repository into the text of a command', () => {
    for (const { run } of steps) expect(run ?? '').not.to.contain('${{');
  });

  it('builds both images for two platforms, with provenance and a list of contents', () => {
    const build = steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))!;
    expect(build.with).to.include({
      platforms: 'linux/amd64,linux/arm64',
      provenance: 'mode=max',
      sbom: true,
    });
  });
});
