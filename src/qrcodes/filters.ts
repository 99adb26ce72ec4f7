import { Joi } from '../infra/fields.ts';
import { type FilterTable, type RoutedFilters, routedFilters, visits } from '../records/filters.ts';
import { CONTENT_NAMES, type ContentName } from './content/index.ts';
import { QR_CODE_TABLES } from './model.ts';

/** Filters of lists and counts of QR codes, as the query names them. */
export interface QrCodeFilters extends RoutedFilters {
  format?: 'static' | 'dynamic';
  type?: ContentName;
  scansMin?: number;
  scansMax?: number;
}

export const QR_CODE_FILTERS: FilterTable<QrCodeFilters> = {
  ...routedFilters(QR_CODE_TABLES),
  format: {
    schema: Joi.string().valid('static', 'dynamic'),
    where: (query, value) => query.where('qrcodes.static', value === 'static'),
  },
  type: {
    schema: Joi.string().valid(...CONTENT_NAMES),
    where: (query, value) => query.where('qrcodes.type', value),
  },
  scansMin: visits('>='),
  scansMax: visits('<='),
};
