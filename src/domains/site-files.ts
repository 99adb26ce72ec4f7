import { Joi, requiredText } from '../http/fields.ts';

/** Apple reads no larger file. */
const MAX_BYTES = 128 * 1024;
/** Apple services that the file can configure. */
const SERVICES = {
  applinks: 'Links that open in apps (universal links).',
  webcredentials: 'Apps that share passwords with the domain.',
  appclips: 'App Clips of the domain.',
  activitycontinuation: 'Apps that take over activities (Handoff).',
};
const NAMES = Object.keys(SERVICES);

/** Content of `/.well-known/apple-app-site-association`. */
export type AppleAppSiteAssociation = Record<string, unknown>;

/** A statement of `/.well-known/assetlinks.json`. */
export interface AssetLink {
  relation: string[];
  target: { namespace: string };
}

function smallEnough<Value>(value: Value): Value | string {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes <= MAX_BYTES ? value : `must not be larger than ${MAX_BYTES} bytes as JSON`;
}

/** Schema of Apple's file: an object with at least one of the services. */
export const appleField = () =>
  Joi.object<AppleAppSiteAssociation>(
    Object.fromEntries(
      Object.entries(SERVICES).map(([name, help]) => [
        name,
        Joi.object().unknown().description(help),
      ]),
    ),
  )
    .unknown()
    .or(...NAMES)
    .messages({ 'object.missing': `{{#label}} must have one of ${NAMES.join(', ')}` })
    .custom((value: AppleAppSiteAssociation, { error }) => {
      const checked = smallEnough(value);
      return typeof checked === 'string' ? error('rule', { rule: checked }) : value;
    })
    .allow(null)
    .description(
      'The file `/.well-known/apple-app-site-association` of the domain, which lets iOS open its ' +
        'links in an app: an object with `applinks`, `webcredentials`, `appclips` or ' +
        '`activitycontinuation`, up to 128 KiB. Null: there is none.',
    )
    .example({
      applinks: {
        details: [{ appIDs: ['ABCDE12345.com.example.app'], components: [{ '/': '/*' }] }],
      },
    })
    .meta({ extension: true });

/** Schema of Android's file: an array of statements. */
export const assetLinksField = () =>
  Joi.array<AssetLink[]>()
    .items(
      Joi.object<AssetLink>({
        relation: Joi.array()
          .items(Joi.string())
          .min(1)
          .required()
          .description('Permissions of the target.'),
        target: Joi.object({
          namespace: requiredText.description('`android_app` or `web`.'),
        })
          .unknown()
          .required()
          .description('The app, or the site.'),
      })
        .unknown()
        .meta({ name: 'AssetLink' }),
    )
    .custom((value: AssetLink[], { error }) => {
      const checked = smallEnough(value);
      return typeof checked === 'string' ? error('rule', { rule: checked }) : value;
    })
    .allow(null)
    .description(
      'The file `/.well-known/assetlinks.json` of the domain, which lets Android open its links ' +
        'in an app: an array of statements, up to 128 KiB. Null: there is none.',
    )
    .example([
      {
        relation: ['delegate_permission/common.handle_all_urls'],
        target: {
          namespace: 'android_app',
          package_name: 'com.example.app',
          sha256_cert_fingerprints: [
            '14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5',
          ],
        },
      },
    ])
    .meta({ extension: true });
