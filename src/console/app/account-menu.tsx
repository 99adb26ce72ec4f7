import { useNavigate } from '@tanstack/react-router';
import {
  BookOpen,
  CircleUser,
  Keyboard,
  Languages,
  LogOut,
  Monitor,
  Moon,
  Server,
  Sun,
  UserRoundCog,
} from 'lucide-react';
import { useState } from 'react';
import { people } from '../api/people.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Menu } from '../ui/menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { isWindowHeld } from '../ui/unsaved.ts';
import { forgetDrafts } from './draft.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { useLacksPassword, useMe } from './session.ts';
import { THEME_LABELS, THEMES, useTheme } from './theme.ts';
import { useWorkspace } from './workspace.tsx';

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };

interface AccountMenuProps {
  onHelp(): void;
  /** Called when the menu opens another view. */
  onLeave(): void;
}

/** The account menu: profile, theme, help and sign-out. */
export function AccountMenu({ onHelp, onLeave }: AccountMenuProps) {
  const { name, email, isOperator } = useMe();
  const { slug } = useWorkspace();
  const [theme, setTheme] = useTheme();
  const [isAsked, ask] = useState(false);
  const [isChoosing, chooseLanguage] = useState(false);
  const lacksPassword = useLacksPassword();
  const navigate = useNavigate();
  const signOut = async () => {
    if (isWindowHeld() && !confirm('Sign out? Unsaved changes will be lost.')) return;
    try {
      await people.signOut();
    } catch {
      toast('Couldn’t sign you out. Check your connection and try again.', 'danger');
      return;
    }
    forgetDrafts();
    await navigate({ to: '/sign-in', search: {}, ignoreBlocker: true });
  };
  return (
    <>
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
          {
            label: 'My profile',
            icon: UserRoundCog,
            onSelect() {
              onLeave();
              void navigate({ to: '/$workspace/settings/profile', params: { workspace: slug } });
            },
          },
          ...THEMES.map((one) => ({
            label: THEME_LABELS[one],
            icon: THEME_ICONS[one],
            isChecked: one === theme,
            onSelect: () => setTheme(one),
          })),
          { label: 'Language', icon: Languages, onSelect: () => chooseLanguage(true) },
          isOperator && {
            label: 'Admin',
            icon: Server,
            onSelect: () => void navigate({ to: '/admin' }),
          },
          {
            label: 'Help and docs',
            icon: BookOpen,
            onSelect: () => void open('/docs', '_blank', 'noreferrer'),
          },
          { label: 'Keyboard shortcuts', icon: Keyboard, hotkey: '?', onSelect: onHelp },
          {
            label: 'Sign out',
            icon: LogOut,
            onSelect: () => (lacksPassword ? ask(true) : void signOut()),
          },
        ]}
      />
      {isChoosing && (
        <Dialog title="Language" size="small" onClose={() => chooseLanguage(false)}>
          <LanguageChoice />
        </Dialog>
      )}
      {isAsked && (
        <FormDialog
          title="Sign out without a password?"
          action="Sign out"
          isDanger
          onSubmit={() => void signOut()}
          onClose={() => ask(false)}
        >
          <p>
            You have no password, and your sign-in link can’t be used again. After signing out you
            can’t get back in until your administrator gives you another link. Choose a password
            first under “My profile”.
          </p>
        </FormDialog>
      )}
    </>
  );
}
