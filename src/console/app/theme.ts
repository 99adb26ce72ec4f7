import { useSyncExternalStore } from 'react';

/**
 * Available themes; `system` follows the operating system. `public/first-paint.js` applies the
 * choice, even before the first paint.
 */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'System theme',
  light: 'Light theme',
  dark: 'Dark theme',
};

/** Returns the chosen theme and a setter. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, chosenTheme), chooseTheme];
}

const chosenTheme = (): Theme =>
  THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'system';

function chooseTheme(theme: Theme): void {
  localStorage.setItem('theme', theme);
  // Browsers send the storage event only to other windows.
  dispatchEvent(new Event('storage'));
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
