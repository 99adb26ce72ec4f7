import { Refusal } from '../errors.ts';
import { canonicalJson } from '../infra/canonical.ts';
import { urlsIn } from '../infra/url.ts';
import { applySharedChanges } from '../short-links/apply-changes.ts';
import { leadsTo, readUtm, refuseLoops } from '../short-links/destination.ts';
import type { Field } from '../short-links/field.ts';
import { fields } from '../short-links/fields.ts';
import { isWildcard } from '../short-links/key.ts';
import { chosenUrl } from '../short-links/test-variants.ts';
import type { AppLinks } from './content/app.ts';
import type { Contact } from './content/contact.ts';
import type { ContentType } from './content/content-type.ts';
import type { Gs1Content } from './content/gs1.ts';
import { CONTENT_TYPES } from './content/index.ts';
import { contentOf, payloadOf, shortTextOf, staticContent } from './content-of.ts';
import type { QrCodeRow } from './model.ts';
import type { Level } from './render/levels.ts';
import { refuseUnscannable } from './render/scannability.ts';
import { resolveDesign } from './render/stored-design.ts';
import type { QrCodeChanges } from './schema.ts';

/**
 * Computes the position of the image in the middle, which depends on the text of the code.
 *
 * @param domain name of its domain
 * @param before the stored row; absent for a new one
 * @throws Refusal `unprocessable_entity` if it leads to itself, or cannot be scanned
 */
export function withMiddle(row: QrCodeRow, domain: string, before?: QrCodeRow): QrCodeRow {
  refuseStatic(row);
  refuseLoops(row, domain);
  if (row.type === 'app') refuseLoops({ ...row, ...(row.content['app'] as AppLinks) }, domain);
  if (row.type === 'gs1' && !row.static) refuseGs1(row, domain);
  if (isWildcard(row.key)) {
    throw new Refusal(
      'unprocessable_entity',
      'key must not end in /*: a QR code has exactly one short link',
    );
  }
  const level = requiredLevel(row);
  const leveled = level === undefined ? row : { ...row, design: { ...row.design, level } };
  const { payload, design } = changedDrawing(leveled, domain, before);
  refuseUnscannable(payload, design, before && drawingOf(before, domain));
  return { ...leveled, design: { ...leveled.design, middle: design.middle } };
}

/** @throws Refusal `unprocessable_entity` for a static code of a type that is dynamic only */
function refuseStatic(row: QrCodeRow): void {
  if (row.static && (row.content['vcard'] as Contact | undefined)?.photo !== undefined) {
    throw new Refusal(
      'unprocessable_entity',
      'vcard.photo must not be set where static is true: the photo is shown on a page',
    );
  }
  const { name, whyDynamic } = contentOf(row).type;
  if (!row.static || whyDynamic === undefined) return;
  throw new Refusal(
    'unprocessable_entity',
    `static must be false where the type is ${name}: ${whyDynamic}`,
  );
}

/**
 * @throws Refusal `unprocessable_entity` for a GS1 Digital Link without a default link, with one that
 * leads to itself, or at another path than its own
 */
function refuseGs1(row: QrCodeRow, domain: string): void {
  const { url } = row.content['gs1'] as Gs1Content;
  if (url === undefined) {
    throw new Refusal('unprocessable_entity', 'gs1.url must be set where static is false');
  }
  const key = ownKeyOf({ type: row.type, value: row.content['gs1'] })!;
  if (row.key !== key) {
    throw new Refusal('unprocessable_entity', `key must be absent or ${key}, the path of gs1.data`);
  }
  const loops = urlsIn(row.content)
    .filter(([, to]) => leadsTo(to, { domain, key, flexible: false }))
    .map(([field]) => `${field} must not be the short link itself`);
  if (loops.length > 0) throw new Refusal('unprocessable_entity', loops.join('; '));
}

/** The key that the standard of a content gives its dynamic code; `undefined` for most types. */
export function ownKeyOf({ type, value }: NonNullable<QrCodeChanges['content']>) {
  const { shortPath } = CONTENT_TYPES[type] as ContentType;
  return shortPath?.(value as never).key;
}

/**
 * The level that the standard of a static code's content requires. @throws Refusal
 * `unprocessable_entity` if the design has another one
 */
function requiredLevel(row: QrCodeRow): Level | undefined {
  const { level, name } = contentOf(row).type;
  if (!row.static || level === undefined) return undefined;
  const { level: chosen = level } = row.design;
  if (chosen !== null && chosen !== level) {
    throw new Refusal(
      'unprocessable_entity',
      `level must be ${level}, which the standard of ${name} codes requires`,
    );
  }
  return level;
}

/** The text of a code and its complete design. */
function drawingOf(row: QrCodeRow, domain: string) {
  const payload = payloadOf(row, domain);
  return { payload, design: resolveDesign({ ...row.design, middle: null }, payload) };
}

/**
 * The same after a change. A change of something else keeps the size of the image, so that a newer
 * rule for it does not change a picture that is in use.
 */
function changedDrawing(row: QrCodeRow, domain: string, before: QrCodeRow | undefined) {
  const payload = payloadOf(row, domain);
  const isSame =
    before !== undefined &&
    payload === payloadOf(before, domain) &&
    canonicalJson(row.design) === canonicalJson(before.design);
  return isSame ? { payload, design: resolveDesign(row.design, payload) } : drawingOf(row, domain);
}

/** Fields that take effect when a short link is visited, with their columns. */
const VISIT_FIELDS = {
  password: 'password_fingerprint',
  expiresAt: 'expires_at',
  expiredUrl: 'expired_url',
  startsAt: 'starts_at',
  maxVisits: 'max_visits',
  ios: 'ios',
  android: 'android',
  geo: 'geo',
  rules: 'rules',
  trackConversion: 'track_conversion',
  testVariants: 'test_variants',
  queryConflict: 'query_conflict',
} as const satisfies Record<string, keyof QrCodeRow>;

/**
 * Refuses fields without effect, since a static code is read without the service. Values that an
 * older code has already do not stop a change of something else.
 */
function refuseVisitFields(before: QrCodeRow, after: QrCodeRow): void {
  if (!after.static) return;
  const isSet = (value: unknown) =>
    typeof value === 'object' && value !== null && !(value instanceof Date)
      ? Object.keys(value).length > 0
      : value !== null && value !== false;
  const faults = Object.entries(VISIT_FIELDS)
    .filter(
      ([, column]) =>
        isSet(after[column]) && canonicalJson(after[column]) !== canonicalJson(before[column]),
    )
    .map(
      ([field]) =>
        `${field} must not be set where static is true: a static code is read without the service`,
    );
  if (faults.length > 0) throw new Refusal('unprocessable_entity', faults.join('; '));
}

/**
 * Applies changes to a row. An absent field stays, `null` clears it.
 *
 * @throws Refusal `unprocessable_entity` if the fields contradict each other
 */
export function applyChanges(row: QrCodeRow, changes: QrCodeChanges): QrCodeRow {
  const next = applySharedChanges(row, changes);
  const {
    content = contentOfWinner(next, changes),
    static: isStatic,
    useDisplayPage,
    filled,
    design,
    templateId,
    newTemplateId,
  } = changes;
  if (content !== undefined) {
    next.type = content.type;
    next.content = { [content.type]: content.value };
    next.url = content.type === 'url' ? (content.value as string) : null;
    Object.assign(next, readUtm(next.url ?? ''));
  }
  if (isStatic !== undefined) next.static = isStatic;
  if (useDisplayPage !== undefined) next.use_display_page = useDisplayPage;
  if (filled !== undefined) next.filled = filled;
  if (design !== undefined) next.design = { ...row.design, ...design };
  if (templateId !== undefined) next.template_id = templateId;
  if (newTemplateId !== undefined) next.template_id = newTemplateId;
  return withoutContradictions(row, next);
}

/**
 * Removes the image and the file of another content from a changed row.
 *
 * @throws Refusal `unprocessable_entity` if the fields contradict each other
 */
export function withoutContradictions(before: QrCodeRow, changed: QrCodeRow): QrCodeRow {
  const next = { ...changed };
  if (next.type !== 'vcard' && next.design.photoImage) {
    next.design = { ...next.design, photoImage: null };
  }
  if (next.type !== 'file' && next.design.storedFile) {
    next.design = { ...next.design, storedFile: null };
  }
  refuseVisitFields(before, next);
  if (next.test_variants !== null && next.type !== 'url') {
    throw new Refusal(
      'unprocessable_entity',
      `testVariants must not be set where the type is ${next.type}: only a code of type url has a destination`,
    );
  }
  return next;
}

/** The destination of the winner of a test, as the content of its code. */
function contentOfWinner(row: QrCodeRow, changes: QrCodeChanges): QrCodeChanges['content'] {
  const url = chosenUrl(row, changes);
  return url === undefined ? undefined : { type: 'url', value: url };
}

/**
 * Refuses to change printed content: the short link or, in a static code, the content. @throws
 * Refusal `conflict`
 */
export function refusePrintedChange(before: QrCodeRow, after: QrCodeRow): void {
  if (after.static !== before.static) {
    throw new Refusal(
      'conflict',
      'static cannot be changed: a printed code contains either its content or its short link',
    );
  }
  const [printed] = changedInPrint(before, after);
  if (printed !== undefined) {
    throw new Refusal(
      'conflict',
      `${printed} cannot be changed: the short link is printed in the code`,
    );
  }
  // The attributes of a GS1 Digital Link are printed after its path.
  const isMoved = shortTextOf(before, '') !== shortTextOf(after, '');
  if (isMoved && !before.static) {
    throw new Refusal(
      'conflict',
      `${after.type} cannot be changed: the identifiers of a GS1 Digital Link are printed in the code`,
    );
  }
  // An image stays correct while its text is the same, in whatever form the content was sent.
  const isSame = after.type === before.type && staticContent(after) === staticContent(before);
  if (isSame || !before.static) return;
  throw new Refusal(
    'conflict',
    `${after.type} cannot be changed: a static code contains its content`,
  );
}

/**
 * Names of shared fields that are part of the printed code and differ between two states of its
 * row.
 */
function changedInPrint(before: QrCodeRow, after: QrCodeRow): string[] {
  const old: Readonly<Record<string, unknown>> = before;
  const changed: Readonly<Record<string, unknown>> = after;
  return Object.entries<Field>(fields)
    .filter(([, { column = '', isPrinted }]) => isPrinted && old[column] !== changed[column])
    .map(([name]) => name);
}
