/*
 * The files of a domain by which phones open its links in apps: apple-app-site-association of Apple
 * and assetlinks.json of Google. A form has the apps of a file if it can write the same file again;
 * all other files are edited as JSON, so that nothing in them is lost.
 */

/** Fields of an app in the form, as typed. */
export type AppFields = Readonly<Record<string, string>>;

/** An app for iOS, which the file names by both together: `ABCDE12345.com.example.app`. */
export interface IosApp extends AppFields {
  teamId: string;
  bundleId: string;
}

/** An app for Android. */
export interface AndroidApp extends AppFields {
  packageName: string;
  /** SHA-256 fingerprints of the certificates that the app is signed with, one on each line. */
  fingerprints: string;
}

/** A file in a form: apps, or JSON that the form cannot show or that a person chose to edit. */
export type FileDraft<App> = { apps: readonly App[] } | { json: string };

/** A kind of file, with the conversion between its JSON and apps. */
export interface FileKind<App extends AppFields> {
  blank: App;
  /** Returns the fields as the file has them, without spaces around them. */
  normalize(app: App): App;
  /** Returns messages for the fields that have no valid value. */
  faultsOf(app: App): Partial<Record<keyof App, string>>;
  /** Returns the file of normalized apps. */
  write(apps: readonly App[]): object;
  /** Reads the apps of a file. A file of another structure has none, or other ones. */
  read(file: unknown): App[];
}

const ALL_LINKS = [{ '/': '/*' }];

/** The file of Apple. */
export const IOS: FileKind<IosApp> = {
  blank: { teamId: '', bundleId: '' },
  normalize: ({ teamId, bundleId }) => ({
    teamId: teamId.trim().toUpperCase(),
    bundleId: bundleId.trim(),
  }),
  faultsOf: ({ teamId, bundleId }) => ({
    ...(!/^[A-Z\d]{10}$/.test(teamId) && {
      teamId: 'Enter 10 letters and digits, such as ABCDE12345.',
    }),
    ...(!/^[\w.-]+$/.test(bundleId) && {
      bundleId: 'Enter a bundle ID, such as com.example.app.',
    }),
  }),
  write: (apps) => ({
    applinks: {
      details: [
        {
          appIDs: apps.map(({ teamId, bundleId }) => `${teamId}.${bundleId}`),
          components: ALL_LINKS,
        },
      ],
    },
  }),
  read(file) {
    const { applinks } = (file ?? {}) as { applinks?: { details?: { appIDs?: unknown }[] } };
    return listOf(applinks?.details?.[0]?.appIDs).map((id) => {
      const [teamId = '', ...rest] = String(id).split('.');
      return { teamId, bundleId: rest.join('.') };
    });
  },
};

const RELATION = 'delegate_permission/common.handle_all_urls';

/** The file of Google. */
export const ANDROID: FileKind<AndroidApp> = {
  blank: { packageName: '', fingerprints: '' },
  normalize: ({ packageName, fingerprints }) => ({
    packageName: packageName.trim(),
    fingerprints: fingerprintsIn(fingerprints).join('\n'),
  }),
  faultsOf({ packageName, fingerprints }) {
    const fault = faultOfFingerprints(fingerprintsIn(fingerprints));
    return {
      ...(!/^[a-z]\w*(?:\.[a-z]\w*)+$/i.test(packageName) && {
        packageName: 'Enter a package name, such as com.example.app.',
      }),
      ...(fault !== undefined && { fingerprints: fault }),
    };
  },
  write: (apps) =>
    apps.map(({ packageName, fingerprints }) => ({
      relation: [RELATION],
      target: {
        namespace: 'android_app',
        package_name: packageName,
        sha256_cert_fingerprints: fingerprintsIn(fingerprints),
      },
    })),
  read: (file) =>
    listOf(file).map((statement) => {
      const { target } = (statement ?? {}) as {
        target?: { package_name?: unknown; sha256_cert_fingerprints?: unknown };
      };
      return {
        packageName: String(target?.package_name),
        fingerprints: listOf(target?.sha256_cert_fingerprints).join('\n'),
      };
    }),
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const SHA_256 = /^(?:[\dA-F]{2}:){31}[\dA-F]{2}$/;

function faultOfFingerprints(fingerprints: readonly string[]): string | undefined {
  if (fingerprints.length === 0) return 'Enter a fingerprint.';
  const wrong = fingerprints.find((one) => !SHA_256.test(one));
  if (wrong === undefined) return undefined;
  if (/^[\dA-F]{40}$/i.test(wrong.replaceAll(':', ''))) {
    return 'This is a SHA-1 fingerprint. Enter the SHA-256 one.';
  }
  return 'Enter 32 pairs of the digits 0–9 and A–F on each line.';
}

/** Splits a text into fingerprints, each in upper case and with colons if it is complete. */
const fingerprintsIn = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => {
      const digits = line.replace(/^\s*SHA-?256:/i, '').replace(/[:\s]/g, '');
      if (!/^[\dA-F]{64}$/i.test(digits)) return line.trim();
      return (digits.toUpperCase().match(/../g) ?? []).join(':');
    })
    .filter((line) => line !== '');

/** Splits a pasted app ID of Apple, such as `ABCDE12345.com.example.app`. */
export function appIdIn(text: string): IosApp | undefined {
  const [, teamId, bundleId] = /^([A-Z\d]{10})\.(\S+)$/.exec(text.trim()) ?? [];
  return teamId === undefined || bundleId === undefined ? undefined : { teamId, bundleId };
}

/** Returns true for an app that was added, but has no text yet. */
export const isBlank = (app: AppFields): boolean =>
  Object.values(app).every((text) => text.trim() === '');

/** Returns the draft of a file; `null` for a domain without the file. */
export function draftOf<App extends AppFields>(kind: FileKind<App>, file: unknown): FileDraft<App> {
  if (file === null || file === undefined) return { apps: [] };
  const apps = kind.read(file);
  const isWhole = apps.length > 0 && canonical(fileOf(kind, apps)) === canonical(file);
  return isWhole ? { apps } : { json: JSON.stringify(file, null, 2) };
}

/** Returns the file of apps; `null` without apps. Blank apps are left out. */
export function fileOf<App extends AppFields>(
  kind: FileKind<App>,
  apps: readonly App[],
): object | null {
  const filled = apps.filter((app) => !isBlank(app)).map((app) => kind.normalize(app));
  return filled.length === 0 ? null : kind.write(filled);
}

/** A text that is not JSON, as opposed to each value that JSON can have. */
export const NO_JSON = Symbol('a text that is not JSON');

/** Parses JSON; `null` for an empty text. */
export function parsed(json: string): unknown {
  if (json.trim() === '') return null;
  try {
    return JSON.parse(json);
  } catch {
    return NO_JSON;
  }
}

/** Returns the file of a draft that is valid; `null` without the file. */
export const fileIn = <App extends AppFields>(kind: FileKind<App>, draft: FileDraft<App>) =>
  'json' in draft ? parsed(draft.json) : fileOf(kind, draft.apps);

/** Returns true for a draft that can be saved. */
export const isValid = <App extends AppFields>(
  kind: FileKind<App>,
  draft: FileDraft<App>,
): boolean =>
  'json' in draft
    ? parsed(draft.json) !== NO_JSON
    : draft.apps.every(
        (app) => isBlank(app) || Object.keys(kind.faultsOf(kind.normalize(app))).length === 0,
      );

/** Returns the JSON of a value with the members of each object in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
