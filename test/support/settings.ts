import { reloadConfig } from '../../src/config.ts';

/** Changes settings of this process; those that are not named stay. */
export function setSettings(settings: Readonly<Record<string, string>>): void {
  Object.assign(process.env, settings);
  reloadConfig();
}

/**
 * Remembers the settings of this process, to be called in a hook: when test files are loaded, the service under test has
 * not been set up.
 *
 * @returns puts them back
 */
export function keepSettings(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    reloadConfig();
  };
}
