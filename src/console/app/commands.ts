import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  Building2,
  ChartNoAxesColumn,
  Copy,
  ExternalLink,
  Folder,
  Link2,
  type LucideIcon,
  Palette,
  Pencil,
  Plus,
  QrCode,
  Settings,
  Tag,
  User,
} from 'lucide-react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { customerName } from '../customers/customer-name.ts';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { analyticsOf } from '../short-links/listing.ts';
import { searchQuery } from '../short-links/search-query.ts';
import { copy } from '../ui/button.tsx';
import { toast } from '../ui/toasts.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useMe } from './session.ts';
import { THEME_LABELS, THEMES, useTheme } from './theme.ts';
import { DESTINATIONS, SETTINGS } from './views.ts';
import { useWorkspace } from './workspace.tsx';

/** An entry of the command palette. */
export interface Command {
  id: string;
  label: string;
  hint?: string | undefined;
  /** Additional search words. */
  words?: string;
  icon: LucideIcon;
  /** True for an entry that comes after all other results. */
  isFallback?: boolean;
  run(): void;
  /** Further actions on the record. */
  actions?: readonly Command[];
}

/** Records shown per kind. */
const RECORDS_SHOWN = 6;
/** Delay after typing before records are searched, in ms. */
const PAUSE_MS = 120;

/** Returns the matching commands, best first; `isBusy` is true while a search runs. */
export function useCommands(text: string): { commands: Command[]; isBusy: boolean } {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fixed = useFixedCommands();
  const { exact, others, isBusy } = useRecordCommands(text.trim());
  // Without a search text, only the usual commands are listed, because the full list is long.
  const shown = fixed.filter((command) =>
    words.length === 0 ? command.isUsual === true : matches(command, words),
  );
  const inDocs: Command = {
    id: 'docs',
    label: `Search the docs for “${text.trim()}”`,
    icon: BookOpen,
    isFallback: true,
    run: () => openDocs(`/docs/search?${new URLSearchParams({ q: text.trim() })}`),
  };
  const commands = [...exact, ...shown, ...others, ...(words.length === 0 ? [] : [inDocs])];
  return { commands, isBusy };
}

/** True when each search word is a prefix of a word of the command. */
const matches = ({ label, hint = '', words = '' }: Command, wanted: readonly string[]): boolean => {
  const all = `${label} ${hint} ${words}`.toLowerCase().split(/[\s-]+/);
  return wanted.every((word) => all.some((one) => one.startsWith(word)));
};

/** Commands that every workspace has: views, actions and choices. */
function useFixedCommands(): (Command & { isUsual?: boolean })[] {
  const { slug, may, opens } = useWorkspace();
  const { workspaces } = useMe();
  const navigate = useNavigate();
  const [, setTheme] = useTheme();
  const params = { workspace: slug };
  const creations = [
    {
      id: 'create-link',
      label: 'Create link',
      scope: 'links.write' as const,
      run: () => void navigate({ to: '/$workspace/links', params, search: { new: 'link' } }),
    },
    {
      id: 'create-links',
      label: 'Create many links',
      scope: 'imports.write' as const,
      run: () => void navigate({ to: '/$workspace/links/batch', params }),
    },
    {
      id: 'create-qrcode',
      label: 'Create QR code',
      scope: 'qrcodes.write' as const,
      run: () => void navigate({ to: '/$workspace/qrcodes/new', params }),
    },
  ];
  const docs = [
    { label: 'Documentation', path: '/docs', words: 'help guides' },
    { label: 'API reference', path: '/docs/api-reference', words: 'developer endpoints openapi' },
  ];
  return [
    ...creations
      .filter(({ scope }) => may(scope))
      .map((one) => ({ ...one, icon: Plus, words: 'new add', isUsual: true })),
    ...DESTINATIONS.filter(({ scope }) => may(scope)).map(({ to, label, icon, words = '' }) => ({
      id: to,
      label,
      icon,
      words,
      isUsual: true,
      run: () => void navigate({ to, params }),
    })),
    ...workspaces
      .filter((other) => other.slug !== slug)
      .map((other) => ({
        id: `workspace-${other.slug}`,
        label: other.name,
        hint: 'Switch workspace',
        icon: Building2,
        isUsual: true,
        run: () => void navigate({ to: '/$workspace/links', params: { workspace: other.slug } }),
      })),
    ...SETTINGS.filter(opens).map(({ to, label, words = '' }) => ({
      id: to,
      label,
      hint: 'Settings',
      words,
      icon: Settings,
      run: () => void navigate({ to, params }),
    })),
    ...THEMES.map((theme) => ({
      id: `theme-${theme}`,
      label: THEME_LABELS[theme],
      words: 'mode appearance color',
      icon: Palette,
      run: () => setTheme(theme),
    })),
    ...docs.map(({ label, path, words }) => ({
      id: path,
      label,
      words,
      icon: BookOpen,
      run: () => openDocs(path),
    })),
  ];
}

const openDocs = (path: string) => void window.open(path, '_blank', 'noopener');

/** Finds records in the API and in cached lists; exact matches come first. */
function useRecordCommands(text: string): {
  exact: Command[];
  others: Command[];
  isBusy: boolean;
} {
  const { slug, may, api, plan } = useWorkspace();
  const navigate = useNavigate();
  const params = { workspace: slug };
  const search = useDebounced(text, PAUSE_MS);
  const isSearched = text !== '' && search !== '';
  const query = { query: searchQuery(search), pageSize: RECORDS_SHOWN };
  const shared = { placeholderData: <T>(before: T) => before };
  const links = useQuery({
    ...shared,
    queryKey: keys.links.search(search),
    queryFn: ({ signal }) => answer(api.GET('/links', { params: { query }, signal })),
    enabled: isSearched && may('links.read'),
  });
  const codes = useQuery({
    ...shared,
    queryKey: keys.qrcodes.search(search),
    queryFn: ({ signal }) => answer(api.GET('/qrcodes', { params: { query }, signal })),
    enabled: isSearched && may('qrcodes.read'),
  });
  const hasCustomers = plan === 'business' || plan === 'enterprise';
  const customers = useQuery({
    ...shared,
    queryKey: keys.customers.search(search),
    queryFn: ({ signal }) => {
      const query = { search, pageSize: RECORDS_SHOWN };
      return answer(api.GET('/customers', { params: { query }, signal }));
    },
    enabled: isSearched && hasCustomers && may('customers.read'),
  });
  const tags = useQuery({ ...tagsQuery(api), enabled: isSearched && may('tags.read') });
  const folders = useQuery({ ...foldersQuery(api), enabled: isSearched && may('folders.read') });
  if (!isSearched) return { exact: [], others: [], isBusy: text !== '' };

  const isNamed = ({ name }: { name: string }) => name.toLowerCase().includes(text.toLowerCase());
  const recordCommand = (
    list: 'links' | 'qrcodes',
    record: Schemas['Link'] | Schemas['QrCode'],
    { hint, icon, run, more = [] }: Pick<Command, 'hint' | 'icon' | 'run'> & { more?: Command[] },
  ): Command => {
    const { id, title, domain, key, shortLink } = record;
    const name = `${domain}/${key}`;
    const command = { id, label: title ?? name, hint, icon, run };
    if ('static' in record && record.static) return command;
    const actions = [
      { id: 'edit', label: may(`${list}.write`) ? 'Edit' : 'Details', icon: Pencil, run },
      {
        id: 'copy',
        label: 'Copy short link',
        icon: Copy,
        run: () => void copy(shortLink ?? `https://${name}`).then(() => toast(`${name} copied`)),
      },
    ];
    if (may('analytics.read')) {
      actions.push({
        id: 'analytics',
        label: 'Analytics',
        icon: ChartNoAxesColumn,
        run: () =>
          void navigate({ to: '/$workspace/analytics', params, search: analyticsOf(list, id) }),
      });
    }
    return { ...command, actions: [...actions, ...more] };
  };
  const linkCommand = (link: Schemas['Link']): Command => {
    const { id, title, domain, key, url } = link;
    const destination = {
      id: 'destination',
      label: 'Open destination',
      hint: url,
      icon: ExternalLink,
      run: () => void window.open(url, '_blank', 'noopener,noreferrer'),
    };
    return recordCommand('links', link, {
      hint: title === null ? url : `${domain}/${key}`,
      icon: Link2,
      run: () => void navigate({ to: '/$workspace/links/$link', params: { ...params, link: id } }),
      more: /^https?:/i.test(url) ? [destination] : [],
    });
  };
  const codeCommand = (code: Schemas['QrCode']): Command =>
    recordCommand('qrcodes', code, {
      hint: code.url ?? 'QR code',
      icon: QrCode,
      run: () =>
        void navigate({
          to: '/$workspace/qrcodes/$qrcode',
          params: { ...params, qrcode: code.id },
        }),
    });
  const labels = [
    { records: tags.data, hint: 'Links with this tag', icon: Tag, filter: 'tagIds' },
    { records: folders.data, hint: 'Links in this folder', icon: Folder, filter: 'folderId' },
  ];
  const wanted = withoutScheme(text);
  const isExact = ({ domain, key }: { domain: string; key: string }) =>
    wanted === `${domain}/${key}`.toLowerCase() || wanted === key.toLowerCase();
  const foundLinks = links.data ?? [];
  return {
    exact: foundLinks.filter(isExact).map(linkCommand),
    others: [
      ...foundLinks.filter((link) => !isExact(link)).map(linkCommand),
      ...(codes.data ?? []).map(codeCommand),
      ...labels.flatMap(({ records = [], hint, icon, filter }) =>
        records.filter(isNamed).map(({ id, name }) => ({
          id,
          label: name,
          hint,
          icon,
          run: () => void navigate({ to: '/$workspace/links', params, search: { [filter]: id } }),
        })),
      ),
      ...(customers.data ?? []).map(({ id, name, email, externalId }) => ({
        id,
        label: customerName({ name, email, externalId }),
        hint: name === null ? 'Customer' : (email ?? 'Customer'),
        icon: User,
        run: () =>
          void navigate({
            to: '/$workspace/customers/$customerId',
            params: { workspace: slug, customerId: id },
          }),
      })),
    ],
    isBusy: search !== text || links.isFetching || codes.isFetching || customers.isFetching,
  };
}

/**
 * Reduces a pasted short link to host and path: `https://go.example/a?x=1` becomes `go.example/a`.
 */
const withoutScheme = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[?#].*/s, '')
    .replace(/\/$/, '');
