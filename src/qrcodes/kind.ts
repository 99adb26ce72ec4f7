import { Refusal } from '../errors.ts';
import { readUtm, refuseLoop } from '../links/destination.ts';
import { encodeLink, type LinkEntry } from '../lookup/entry.ts';
import { routedEntry } from '../records/entry.ts';
import type { Query } from '../records/filters.ts';
import type { RecordKind } from '../records/kind.ts';
import { shortLinkOf } from '../records/record.ts';
import { applyRouted, blankRow } from '../records/rules.ts';
import { contentOf, payloadOf } from './content-of.ts';
import { resolveDesign } from './design.ts';
import { QR_CODE_TABLES, QrCode, type QrCodeRow } from './model.ts';
import { type SealedQrCode, toSealedQrCode } from './record.ts';
import { refuseUnscannable } from './render/scannability.ts';
import type { QrCodeChanges } from './schema.ts';

/** QR codes among the kinds of records. */
export const QR_CODES: RecordKind<QrCodeRow, QrCodeChanges, SealedQrCode> = {
  ...QR_CODE_TABLES,
  noun: 'QR code',
  rows: (projectId, connection) => QrCode.of(projectId, connection) as unknown as Query,
  blank: (ids, now) => ({
    ...blankRow(ids, now),
    url: null,
    type: 'url',
    static: false,
    content: {},
    design: {},
    use_display_page: true,
    template_id: null,
  }),
  apply: applyChanges,
  refuseFixed,
  finish(row, domain) {
    if (row.url !== null) refuseLoop(row.url, domain, row.key);
    const payload = payloadOf(row, domain);
    const design = resolveDesign({ ...row.design, middle: null }, payload);
    refuseUnscannable(payload, design);
    return { ...row, design: { ...row.design, middle: design.middle } };
  },
  entry: qrCodeEntry,
  toSealed: toSealedQrCode,
};

function applyChanges(row: QrCodeRow, changes: QrCodeChanges): QrCodeRow {
  const next = applyRouted(row, changes);
  const {
    content,
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
  return next;
}

/** What is printed stays: a static code for ever, the content of a dynamic one unless it was made flexible. */
function refuseFixed(before: QrCodeRow, after: QrCodeRow): void {
  if (after.static !== before.static) {
    throw new Refusal(
      'conflict',
      'static cannot be changed: a code that is printed holds either its content or its short link',
    );
  }
  if (
    after.type === before.type &&
    JSON.stringify(after.content) === JSON.stringify(before.content)
  ) {
    return;
  }
  if (before.static) {
    throw new Refusal(
      'conflict',
      `${after.type} cannot be changed: the code is static, its content is in the picture`,
    );
  }
  if (after.flexible) return;
  throw new Refusal(
    'conflict',
    `${after.type} cannot be changed: the code is not flexible. Set flexible to true to change its content`,
  );
}

async function qrCodeEntry(row: QrCodeRow, domain: string, known?: LinkEntry): Promise<string> {
  const { type, value } = contentOf(row);
  const visit = type.onVisit(value, { useDisplayPage: row.use_display_page });
  const leads =
    'open' in visit
      ? { destination: visit.open }
      : { destination: shortLinkOf(domain, row.key), page: visit.page };
  return encodeLink(await routedEntry(row, leads, known));
}
