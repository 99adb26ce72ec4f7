import type { OperationId } from '../../http/route.ts';
import { VISITS } from '../../qrcodes/record.ts';

/** An operation of this API that agents call as a tool of the same name. */
export interface Tool {
  operation: OperationId;
  /**
   * Parameters and body fields in the input schema, besides those of the path; all if absent. The
   * others are accepted too. Agents read every schema before each task, so it must stay short.
   */
  shown?: readonly string[];
  /** Fields of the record in the output schema; absent for no output schema. */
  output?: readonly string[];
}

const LINK_FIELDS = [
  'url',
  'domain',
  'key',
  'title',
  'description',
  'image',
  'tagNames',
  'folderId',
  'comments',
  'externalId',
  'archived',
  'password',
  'startsAt',
  'expiresAt',
  'expiredUrl',
  'maxVisits',
  'ios',
  'android',
  'geo',
  'redirectStatus',
  'publicStats',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
];
const LINK_RECORD = [
  'id',
  'shortLink',
  'qrCode',
  'url',
  'domain',
  'key',
  'title',
  'tags',
  'folderId',
  'archived',
  'expiresAt',
  'clicks',
  'createdAt',
];

const QR_CODE_FIELDS = [
  'type',
  'url',
  'text',
  'email',
  'wifi',
  'phone',
  'sms',
  'whatsapp',
  'static',
  'domain',
  'key',
  'title',
  'tagNames',
  'folderId',
  'archived',
  'expiresAt',
  'templateId',
  'fgColor',
  'bgColor',
  'eyeColor',
  'pattern',
  'shape',
  'frame',
  'frameText',
  'frameColor',
  'level',
];
const QR_CODE_RECORD = [
  'id',
  'type',
  'shortLink',
  'url',
  'domain',
  'key',
  'title',
  'tags',
  'folderId',
  'archived',
  'static',
  VISITS,
  'createdAt',
];

const LIST_FILTERS = [
  'search',
  'domain',
  'tagNames',
  'folderId',
  'destination',
  'showArchived',
  'createdAfter',
  'createdBefore',
  'sort',
  'sortOrder',
  'after',
  'pageSize',
];

const EVENT_FILTERS = [
  'event',
  'interval',
  'start',
  'end',
  'timezone',
  'linkId',
  'qrcodeId',
  'domain',
  'key',
  'tagId',
  'folderId',
  'country',
  'city',
  'device',
  'browser',
  'os',
  'source',
  'referer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'exclude',
];

/** The tools of the MCP server, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  { operation: 'createLink', shown: LINK_FIELDS, output: LINK_RECORD },
  { operation: 'listLinks', shown: [...LIST_FILTERS, 'clicksMin', 'clicksMax'] },
  {
    operation: 'findLink',
    shown: ['domain', 'key', 'linkId', 'externalId'],
    output: LINK_RECORD,
  },
  { operation: 'updateLink', shown: LINK_FIELDS, output: LINK_RECORD },
  { operation: 'deleteLink' },
  { operation: 'createQrCode', shown: QR_CODE_FIELDS, output: QR_CODE_RECORD },
  { operation: 'listQrCodes', shown: [...LIST_FILTERS, 'type', 'scansMin', 'scansMax'] },
  { operation: 'updateQrCode', shown: QR_CODE_FIELDS, output: QR_CODE_RECORD },
  { operation: 'deleteQrCode' },
  { operation: 'retrieveQrCodeImage', shown: ['format', 'size', 'margin'] },
  {
    operation: 'renderQrCode',
    shown: ['url', 'format', 'size', 'margin', 'fgColor', 'bgColor', 'level'],
  },
  { operation: 'retrieveAnalytics', shown: ['groupBy', ...EVENT_FILTERS] },
  { operation: 'listEvents', shown: [...EVENT_FILTERS, 'order', 'limit', 'cursor'] },
  { operation: 'listTags' },
  { operation: 'listDomains' },
];
