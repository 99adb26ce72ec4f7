import { useSyncExternalStore } from 'react';

/** Dark, light, or what the system says. `public/first-paint.js` shows the choice, before the first paint too. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'System theme',
  light: 'Light theme',
  dark: 'Dark theme',
};

/** The chosen theme, and a function that chooses. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, chosenTheme), chooseTheme];
}

const chosenTheme = (): Theme =>
  THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'system';

function chooseTheme(theme: Theme): void {
  localStorage.setItem('theme', theme);
  // The browser tells other windows only.
  dispatchEvent(new Event('storage'));
}

function subscribe(listener: () => void): () => void {
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
