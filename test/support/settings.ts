import { reloadConfig } from '../../src/config.ts';

/** Changes settings of this process; others stay. */
export function setSettings(settings: Readonly<Record<string, string>>): void {
  Object.assign(process.env, settings);
  reloadConfig();
}

/**
 * Saves the settings of this process. Called in a hook, since the service under test is not set up
 * while test files are loaded.
 *
 * @returns restores them
 */
export function keepSettings(): () => void {
  const before = { ...process.env };
  return () => {
    for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
    Object.assign(process.env, before);
    reloadConfig();
  };
}
