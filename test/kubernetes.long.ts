import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CORE_SCHEMA, load, loadAll, mergeTag } from 'js-yaml';
import { parseProcfile } from '../scripts/procfile.ts';
import { SETTINGS } from '../src/config.ts';
import { QUEUES } from '../src/queues/index.ts';
import { findKustomize, kustomized } from './support/kubernetes.ts';

interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number }[];
  env?: { name: string }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  resources: { requests: object; limits: { memory?: string } };
  securityContext: object;
  volumeMounts: { name: string; mountPath: string }[];
  livenessProbe?: { httpGet: { port: string } };
  readinessProbe?: object;
}

interface Manifest {
  kind: string;
  metadata: { name: string; namespace: string };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    selector?: Record<string, string> & { matchLabels?: Record<string, string> };
    ports?: { targetPort: string }[];
    scaleTargetRef?: { kind: string; name: string };
    metrics?: { external?: { metric: { selector: { matchLabels: Record<string, string> } } } }[];
    volumeClaimTemplates?: { metadata: { name: string } }[];
    template?: {
      metadata: { labels: Record<string, string> };
      spec: {
        containers: Container[];
        initContainers?: Container[];
        volumes?: { name: string }[];
        securityContext: object;
        automountServiceAccountToken: boolean;
        enableServiceLinks: boolean;
      };
    };
  };
}

describe('manifests for Kubernetes', () => {
  let manifests: Manifest[];

  const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
  const workloads = () => ofKind('Deployment', 'StatefulSet');
  const podOf = ({ spec }: Manifest) => spec.template!.spec;
  const isStore = ({ metadata: { name } }: Manifest) => ['postgres', 'redis'].includes(name);

  before(function () {
    const guide = readFileSync('docs/kubernetes.md', 'utf8');
    const [, text] = /^```yaml run by test\/kubernetes\S+\n([^]*?)^```/m.exec(guide)!;
    const kustomize = findKustomize();
    if (kustomize === undefined) this.skip();
    manifests = loadAll(kustomized(kustomize, text!)) as Manifest[];
  });

  it('have a workload with the command of each line of the Procfile', () => {
    const commands = workloads()
      .filter((workload) => !isStore(workload))
      .map((workload) => ({
        name: workload.metadata.name.replace('-', '_'),
        command: podOf(workload).containers[0]!.command!.join(' '),
      }));
    expect(commands).to.have.deep.members(parseProcfile(readFileSync('Procfile', 'utf8')));
  });

  it('pass the Pod Security Standard "restricted", with limits, and migrate first', () => {
    for (const workload of workloads()) {
      const { name, namespace } = workload.metadata;
      expect(namespace).to.equal('shortlinks');
      const pod = podOf(workload);
      expect(pod.securityContext, name).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod, name).to.include({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
      });
      const volumes = [
        ...(pod.volumes ?? []).map((volume) => volume.name),
        ...(workload.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      ];
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container.securityContext, name).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources.limits.memory, name).to.match(/^[124]Gi$/);
        expect(container.resources.requests, name).to.have.keys('cpu', 'memory');
        expect(volumes, name).to.include.members(container.volumeMounts.map((mount) => mount.name));
      }
      if (isStore(workload)) continue;
      const [migrate] = pod.initContainers!;
      expect(migrate!.command, name).to.deep.equal(['node', 'dist/programs/migrate.js']);
      expect(pod.containers[0]!.image).to.equal('registry.example/shortlinks:1.0.0');
      expect(migrate!.image).to.equal(pod.containers[0]!.image);
    }
  });

  it('limit the memory of a process as compose.yaml does', () => {
    const { services } = load(readFileSync('compose.yaml', 'utf8'), {
      schema: CORE_SCHEMA.withTags(mergeTag),
    }) as { services: Record<string, { mem_limit: string }> };
    for (const workload of workloads()) {
      const name = workload.metadata.name.replace('-', '_');
      const { memory } = podOf(workload).containers[0]!.resources.limits;
      expect(memory, name).to.equal(services[name]!.mem_limit.replace('g', 'Gi'));
    }
  });

  it('probe the port of the image, and give every process settings and secrets', () => {
    const [settings] = ofKind('ConfigMap');
    expect(settings!.data).to.include({ DEFAULT_SHORT_DOMAIN: 'acme.link' });
    for (const variable of Object.keys(settings!.data!))
      expect(SETTINGS).to.have.property(variable);
    const [, health] = /HEALTH_PORT=(\d+)/.exec(readFileSync('Dockerfile', 'utf8'))!;
    for (const workload of workloads().filter((one) => !isStore(one))) {
      const [process] = podOf(workload).containers;
      const port = process!.ports!.find(
        ({ name }) => name === process!.livenessProbe!.httpGet.port,
      );
      expect(port!.containerPort).to.equal(Number(health));
      expect(process!.envFrom).to.deep.equal([
        { configMapRef: { name: settings!.metadata.name } },
        { secretRef: { name: 'shortlinks' } },
      ]);
    }
  });

  it('keep the spool of servers on volumes', () => {
    const servers = ofKind('StatefulSet').filter((one) => !isStore(one));
    expect(servers.map(({ metadata }) => metadata.name)).to.have.members(['api', 'redirect']);
    for (const { spec } of servers) {
      expect(spec.volumeClaimTemplates!.map(({ metadata }) => metadata.name)).to.deep.equal([
        'data',
      ]);
      const [process] = spec.template!.spec.containers;
      expect(process).to.have.property('readinessProbe');
      expect(process!.volumeMounts).to.deep.include({ name: 'data', mountPath: '/data' });
    }
  });

  it('have Services that lead to pods, at ports that these serve', () => {
    const services = ofKind('Service');
    const names = ['api', 'redirect', 'postgres', 'redis'];
    expect(services.map(({ metadata }) => metadata.name)).to.have.members(names);
    for (const { spec } of [...services, ...ofKind('PodDisruptionBudget')]) {
      const wanted = Object.entries(spec.selector!.matchLabels ?? spec.selector!);
      const [found, ...others] = workloads().filter(({ spec: { template } }) =>
        wanted.every(([label, value]) => template!.metadata.labels[label] === value),
      );
      expect(others).to.deep.equal([]);
      const served = podOf(found!).containers[0]!.ports!.map(({ name }) => name);
      for (const { targetPort } of spec.ports ?? []) expect(served).to.include(targetPort);
    }
  });

  it('scale what exists, by queues that exist, and leave its number to the autoscaler', () => {
    for (const { metadata, spec } of ofKind('HorizontalPodAutoscaler')) {
      const { kind, name } = spec.scaleTargetRef!;
      expect(metadata.name).to.equal(name);
      const scaled = ofKind(kind).find((workload) => workload.metadata.name === name);
      expect(scaled?.spec, name).not.to.have.property('replicas');
      const [metric] = spec.metrics!;
      const labels = metric!.external?.metric.selector.matchLabels;
      if (labels !== undefined) expect(QUEUES).to.have.property(labels['queue']!);
    }
  });
});
