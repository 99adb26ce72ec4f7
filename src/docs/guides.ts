import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { ROOT } from '../infra/root.ts';
import { type Rendered, render, withTargets } from './markdown.ts';

/** Navigation: groups of guides by name. Guides that no group names are added to the second one. */
const GROUPS: readonly { title: string; names: readonly string[] }[] = [
  { title: 'Start', names: ['getting-started', 'concepts', 'help/links', 'glossary'] },
  {
    title: 'Use',
    names: [
      'domains',
      'redirects',
      'destinations',
      'many-links',
      'utm',
      'qr-codes',
      'history',
      'analytics',
      'shared-reports',
      'page-script',
      'payments',
      'event-destinations',
      'migrate',
      'imports',
      'compat',
      'webhooks',
      'notifications',
      'metatags',
      'users',
      'workspaces',
      'api',
      'quickstarts',
      'mcp',
      'skills/shortlinks/SKILL',
    ],
  },
  {
    title: 'Operate',
    names: [
      'containers',
      'kubernetes',
      'platforms',
      'systemd',
      'proxies',
      'configuration',
      'monitoring',
      'abuse',
      'operations',
      'scale',
      'clickhouse',
      'sizes',
      'backups',
      'privacy',
      'performance',
    ],
  },
  { title: 'Inside', names: ['architecture', 'structure', 'qr-decode-matrix'] },
];
const DECISIONS = 'Decisions';
/** Titles in the navigation that differ from the first heading. */
const TITLES: Readonly<Record<string, string>> = { 'getting-started': 'Getting started' };

/** A page of the documentation written in Markdown. */
export interface Guide extends Rendered {
  /** Name in the address: `/docs/<name>`. */
  name: string;
  group: string;
  /** Its source, in which links to guides are addresses of their Markdown, `/docs/<name>.md`. */
  markdown: string;
}

/** The documentation as it is served. */
export interface Guides {
  /** Guides in the order of the navigation. */
  guides: Guide[];
  /** Images, by the paths that guides use. */
  pictures: Map<string, Buffer>;
}

/** Reads and renders all guides: the README and the folder `docs`. */
export async function readGuides(root = ROOT): Promise<Guides> {
  const files = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (file) => `docs/${file.split(path.sep).join('/')}`,
  );
  const sources = new Map([
    ['README.md', 'getting-started'],
    ...files
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file, file.slice('docs/'.length, -'.md'.length)] as const),
  ]);
  const pictures = files.filter((file) => /\.(png|svg)$/.test(file));
  const readDoc = (file: string) => readFileSync(path.join(root, file));
  const guides: Guide[] = [];
  for (const [file, name] of sources) {
    await turn();
    const resolve = (target: string) => addressOf(target, file, sources, pictures);
    const text = readDoc(file).toString();
    const rendered = await render(text, resolve);
    const title = TITLES[name] ?? rendered.title;
    const markdown = withTargets(text, (target) => markdownAddress(resolve(target), sources));
    guides.push({ ...rendered, name, group: groupOf(name), title, markdown });
  }
  return {
    guides: guides.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1)),
    pictures: new Map(pictures.map((file) => [pictureName(file), readDoc(file)])),
  };
}

const pictureName = (file: string): string => file.slice('docs/'.length);

function groupOf(name: string): string {
  if (name.startsWith('decisions/')) return DECISIONS;
  return (GROUPS.find(({ names }) => names.includes(name)) ?? GROUPS[1]!).title;
}

function placeOf({ name, group }: Guide): number {
  const groups = [...GROUPS.map(({ title }) => title), DECISIONS];
  const names = GROUPS.find(({ title }) => title === group)?.names ?? [];
  const place = names.indexOf(name);
  return groups.indexOf(group) * 1_000 + (place === -1 ? 999 : place);
}

/** Resolves a link of a guide: to another guide, an image, the reference or another site. */
function addressOf(
  target: string,
  from: string,
  sources: ReadonlyMap<string, string>,
  pictures: readonly string[],
): string | undefined {
  if (/^(https?:|#)/.test(target)) return target;
  const [file = '', anchor] = target.split('#');
  const named = path.posix.normalize(path.posix.join(path.posix.dirname(from), file));
  if (named === 'docs/openapi.json') return '/docs/api-reference';
  if (pictures.includes(named)) return `/docs/pictures/${pictureName(named)}`;
  const guide = sources.get(named);
  if (guide === undefined) return undefined;
  return `/docs/${guide}${anchor === undefined ? '' : `#${anchor}`}`;
}

const GUIDE_PATH = '/docs/';

/** Returns the address of the Markdown of a guide; other addresses as they are. */
function markdownAddress(
  address: string | undefined,
  sources: ReadonlyMap<string, string>,
): string | undefined {
  if (address === '/docs/api-reference') return '/openapi.json';
  if (address === undefined || !address.startsWith(GUIDE_PATH)) return address;
  const [page = '', ...anchor] = address.split('#');
  const isGuide = [...sources.values()].includes(page.slice(GUIDE_PATH.length));
  return isGuide ? [`${page}.md`, ...anchor].join('#') : address;
}
