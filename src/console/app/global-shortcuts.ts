import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import { useShortcuts } from './shortcuts.ts';
import { DESTINATIONS } from './views.ts';
import { useWorkspace } from './workspace.tsx';

/**
 * Registers the shortcuts of every view: palette, help, and `g` followed by a destination's key.
 */
export function useGlobalShortcuts({
  openPalette,
  openHelp,
}: {
  openPalette(): void;
  openHelp(): void;
}): void {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  useShortcuts({
    '?': openHelp,
    ...Object.fromEntries(
      DESTINATIONS.map(({ key, to }) => [
        `g ${key}`,
        () => void navigate({ to, params: { workspace: slug } }),
      ]),
    ),
  });
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    openPalette();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
