import { nameOfField, valueInWords } from '../app/field-words.ts';
import { sentenceCase } from '../ui/sentence.ts';
import { type RoutingNames, type Rule, ruleSentence } from './routing-sentences.ts';

/* Entries of the history of a link or QR code in words. */

/** An entry of the history, as far as words need it. */
export interface HistoryEntry {
  action: 'updated' | 'reverted' | 'imported' | 'previewed' | 'reset' | 'restored';
  actor: { userId: string; name: string | null; apiKeyId?: string } | null;
  changes: Readonly<Record<string, { from?: unknown; to?: unknown }>>;
}

/** Names that only the workspace knows. */
export interface ChangeNames extends RoutingNames {
  /** Label of a field in the form; `undefined` for a field without one. */
  label(field: string): string | undefined;
  /**
   * Name of a record that a field refers to by its id; `null` if it no longer exists, `undefined`
   * if the person may not read it or its list is not loaded.
   */
  record(field: Reference, id: string): string | null | undefined;
}

/** A changed field in words. */
export interface FieldChange {
  field: string;
  label: string;
  /** Absent for a password, whose values are secret. `from` is absent where no present value is shown. */
  values: { from?: string; to: string } | undefined;
}

/** Sentences about entries of a history, by the kind of entry. */
const ACTIONS: Readonly<Record<HistoryEntry['action'], (noun: string) => string>> = {
  updated: (noun) => `changed the ${noun}`,
  reverted: (noun) => `reverted a change of the ${noun}`,
  imported: (noun) => `changed the ${noun} by an import`,
  previewed: () => 'filled in the link preview from the destination',
  reset: (noun) => `reset the counts of the ${noun}`,
  restored: (noun) => `restored the ${noun}`,
};

/** Describes who did what: "Ada changed the link", "Ada (API key) restored the QR code". */
export const entryTitle = ({ action, actor }: HistoryEntry, noun: string): string =>
  `${actorName({ actor })} ${ACTIONS[action](noun)}`;

/** Names the author of a write; the service itself writes without one. */
export function actorName({ actor }: Pick<HistoryEntry, 'actor'>): string {
  if (actor === null) return 'The service';
  const name = actor.name === null || actor.name === '' ? 'A former member' : actor.name;
  return actor.apiKeyId === undefined ? name : `${name} (API key)`;
}

/** Labels of the fields of a code's appearance and content, which no form names. */
const LABELS: Readonly<Record<string, string>> = {
  addTagIds: 'Added tags',
  backgroundSrc: 'Background picture',
  backgroundStrength: 'Strength of the background',
  backgroundStyle: 'Style of the background',
  bgColor: 'Background color',
  bgGradient: 'Background gradient',
  doIndex: 'Search engines',
  eyeBallColor: 'Color of the eye centers',
  excavate: 'Clear space behind the logo',
  fgColor: 'Color',
  fgGradient: 'Gradient',
  hasPassword: 'Password',
  image: 'Preview image',
  level: 'Error correction',
  pageId: 'Page',
  removeTagIds: 'Removed tags',
  rules: 'Rules',
  shape: 'Shape of the eyes',
  src: 'Logo',
  tagIds: 'Tags',
  tagNames: 'New tags',
  templateId: 'Template',
  title: 'Title',
  type: 'Content type',
};

/** Longest text of a value; longer ones are cut. */
const LONGEST = 300;

/** Fields that hold ids of records. */
const REFERENCES = [
  'addTagIds',
  'folderId',
  'pageId',
  'removeTagIds',
  'tagIds',
  'templateId',
  'webhookIds',
] as const;
/** A field that holds ids of records. */
export type Reference = (typeof REFERENCES)[number];

const isReference = (field: string): field is Reference =>
  (REFERENCES as readonly string[]).includes(field);

/** Names a record that a field refers to; an unknown one is shown by its id. */
function referenceText(field: Reference, id: string, names: ChangeNames): string {
  const name = names.record(field, id);
  return name === null ? 'A deleted one' : (name ?? id);
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);

/** Formats a value of a field. */
export function fieldValue(field: string, value: unknown, names: ChangeNames): string {
  if (value === null || value === undefined || value === '') return 'Nothing';
  if (typeof value === 'string' && value.startsWith('data:')) return 'An uploaded picture';
  if (field === 'hasPassword') return value === true ? 'Set' : 'None';
  if (isReference(field)) {
    const ids = [value].flat().filter((id) => typeof id === 'string');
    if (ids.length === 0) return 'Nothing';
    return cut(ids.map((id) => referenceText(field, id, names)).join(', '));
  }
  if (field === 'rules' && Array.isArray(value)) {
    return value.map((rule) => `${ruleSentence(rule as Rule, names)}.`).join(' ');
  }
  if (field === 'geo' && typeof value === 'object') {
    const targets = Object.entries(value as Record<string, string>);
    return cut(targets.map(([code, url]) => `${names.country(code)}: ${url}`).join(', '));
  }
  if (field === 'testVariants' && Array.isArray(value)) {
    const variants = value as { name: string; url: string; percentage: number }[];
    return cut(
      variants.map(({ name, url, percentage }) => `${name} ${percentage}%: ${url}`).join(', '),
    );
  }
  return cut(valueInWords(value));
}

/** True for a value with named members, such as the content of a code. */
const hasMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keeps the members in which two values differ, so that long contents show only what changed. */
function differing(value: unknown, other: unknown): unknown {
  if (!hasMembers(value) || !hasMembers(other)) return value;
  const members = Object.entries(value).filter(
    ([name, one]) => JSON.stringify(one) !== JSON.stringify(other[name]),
  );
  return Object.fromEntries(members);
}

/** Lists the changed fields of an entry in words. */
export function changesInWords(
  changes: HistoryEntry['changes'],
  names: ChangeNames,
): FieldChange[] {
  return Object.entries(changes)
    .filter(([field]) => field !== 'password' || changes['hasPassword'] === undefined)
    .map(([field, { from, to }]) => ({
      field,
      label: labelOfField(field, names),
      values:
        field === 'password'
          ? undefined
          : {
              from: fieldValue(field, differing(from, to), names),
              to: fieldValue(field, differing(to, from), names),
            },
    }));
}

/**
 * Lists what a scheduled change sets, in words: from the present values of the record, where it has
 * the field.
 *
 * @param record the record as it is now
 */
export const scheduledInWords = (
  changes: Readonly<Record<string, unknown>>,
  record: Readonly<Record<string, unknown>>,
  names: ChangeNames,
): FieldChange[] =>
  Object.entries(changes).map(([field, to]) => {
    const now = presentValue(record, field);
    return {
      field,
      label: labelOfField(field, names),
      values: {
        ...(now !== undefined && { from: fieldValue(field, differing(now, to), names) }),
        to: fieldValue(field, differing(to, now), names),
      },
    };
  });

/** The present value of a field of a body; `undefined` for one that the record does not have. */
function presentValue(record: Readonly<Record<string, unknown>>, field: string): unknown {
  if (field !== 'tagIds') return record[field];
  return ((record['tags'] ?? []) as { id: string }[]).map(({ id }) => id);
}

const labelOfField = (field: string, names: ChangeNames): string =>
  LABELS[field] ?? names.label(field) ?? sentenceCase(nameOfField('/links', field));

/** A field that a revert sets, in words. */
export interface RevertedField extends FieldChange {
  /** True when a later change has set the field again, which the revert overwrites. */
  isChangedSince: boolean;
}

/** Fields of records by the names that they have in the history. */
const valueOf = (record: Readonly<Record<string, unknown>>, field: string): unknown =>
  field === 'tags'
    ? ((record['tags'] ?? []) as { id: string; name: string }[]).map(({ id, name }) => ({
        id,
        name,
      }))
    : record[field];

/**
 * Lists what the revert of an entry sets in a record: from its present values to those before the
 * change.
 *
 * @param record the record as it is now
 */
export function revertInWords(
  changes: HistoryEntry['changes'],
  record: Readonly<Record<string, unknown>>,
  names: ChangeNames,
): RevertedField[] {
  return Object.entries(changes)
    .filter(([field]) => field !== 'password' || changes['hasPassword'] === undefined)
    .map(([field, { from, to }]) => {
      const now = valueOf(record, field);
      return {
        field,
        label: labelOfField(field, names),
        isChangedSince: field !== 'password' && sortedText(now) !== sortedText(to),
        values:
          field === 'password'
            ? undefined
            : {
                from: fieldValue(field, differing(now, from), names),
                to: fieldValue(field, differing(from, now), names),
              },
      };
    });
}

/** Serializes a value for comparison: without empty values, and members in one order. */
function sortedText(value: unknown): string {
  if (Array.isArray(value))
    return value.length === 0 ? 'null' : `[${value.map(sortedText).join()}]`;
  if (!hasMembers(value)) return JSON.stringify(value === '' ? null : (value ?? null));
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return members.length === 0
    ? 'null'
    : `{${members.map(([name, one]) => `${name}:${sortedText(one)}`).join()}}`;
}
