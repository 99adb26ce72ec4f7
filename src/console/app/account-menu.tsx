import { useNavigate } from '@tanstack/react-router';
import { CircleUser, Keyboard, LogOut, Monitor, Moon, Server, Sun } from 'lucide-react';
import { people } from '../api/people.ts';
import { Menu } from '../ui/menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { isWindowHeld } from '../ui/unsaved.ts';
import { forgetDrafts } from './draft.tsx';
import { useMe } from './session.ts';
import { THEMES, type Theme, useTheme } from './theme.ts';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };
const THEME_LABELS: Record<Theme, string> = {
  system: 'Theme of the system',
  light: 'Light theme',
  dark: 'Dark theme',
};

/** The person: theme, help, sign out. */
export function AccountMenu({ onHelp }: { onHelp(): void }) {
  const { name, email, isOperator } = useMe();
  const [theme, setTheme] = useTheme();
  const navigate = useNavigate();
  const signOut = async () => {
    if (isWindowHeld() && !confirm('Sign out? Changes that are not saved are lost.')) return;
    try {
      await people.signOut();
    } catch {
      toast('You are still signed in: the service can’t be reached.', 'danger');
      return;
    }
    forgetDrafts();
    await navigate({ to: '/sign-in', search: {}, ignoreBlocker: true });
  };
  return (
    <Menu
      label="Account"
      button={{
        className:
          'flex h-9 items-center gap-2.5 rounded-md px-2 text-left hover:bg-hover max-md:h-11',
        children: (
          <>
            <CircleUser size={16} aria-hidden className="shrink-0 text-muted" />
            <span className="sr-only">Account:</span>
            <span className="truncate">{name === '' ? email : name}</span>
          </>
        ),
      }}
      items={[
        ...THEMES.map((one) => ({
          label: THEME_LABELS[one],
          icon: THEME_ICONS[one],
          isChecked: one === theme,
          onSelect: () => setTheme(one),
        })),
        ...(isOperator
          ? [{ label: 'Operation', icon: Server, onSelect: () => void navigate({ to: '/admin' }) }]
          : []),
        { label: 'Keyboard shortcuts', icon: Keyboard, hotkey: '?', onSelect: onHelp },
        { label: 'Sign out', icon: LogOut, onSelect: () => void signOut() },
      ]}
    />
  );
}
