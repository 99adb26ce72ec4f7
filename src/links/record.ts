import { Joi, nullable, requiredText } from '../http/fields.ts';
import { qrCodeOf, shortLinkOf } from '../lookup/short-link.ts';
import {
  type BulkItem,
  bulkAnswerOf,
  sharedRecordFields,
  toSharedRecord,
} from '../short-links/record.ts';
import type { RecordContext } from '../short-links/record-context.ts';
import {
  destinationCheckRecord,
  type StoredCheck,
  toDestinationCheck,
} from './destination-state.ts';
import type { LinkRow } from './model.ts';

/** Builds the public link record, with its password still sealed. */
export function toSealedLink(
  row: LinkRow & { destination_check?: StoredCheck | null },
  context: RecordContext,
) {
  const shortLink = shortLinkOf(context.domain, row.key);
  const check = row.destination_check ?? null;
  // A spread into a literal with further members takes V8 ten times as long.
  return Object.assign(toSharedRecord(row, context), {
    url: row.url,
    video: row.video,
    clicks: context.counters?.visits ?? 0,
    importedClicks: row.imported_clicks,
    destinationCheck: check === null ? null : toDestinationCheck(check),
    shortLink,
    qrCode: qrCodeOf(shortLink),
  });
}

/** A link record in jobs and their results. */
export type SealedLink = ReturnType<typeof toSealedLink>;

/** One place of a bulk answer: the record, or the error together with the input. */
export type BulkLinkItem = BulkItem<SealedLink>;

/** Schema of the link record, for the reference and for checking answers. */
export const linkRecord = Joi.object({
  ...sharedRecordFields,
  url: requiredText.description('Destination URL.').example('https://example.com/spring'),
  video: nullable
    .description('URL of the video of the link preview.')
    .example('https://example.com/spring.mp4'),
  clicks: Joi.number().required().description('Counted clicks.').example(120),
  importedClicks: Joi.number()
    .required()
    .description(
      'Clicks that another service counted before the link was imported. No other number ' +
        'includes them.',
    )
    .example(0)
    .meta({ extension: true }),
  destinationCheck: destinationCheckRecord,
  shortLink: Joi.string()
    .uri()
    .required()
    .description(
      'URL to share. On the default short domain it has the scheme and port of DEFAULT_SHORT_ORIGIN.',
    )
    .example('https://go.example.com/spring'),
  qrCode: Joi.string()
    .uri()
    .required()
    .description(
      'URL of a QR code image. The code has the short link with `?qr=1`, so visits count as scans.',
    )
    .example('https://api.example.com/qr?url=https%3A%2F%2Fgo.example.com%2Fspring%3Fqr%3D1'),
}).meta({ name: 'Link' });

/** Schema of an array of records and errors, in the order of the request. */
export const bulkAnswer = bulkAnswerOf(linkRecord, 'link');
