import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { dump, load, loadAll } from 'js-yaml';
import { parseProcfile } from '../scripts/procfile.ts';
import { SETTINGS } from '../src/config.ts';
import {
  findChartRenderer,
  findKustomize,
  kustomized,
  type RenderChart,
} from './support/kubernetes.ts';

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: object };
  spec?: { replicas?: number; template?: { metadata: { annotations?: object } } };
}

type Values = Record<string, unknown>;

const CHART = 'ops/helm/shortlinks';

const VALUES = {
  image: { repository: 'registry.example/shortlinks', tag: '1.0.0' },
  settings: { BASE_URL: 'https://api.acme.test', DEFAULT_SHORT_DOMAIN: 'acme.link' },
};

/** The kustomization with the settings of VALUES. */
const kustomizationOf = (more: object) =>
  dump({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    images: [{ name: 'shortlinks', newName: 'registry.example/shortlinks', newTag: '1.0.0' }],
    configMapGenerator: [
      {
        name: 'settings',
        behavior: 'merge',
        literals: Object.entries(VALUES.settings).map(([name, value]) => `${name}=${value}`),
      },
    ],
    ...more,
  });

/**
 * Maps objects by kind and name, without what only one of both adds: labels of Helm, and what makes
 * pods restart when a setting changes.
 */
function byName(yaml: string): Map<string, Manifest> {
  const text = yaml.replaceAll(/\bsettings-[a-z0-9]{10}\b/g, 'settings');
  const manifests = (loadAll(text) as (Manifest | null)[]).filter((one) => one !== null);
  return new Map(
    manifests.map((manifest) => {
      const { labels = {}, ...metadata } = manifest.metadata;
      const { 'app.kubernetes.io/managed-by': _, 'helm.sh/chart': __, ...common } = labels;
      const { annotations = {} } = manifest.spec?.template?.metadata ?? {};
      if ('checksum/settings' in annotations) delete manifest.spec!.template!.metadata.annotations;
      const key = `${manifest.kind} ${metadata.name}`;
      return [key, { ...manifest, metadata: { ...metadata, labels: common } }];
    }),
  );
}

describe('the chart for Helm', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-helm-'));
  const values = load(readFileSync(`${CHART}/values.yaml`, 'utf8')) as Values;
  const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as {
    properties: { settings: { propertyNames: { not: { enum: string[] } } } };
  };
  const isValid = new Ajv({ allErrors: true }).compile(schema);
  let render: RenderChart | undefined;

  before(() => {
    render = findChartRenderer(folder);
  });

  after(() => rmSync(folder, { recursive: true }));

  /** Renders the chart with values in addition to its own. */
  function rendered(more: Values) {
    const file = path.join(folder, 'values.yaml');
    writeFileSync(file, dump(more));
    return render!(file);
  }

  function manifestsOf(more: Values): Map<string, Manifest> {
    const { status, stdout, stderr } = rendered(more);
    expect(status, stderr).to.equal(0);
    return byName(stdout);
  }

  for (const [title, resources, more] of [
    ['external stores', { resources: ['kubernetes/base'] }, {}],
    [
      'bundled stores and autoscalers',
      { resources: ['kubernetes/with-stores'], components: ['kubernetes/autoscaled'] },
      { postgres: { bundled: true }, redis: { bundled: true }, autoscaling: { enabled: true } },
    ],
  ] as const) {
    it(`makes the objects that kustomize makes, with ${title}`, function () {
      const kustomize = findKustomize();
      if (render === undefined || kustomize === undefined) this.skip();
      const expected = byName(kustomized(kustomize, kustomizationOf(resources)));
      const made = manifestsOf({ ...VALUES, ...more });
      expect([...made.keys()]).to.have.members([...expected.keys()]);
      for (const [name, manifest] of made) {
        expect(manifest, name).to.deep.equal(expected.get(name));
      }
    });
  }

  it('makes all objects with the values of the guide', function () {
    if (render === undefined) this.skip();
    const guide = readFileSync('docs/kubernetes.md', 'utf8');
    const [, text] = /^```yaml run by test\/helm\S+\n([^]*?)^```/m.exec(guide)!;
    const own = load(text!) as Values;
    for (const [name, value] of Object.entries(own))
      expect(
        isValid({ ...values, [name]: { ...(values[name] as object), ...(value as object) } }),
        name,
      ).to.equal(true);
    expect([...manifestsOf(own).keys()]).to.include.members([
      'StatefulSet postgres',
      'StatefulSet redis',
      'HorizontalPodAutoscaler worker-clicks',
    ]);
  });

  it('has a workload with the command of each line of the Procfile', function () {
    if (render === undefined) this.skip();
    const made = [...manifestsOf(VALUES).values()] as (Manifest & {
      spec: { template: { spec: { containers: { command: string[] }[] } } };
    })[];
    const commands = made
      .filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))
      .map(({ metadata, spec }) => ({
        name: metadata.name.replace('-', '_'),
        command: spec.template.spec.containers[0]!.command.join(' '),
      }));
    expect(commands).to.have.deep.members(parseProcfile(readFileSync('Procfile', 'utf8')));
  });

  it('bundles each store alone, and places all pods', function () {
    if (render === undefined) this.skip();
    const made = manifestsOf({
      ...VALUES,
      redis: { bundled: true },
      storageClassName: 'fast',
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      podAnnotations: { team: 'links' },
      image: { ...VALUES.image, pullPolicy: 'Always', pullSecrets: ['registry'] },
    });
    expect([...made.keys()])
      .to.include('StatefulSet redis')
      .and.not.include('StatefulSet postgres');
    for (const [name, { kind, spec }] of made) {
      if (!['Deployment', 'StatefulSet'].includes(kind)) continue;
      expect(spec, name).to.have.deep.nested.property('template.spec.nodeSelector', {
        disk: 'ssd',
      });
      expect(spec, name).to.have.nested.property('template.spec.tolerations[0].key', 'dedicated');
      expect(spec, name).to.have.nested.property(
        'template.spec.imagePullSecrets[0].name',
        'registry',
      );
      if (kind === 'StatefulSet')
        expect(spec, name).to.have.nested.property(
          'volumeClaimTemplates[0].spec.storageClassName',
          'fast',
        );
    }
  });

  it('changes the number and the resources of one process', function () {
    if (render === undefined) this.skip();
    const limits = { memory: '2Gi' };
    const made = manifestsOf({
      ...VALUES,
      processes: {
        redirect: { replicas: 4 },
        'worker-clicks': { replicas: 0, resources: { limits } },
      },
    });
    expect(made.get('StatefulSet redirect')!.spec!.replicas).to.equal(4);
    expect(made.get('StatefulSet api')!.spec!.replicas).to.equal(2);
    const clicks = made.get('Deployment worker-clicks')!.spec!;
    expect(clicks.replicas).to.equal(0);
    expect(clicks).to.have.deep.nested.property('template.spec.containers[0].resources', {
      requests: { cpu: '50m', memory: '128Mi' },
      limits,
    });
    expect(made.get('Deployment worker-qr')!.spec).not.to.have.property('replicas');
  });

  it('restarts all pods when a setting changes', function () {
    if (render === undefined) this.skip();
    const checksumsOf = (more: object) =>
      new Set(
        rendered({ ...VALUES, settings: { ...VALUES.settings, ...more } }).stdout.match(
          /checksum\/settings: \w{64}/g,
        ),
      );
    const [before, after] = [checksumsOf({}), checksumsOf({ LOG_LEVEL: 'debug' })];
    expect([before.size, after.size]).to.deep.equal([1, 1]);
    expect(after).not.to.deep.equal(before);
  });

  it('says which value is missing, or names no process', function () {
    if (render === undefined) this.skip();
    for (const [bad, message] of [
      [{ settings: VALUES.settings }, 'image.repository is required'],
      [{ ...VALUES, settings: {} }, 'settings.BASE_URL is required'],
      [
        { ...VALUES, settings: { BASE_URL: 'https://a.test' } },
        'settings.DEFAULT_SHORT_DOMAIN is required',
      ],
      [
        { ...VALUES, processes: { 'worker-click': {} } },
        'processes.worker-click: there is no such process; it must be one of api, redirect, worker-',
      ],
    ] as const) {
      const { status, stderr } = rendered(bad);
      expect(status).not.to.equal(0);
      expect(stderr).to.contain(message);
    }
  });

  it('has values that its schema accepts, also with a copy of each', () => {
    expect(isValid(values), JSON.stringify(isValid.errors)).to.equal(true);
    expect(isValid({ ...values, ...VALUES }), JSON.stringify(isValid.errors)).to.equal(true);
  });

  it('refuses bad values by its schema, which names them', () => {
    for (const [bad, where] of [
      [{ replicas: 2 }, ''],
      [{ image: { repository: 'Registry/x:1.0' } }, '/image/repository'],
      [{ image: { repository: 'a/b', pullPolicy: 'Sometimes' } }, '/image/pullPolicy'],
      [{ settings: { DATABASE_POOL: 5 } }, '/settings/DATABASE_POOL'],
      [{ settings: { BASE_URL: 'api.acme.test' } }, '/settings/BASE_URL'],
      [
        { settings: { DEFAULT_SHORT_DOMAIN: 'https://acme.link' } },
        '/settings/DEFAULT_SHORT_DOMAIN',
      ],
      [{ settings: { log_level: 'info' } }, '/settings'],
      [{ postgres: { ...(values['postgres'] as object), bundled: 'yes' } }, '/postgres/bundled'],
      [{ postgres: { ...(values['postgres'] as object), storage: '20 GB' } }, '/postgres/storage'],
      [{ processes: { api: { replicas: -1 } } }, '/processes/api/replicas'],
      [{ processes: { api: { memory: '1Gi' } } }, '/processes/api'],
      [
        {
          autoscaling: {
            ...(values['autoscaling'] as object),
            workers: { minReplicas: 0, maxReplicas: 4 },
          },
        },
        '/autoscaling/workers/minReplicas',
      ],
    ] as const) {
      expect(isValid({ ...values, ...bad }), JSON.stringify(bad)).to.equal(false);
      expect(isValid.errors!.map(({ instancePath }) => instancePath)).to.include(where);
    }
  });

  it('refuses every secret among the settings', () => {
    const secrets = Object.entries(SETTINGS)
      .filter(([, setting]) => 'secret' in setting && setting.secret)
      .map(([name]) => name);
    expect(schema.properties.settings.propertyNames.not.enum).to.have.members(secrets);
    expect(isValid({ ...values, settings: { SECRET_KEY: 'x'.repeat(64) } })).to.equal(false);
  });

  it('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const chart = load(readFileSync(`${CHART}/Chart.yaml`, 'utf8')) as Values;
    expect(chart).to.include({ version, appVersion: version });
  });
});
