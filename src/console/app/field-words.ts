import { labelOf } from '../api/field-labels.ts';
import { inSentence } from '../ui/sentence.ts';

/* Names and values of fields in words, for people who compare versions of a record. */

/** Labels of fields that differ from their names. */
const NAMES: Readonly<Record<string, string>> = {
  folderId: 'folder',
  geo: 'targets by country',
  key: 'slug',
  tagIds: 'tags',
  testCompletedAt: 'end of the A/B test',
  testVariants: 'A/B test',
  url: 'URL',
  webhookIds: 'webhooks',
};

/**
 * Returns the label of a field for use within a sentence.
 *
 * @param path path of the record in the API
 */
export function nameOfField(path: string, field: string): string {
  if (field === 'url' && /^\/(?:links|qrcodes)\b/.test(path)) return 'destination';
  return inSentence(NAMES[field] ?? labelOf(field));
}

/** Formats a value for comparison by people. */
export function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'Nothing';
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  if (typeof value === 'string') {
    return /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toLocaleString() : value;
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? 'Nothing' : value.map(valueInWords).join(', ');
  }
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object') return '';
  if ('name' in value && typeof value.name === 'string') return value.name;
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${valueInWords(one)}`)
    .join(', ');
}
