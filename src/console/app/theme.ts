import { useState } from 'react';

/** Dark, light, or what the system says. `public/first-paint.js` shows the choice, before the first paint too. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The chosen theme, and a function that chooses. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(
    () => THEMES.find((one) => one === localStorage.getItem('theme')) ?? 'system',
  );
  return [
    theme,
    (chosen) => {
      localStorage.setItem('theme', chosen);
      // The browser tells other windows only.
      dispatchEvent(new Event('storage'));
      setTheme(chosen);
    },
  ];
}
