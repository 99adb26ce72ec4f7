import type { Schemas } from '../api/client.ts';
import { writtenAs } from '../languages/texts.ts';
import { readCells } from '../ui/read-cells.ts';
import { type ContentName, type Draft, encodeContent, toValue, withValueAt } from './content.ts';
import { CONTENT_FORMS, type ContentField, emptyDraft } from './content-fields.ts';

/** Maximum number of codes of a file. */
export const MOST_ROWS = 5_000;

/** Rows that are read before the page can react. A row takes up to a millisecond. */
const ROWS_PER_TURN = 25;

/** A row of a file: a code to create, with the rules that it violates. */
export interface BatchRow {
  /** Number of the row in the file; the first row of contents is 1. */
  number: number;
  /** Content for display. */
  shown: string;
  title: string;
  body: Schemas['NewQrCode'];
  faults: string[];
}

/** A file of contents, or the reason why it cannot be read. */
export type Batch = { rows: BatchRow[]; ignored: string[] } | { fault: string };

/** Fields of the code itself, with the labels of their columns. */
const CODE_FIELDS = /* value */ {
  title: ['title', 'code title'],
  key: ['slug', 'key', 'code key'],
  externalId: ['externalid'],
  tagNames: ['tags', 'tagnames'],
} as const;
type CodeField = keyof typeof CODE_FIELDS;

/** Header to name to people, in the words of the forms. */
const headerOf = (field: CodeField): string =>
  field === 'externalId' ? field : CODE_FIELDS[field][0];

/** Columns of the lists of a contact, which its form adds by itself. */
const CONTACT_LISTS: readonly ContentField[] = [
  { name: 'phone', label: 'Phones' },
  { name: 'email', label: 'Emails' },
];

/** Column of contents that are a single text. */
const isText = (type: ContentName): boolean => typeof emptyDraft(type) === 'string';

const fieldsOf = (type: ContentName): readonly ContentField[] =>
  type === 'vcard' ? [...CONTENT_FORMS[type].fields, ...CONTACT_LISTS] : CONTENT_FORMS[type].fields;

/** True for a field that every content of its type has. */
const isNeeded = ({ isRequired, isShown }: ContentField): boolean =>
  isRequired === true && isShown === undefined;

/** Names of the columns of a content type, the required ones first. */
export function columnsOf(type: ContentName): { required: string[]; optional: string[] } {
  if (isText(type))
    return { required: [type], optional: (Object.keys(CODE_FIELDS) as CodeField[]).map(headerOf) };
  const names = (isRequired: boolean) => [
    ...new Set(
      fieldsOf(type)
        .filter((field) => isNeeded(field) === isRequired)
        .map(({ name }) => name),
    ),
  ];
  const codeFields = Object.entries(CODE_FIELDS).map(([name, headers]) =>
    names(true).concat(names(false)).includes(name) ? headers.at(-1)! : headerOf(name as CodeField),
  );
  return { required: names(true), optional: [...names(false), ...codeFields] };
}

/** The field that a column is read into. */
type Target = { content: ContentField } | { code: CodeField } | undefined;

function targetOf(type: ContentName, header: string): Target {
  const name = header.trim().toLowerCase();
  const plain = name.startsWith(`${type}.`) ? name.slice(type.length + 1) : name;
  const content = fieldsOf(type).find((field) =>
    [...(isText(type) ? [type, 'content'] : [field.name]), ...writtenAs(field.label)].some(
      (one) => one.toLowerCase() === plain,
    ),
  );
  if (content !== undefined) return { content };
  const code = (Object.keys(CODE_FIELDS) as CodeField[]).find((field) =>
    [name, name.replaceAll(' ', '')].some((one) =>
      (CODE_FIELDS[field] as readonly string[]).includes(one),
    ),
  );
  return code === undefined ? undefined : { code };
}

/**
 * Reads the contents of codes from CSV, and checks them as the API does.
 *
 * @param isStatic true for codes that hold the content itself
 * @param isWanted returns false once the result is no longer needed
 */
export async function readBatch(
  text: string,
  type: ContentName,
  isStatic: boolean,
  isWanted: () => boolean,
): Promise<Batch> {
  const lines = readCells(text);
  if ('fault' in lines) return lines;
  const [headers = [], ...others] = lines;
  let targets = headers.map((header) => targetOf(type, header));
  let rows = others;
  if (!targets.some((target) => target !== undefined && 'content' in target)) {
    if (!isText(type) || headers.length !== 1) {
      const { required, optional } = columnsOf(type);
      const names = required.length > 0 ? required : optional.slice(0, 3);
      return { fault: `Name the columns in the first row, such as ${names.join(', ')}.` };
    }
    // A list of texts without a header.
    targets = [{ content: fieldsOf(type)[0]! }];
    rows = lines;
  }
  if (rows.length === 0) return { fault: 'The file has no rows below its header.' };
  if (rows.length > MOST_ROWS) {
    return {
      fault: `Use at most ${MOST_ROWS.toLocaleString()} rows. Split the file into smaller ones.`,
    };
  }
  const read: BatchRow[] = [];
  for (const [at, cells] of rows.entries()) {
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) {
      await new Promise((resolve) => setTimeout(resolve));
      if (!isWanted()) break;
    }
    read.push(await rowOf(at + 1, cells, targets, { type, isStatic }));
  }
  markRepeats(read);
  return { rows: read, ignored: headers.filter((_, at) => targets[at] === undefined) };
}

async function rowOf(
  number: number,
  cells: readonly string[],
  targets: readonly Target[],
  { type, isStatic }: { type: ContentName; isStatic: boolean },
): Promise<BatchRow> {
  let draft: Draft = isText(type) ? '' : { ...initialOf(type) };
  const code: Partial<Record<CodeField, string>> = {};
  const contents: string[] = [];
  for (const [at, target] of targets.entries()) {
    const cell = cells[at] ?? '';
    if (target === undefined || cell === '') continue;
    if ('code' in target) {
      code[target.code] = cell;
      continue;
    }
    contents.push(cell);
    if (typeof draft === 'string') draft = cell;
    else draft = withCell(draft, target.content, cell);
  }
  const encoded = await encodeContent(type, draft);
  const { tagNames, ...texts } = code;
  const body = {
    type,
    [type]: toValue(type, draft),
    static: isStatic,
    ...texts,
    ...(tagNames !== undefined && {
      tagNames: tagNames.split(/[,;|]/).map((name) => name.trim()),
    }),
  } as Schemas['NewQrCode'];
  return {
    number,
    shown: 'text' in encoded ? encoded.text : contents.join(', '),
    title: code.title ?? '',
    body,
    faults: 'faults' in encoded ? encoded.faults : [],
  };
}

/** Values of fields that have one in the form from the beginning. */
function initialOf(type: ContentName): Record<string, unknown> {
  return type === 'vcard' ? {} : (emptyDraft(type) as Record<string, unknown>);
}

/** Returns the draft with the value of a cell. */
function withCell(
  draft: Record<string, unknown>,
  field: ContentField,
  cell: string,
): Record<string, unknown> {
  if (field === CONTACT_LISTS[0]) return { ...draft, phones: [{ type: 'mobile', value: cell }] };
  if (field === CONTACT_LISTS[1]) return { ...draft, emails: [{ type: 'work', value: cell }] };
  const value = field.input === 'switch' ? /^(?:true|yes|1|x)$/i.test(cell) : cell;
  return withValueAt(draft, field.name, value);
}

/** Adds faults to rows whose key or external id an earlier row has. */
function markRepeats(rows: readonly BatchRow[]): void {
  for (const name of ['key', 'externalId'] as const) {
    const seen = new Map<string, number>();
    for (const { body, faults, number } of rows) {
      const value = body[name]?.toLowerCase();
      if (value === undefined) continue;
      const earlier = seen.get(value);
      if (earlier === undefined) seen.set(value, number);
      else faults.push(`${name} must not be the same as in row ${earlier}`);
    }
  }
}
