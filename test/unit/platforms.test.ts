import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { parseProcfile } from '../../scripts/procfile.ts';
import { SETTINGS } from '../../src/config.ts';

interface Service {
  image?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  volumes?: string[];
  caproverExtra?: Record<string, string>;
}

interface CapRover {
  captainVersion: number;
  services: Record<string, Service>;
  caproverOneClickApp: {
    variables: { id: string; label: string; defaultValue?: string; validRegex?: string }[];
    instructions: { start: string; end: string };
    displayName: string;
  };
}

const read = <Content>(file: string) =>
  load(readFileSync(file, 'utf8'), { schema: CORE_SCHEMA.withTags(mergeTag) }) as Content;

const compose = read<{ services: Record<string, Service> }>('compose.yaml').services;
const coolify = read<{ services: Record<string, Service> }>('ops/coolify/compose.yaml').services;
const caprover = read<CapRover>('ops/caprover/shortlinks.yml');

/** Commands of the processes that the templates run. */
const COMMANDS: Record<string, string> = Object.fromEntries([
  ...parseProcfile(readFileSync('Procfile', 'utf8')).map(({ name, command }) => [name, command]),
  // Procfile.small has it with a smaller heap.
  ['worker_all', 'node dist/programs/worker.js all'],
]);

/** Keys of the schema of https://docs.railway.com/config-as-code/reference that are used here. */
const RAILWAY = {
  build: ['builder', 'dockerfilePath'],
  deploy: [
    'startCommand',
    'preDeployCommand',
    'healthcheckPath',
    'restartPolicyType',
    'drainingSeconds',
  ],
};

/** Variables of a process other than settings: npm's cache, and addresses that Coolify sets. */
const NOT_SETTINGS = /^npm_config_cache$|^SERVICE_URL_[A-Z]+_\d+$/;

function expectSettings(environment: Record<string, unknown> = {}) {
  for (const name of Object.keys(environment))
    if (!NOT_SETTINGS.test(name)) expect(SETTINGS).to.have.property(name);
  expect(environment).to.include.keys(
    'DATABASE_URL',
    'REDIS_URL',
    'SECRET_KEY',
    'BASE_URL',
    'DEFAULT_SHORT_DOMAIN',
    'TRUST_PROXY',
  );
}

describe('the template for', () => {
  it('Coolify has the containers of compose.yaml, with one process for all workers', () => {
    expect(coolify).to.have.keys('api', 'redirect', 'worker_all', 'migrate', 'postgres', 'redis');
    for (const name of ['api', 'redirect', 'worker_all']) {
      expect(coolify[name]!.command!.join(' ')).to.equal(COMMANDS[name]);
      expectSettings(coolify[name]!.environment);
    }
    const SAME = [
      'cap_drop',
      'security_opt',
      'read_only',
      'tmpfs',
      'user',
      'mem_limit',
      'shm_size',
      'healthcheck',
      'volumes',
      'init',
    ];
    for (const [name, container] of Object.entries(coolify)) {
      const original = compose[name === 'worker_all' ? 'worker_writes' : name]!;
      for (const key of SAME) {
        expect(Reflect.get(container, key), `${name} ${key}`).to.deep.equal(
          Reflect.get(original, key),
        );
      }
    }
    for (const store of ['postgres', 'redis']) {
      const commandOf = ({ command = [], image }: Service) =>
        [image, ...command].join(' ').replaceAll(/\$\{\w+(?::\?[^}]*)?\}/g, '<password>');
      expect(commandOf(coolify[store]!)).to.equal(commandOf(compose[store]!));
    }
  });

  it('Coolify asks for no variable but the image, and generates passwords', () => {
    const text = readFileSync('ops/coolify/compose.yaml', 'utf8');
    const names = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    expect([...names]).to.have.members([
      'SHORTLINKS_IMAGE',
      'SERVICE_PASSWORD_POSTGRES',
      'SERVICE_PASSWORD_REDIS',
      'SERVICE_PASSWORD_64_SECRET',
      'SERVICE_URL_API',
      'SERVICE_FQDN_REDIRECT',
    ]);
    expect(coolify['api']!.environment).to.have.property('SERVICE_URL_API_3000', null);
    expect(coolify['redirect']!.environment).to.have.property('SERVICE_URL_REDIRECT_3001', null);
  });

  it('CapRover migrates before each process, and has the stores of compose.yaml', () => {
    const { services } = caprover;
    const app = '$$cap_appname';
    expect(caprover.captainVersion).to.equal(4);
    for (const [suffix, name, port] of [
      ['', 'api', '3000'],
      ['-links', 'redirect', '3001'],
      ['-workers', 'worker_all', undefined],
    ] as const) {
      const { command, environment, caproverExtra } = services[app + suffix]!;
      expect(command).to.deep.equal([
        'sh',
        '-c',
        `node dist/programs/migrate.js && exec ${COMMANDS[name]}`,
      ]);
      expectSettings(environment);
      expect(caproverExtra).to.deep.equal(
        port === undefined ? { notExposeAsWebApp: 'true' } : { containerHttpPort: port },
      );
    }
    // CapRover replaces the entry point of an image, which creates the database and drops rights.
    const entry = 'docker-entrypoint.sh';
    expect(services[`${app}-postgres`]!.command).to.deep.equal([
      entry,
      ...compose['postgres']!.command!,
    ]);
    expect(services[`${app}-redis`]!.command!.slice(0, -1)).to.deep.equal([
      entry,
      ...compose['redis']!.command!.slice(0, -1),
    ]);
    for (const store of ['postgres', 'redis'])
      expect(`docker.io/library/${services[`${app}-${store}`]!.image}`).to.equal(
        compose[store]!.image,
      );
  });

  it('CapRover defines each variable once, with a default that its rule accepts', () => {
    const text = readFileSync('ops/caprover/shortlinks.yml', 'utf8');
    const { variables, instructions } = caprover.caproverOneClickApp;
    const builtIn = ['$$cap_appname', '$$cap_root_domain', '$$cap_gen_random_hex'];
    const used = new Set([...text.matchAll(/\$\$cap_\w+/g)].map(([name]) => name));
    expect([...used]).to.have.members([...builtIn, ...variables.map(({ id }) => id)]);
    expect(instructions).to.have.keys('start', 'end');
    for (const { id, defaultValue, validRegex } of variables) {
      const [, rule] = /^\/(.*)\/$/.exec(validRegex!)!;
      const value = defaultValue
        ?.replace(/\$\$cap_gen_random_hex\((\d+)\)/, (_, length: string) =>
          'a'.repeat(Number(length)),
        )
        .replaceAll(/\$\$cap_\w+/g, 'name');
      if (value !== undefined) expect(value, id).to.match(new RegExp(rule!));
    }
  });

  it('Railway has the command of each process in a configuration of known keys', () => {
    expect(readdirSync('ops/railway')).to.have.members([
      'api.json',
      'redirect.json',
      'worker.json',
    ]);
    for (const [file, name] of [
      ['api', 'api'],
      ['redirect', 'redirect'],
      ['worker', 'worker_all'],
    ] as const) {
      const { $schema, ...parts } = JSON.parse(
        readFileSync(`ops/railway/${file}.json`, 'utf8'),
      ) as Record<string, Record<string, unknown>>;
      expect($schema).to.equal('https://railway.com/railway.schema.json');
      expect(parts).to.have.keys(...Object.keys(RAILWAY));
      for (const [part, known] of Object.entries(RAILWAY))
        expect(known).to.include.members(Object.keys(parts[part]!));
      expect(parts['deploy']!['startCommand']).to.equal(COMMANDS[name]);
      expect(parts['deploy']!['drainingSeconds']).to.be.a('number');
    }
  });

  it('Fly.io has the command of each process, and the port of each server', function () {
    const program = 'import json, sys, tomllib; print(json.dumps(tomllib.load(sys.stdin.buffer)))';
    const parse = (file: string) =>
      spawnSync('python3', ['-c', program], { input: readFileSync(file), encoding: 'utf8' });
    if (parse('ops/fly/fly.toml').status !== 0) this.skip();
    const TOP = [
      'app',
      'primary_region',
      'kill_signal',
      'kill_timeout',
      'env',
      'processes',
      'http_service',
      'vm',
    ];
    for (const [file, own, names] of [
      ['fly', ['deploy'], ['api', 'worker_all']],
      ['redirect', [], ['redirect']],
    ] as const) {
      const parsed = JSON.parse(parse(`ops/fly/${file}.toml`).stdout) as {
        env: Record<string, string>;
        processes: Record<string, string>;
        http_service: { processes: string[]; internal_port: number };
        deploy?: { release_command: string };
      };
      expect(parsed).to.have.keys(...TOP, ...own);
      expect(parsed.processes).to.deep.equal(
        Object.fromEntries(names.map((name) => [name, COMMANDS[name]])),
      );
      for (const name of Object.keys(parsed.env)) expect(SETTINGS).to.have.property(name);
      const {
        processes: [served],
        internal_port: port,
      } = parsed.http_service;
      expect(port).to.equal(
        served === 'api' ? SETTINGS.API_PORT.fallback : SETTINGS.REDIRECT_PORT.fallback,
      );
      if (file === 'fly')
        expect(parsed.deploy!.release_command).to.equal('node dist/programs/migrate.js');
    }
  });
});
