import { expect } from 'chai';
import fc from 'fast-check';
import {
  ANDROID,
  type AndroidApp,
  appIdIn,
  draftOf,
  type FileKind,
  fileIn,
  IOS,
  type IosApp,
  isValid,
} from '../../src/console/domains/app-files.ts';

const FINGERPRINT =
  '14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5';
const APPLE = {
  applinks: {
    details: [
      {
        appIDs: ['ABCDE12345.com.example.app', 'ABCDE12345.com.example.lite'],
        components: [{ '/': '/*' }],
      },
    ],
  },
};
const statement = (packageName: string) => ({
  relation: ['delegate_permission/common.handle_all_urls'],
  target: {
    namespace: 'android_app',
    package_name: packageName,
    sha256_cert_fingerprints: [FINGERPRINT],
  },
});
const IOS_APPS: IosApp[] = [
  { teamId: 'ABCDE12345', bundleId: 'com.example.app' },
  { teamId: 'ABCDE12345', bundleId: 'com.example.lite' },
];

const segment = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const name = fc.array(segment, { minLength: 2, maxLength: 4 }).map((parts) => parts.join('.'));
const fingerprint = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => [...bytes]);
const hex = (bytes: readonly number[], separator: string) =>
  bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(separator);

describe('the files of a domain for apps', () => {
  it('are written of the apps in a form', () => {
    expect(fileIn(IOS, { apps: IOS_APPS })).to.deep.equal(APPLE);
    const apps = ['com.example.app', 'com.example.lite'].map((packageName) => ({
      packageName,
      fingerprints: FINGERPRINT,
    }));
    expect(fileIn(ANDROID, { apps })).to.deep.equal(apps.map((app) => statement(app.packageName)));
    expect(fileIn(IOS, { apps: [] })).to.equal(null);
    expect(fileIn(ANDROID, { apps: [ANDROID.blank] })).to.equal(null);
  });

  it('are the same after a way through the form', () => {
    const bundleId = fc.stringMatching(/^[A-Za-z0-9-]{1,8}(\.[A-Za-z0-9-]{1,8}){0,3}$/);
    const iosApp = fc.record({ teamId: fc.stringMatching(/^[A-Z0-9]{10}$/), bundleId });
    const androidApp = fc.record({
      packageName: name,
      fingerprints: fc
        .array(fingerprint, { minLength: 1, maxLength: 3 })
        .map((all) => all.map((bytes) => hex(bytes, ':').toUpperCase()).join('\n')),
    });
    const expectSame = <App extends IosApp | AndroidApp>(kind: FileKind<App>, apps: App[]) => {
      expect(isValid(kind, { apps })).to.equal(true);
      const file: unknown = JSON.parse(JSON.stringify(fileIn(kind, { apps })));
      expect(draftOf(kind, file)).to.deep.equal({ apps });
    };
    const list = { minLength: 1, maxLength: 5 };
    fc.assert(fc.property(fc.array(iosApp, list), (apps) => expectSame(IOS, apps)));
    fc.assert(fc.property(fc.array(androidApp, list), (apps) => expectSame(ANDROID, apps)));
  });

  it('lose nothing that the form cannot show', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const kind of [IOS, ANDROID] as FileKind<IosApp | AndroidApp>[]) {
          const draft = draftOf(kind, value);
          // As text: JSON has no -0, and a member may have the name __proto__.
          if (value !== null) {
            expect(JSON.stringify(fileIn(kind, draft))).to.equal(JSON.stringify(value));
          }
        }
      }),
    );
    const detail = APPLE.applinks.details[0]!;
    const others: unknown[] = [
      { ...APPLE, webcredentials: { apps: ['ABCDE12345.com.example.app'] } },
      { applinks: { ...APPLE.applinks, apps: [] } },
      { applinks: { details: [detail, detail] } },
      { applinks: { details: [{ ...detail, components: [{ '/': '/shop/*' }] }] } },
      { applinks: { details: [{ appID: detail.appIDs[0], paths: ['*'] }] } },
      { applinks: { details: [{ ...detail, appIDs: ['ABCDE12345'] }] } },
      { applinks: { details: [] } },
    ];
    for (const file of others) {
      expect(draftOf(IOS, file), JSON.stringify(file)).to.have.property('json');
      expect(fileIn(IOS, draftOf(IOS, file))).to.deep.equal(file);
    }
    const { target, relation } = statement('com.example.app');
    const statements: unknown[] = [
      { relation: [...relation, 'delegate_permission/common.get_login_creds'], target },
      { relation, target: { namespace: 'web', site: 'https://example.com' } },
      { relation, target: { ...target, extra: 1 } },
      { relation, target, insecure: true },
    ];
    for (const one of statements) {
      expect(draftOf(ANDROID, [one]), JSON.stringify(one)).to.have.property('json');
      expect(fileIn(ANDROID, draftOf(ANDROID, [one]))).to.deep.equal([one]);
    }
    // The order of the members of an object has no meaning.
    const reordered = [{ target, relation }];
    expect(draftOf(ANDROID, reordered)).to.have.property('apps');
  });

  it('have fingerprints with and without colons, in lines and lists', () => {
    fc.assert(
      fc.property(fingerprint, fc.constantFrom(':', '', ' '), (bytes, separator) => {
        const fingerprints = `SHA256: ${hex(bytes, separator)}\n\n ${hex(bytes, ':')}, `;
        const app = ANDROID.normalize({ packageName: ' com.example.app ', fingerprints });
        const normal = hex(bytes, ':').toUpperCase();
        const expected = { packageName: 'com.example.app', fingerprints: `${normal}\n${normal}` };
        expect(app).to.deep.equal(expected);
        expect(ANDROID.faultsOf(app)).to.deep.equal({});
      }),
    );
  });

  it('are refused with wrong values, each with a message at its field', () => {
    const ios = (teamId: string, bundleId: string) =>
      Object.keys(IOS.faultsOf(IOS.normalize({ teamId, bundleId })));
    expect(ios(' abcde12345 ', 'com.example.app')).to.deep.equal([]);
    expect(ios('ABCDE1234', 'com.example.app')).to.deep.equal(['teamId']);
    expect(ios('ABCDE-2345', 'com/example')).to.deep.equal(['teamId', 'bundleId']);
    expect(ios('', 'com.example.app')).to.deep.equal(['teamId']);
    const android = (packageName: string, fingerprints: string) =>
      ANDROID.faultsOf({ packageName, fingerprints });
    expect(android('app', FINGERPRINT)).to.have.keys(['packageName']);
    expect(android('com.example.1app', FINGERPRINT)).to.have.keys(['packageName']);
    expect(android('com.example.app', '')).to.have.keys(['fingerprints']);
    expect(android('com.example.app', `${FINGERPRINT}\nno`)).to.have.keys(['fingerprints']);
    expect(android('com.example.app', FINGERPRINT.slice(0, 59)).fingerprints).to.contain('SHA-1');
    expect(isValid(IOS, { apps: [IOS.blank] })).to.equal(true);
    expect(isValid(IOS, { apps: [{ teamId: '', bundleId: 'com.example.app' }] })).to.equal(false);
    expect(isValid(IOS, { json: '{' })).to.equal(false);
    expect(isValid(IOS, { json: ' ' })).to.equal(true);
  });

  it('take a pasted app ID apart', () => {
    expect(appIdIn(' ABCDE12345.com.example.app\n')).to.deep.equal(IOS_APPS[0]);
    for (const text of ['com.example.app', 'ABCDE12345', 'ABCDE12345.', 'ABCDE12345.a b']) {
      expect(appIdIn(text), text).to.equal(undefined);
    }
  });
});
