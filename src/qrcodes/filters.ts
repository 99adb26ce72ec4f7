import { Joi } from '../http/fields.ts';
import {
  type FilterTable,
  type SharedFilters,
  sharedFilters,
  visits,
} from '../short-links/filters.ts';
import { CONTENT_NAMES, type ContentName } from './content/index.ts';
import { QR_CODE_TABLES } from './model.ts';

/** Filters of lists and counts of QR codes, under their names in the query string. */
export interface QrCodeFilters extends SharedFilters {
  format?: 'static' | 'dynamic';
  type?: ContentName;
  scansMin?: number;
  scansMax?: number;
}

export const QR_CODE_FILTERS: FilterTable<QrCodeFilters> = {
  ...sharedFilters(QR_CODE_TABLES),
  format: {
    schema: Joi.string()
      .valid('static', 'dynamic')
      .description('Only static, or only dynamic codes.'),
    where: (query, value) => query.where('qrcodes.static', value === 'static'),
  },
  type: {
    schema: Joi.string()
      .valid(...CONTENT_NAMES)
      .meta({ name: 'QrCodeType' })
      .description('Only codes with this type of content.'),
    where: (query, value) => query.where('qrcodes.type', value),
  },
  scansMin: visits('>='),
  scansMax: visits('<='),
};
