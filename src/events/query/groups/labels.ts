import { Joi, requiredText } from '../../../http/fields.ts';
import type { LabelKind, RecordNames } from '../../records.ts';
import { eventsStore } from '../../store/index.ts';
import { type CountQuery, MAX_VALUES, type ValueCount } from '../../store/store.ts';
import { type Numbers, numberNames, numberSchemas } from '../numbers.ts';
import type { Group, GroupList } from './group.ts';
import { listOf } from './list.ts';

/**
 * Makes the group of the tags or folders with the most events. Their numbers are those of the
 * filters by tag and folder: of the links and QR codes that have them now.
 */
function topLabels(kind: LabelKind, title: GroupList['title']): Group {
  return {
    list: listOf(title, 'name'),
    answer: Joi.array().items(
      Joi.object({
        [kind]: requiredText.description('Id, as in `id`.'),
        id: requiredText.description(`Id of the ${kind}.`),
        name: requiredText.description(`Name of the ${kind}.`),
        ...numberSchemas,
      }),
    ),
    async read(query, names) {
      const sums = new Map<string, { name: string; numbers: Numbers }>();
      for await (const rows of countsOfRecords(query, kind, names)) {
        const numbersOf = new Map(rows.map(({ value, numbers }) => [value, numbers]));
        const labels = await names.findLabels(query.projectId, kind, [...numbersOf.keys()]);
        for (const { record, id, name } of labels) {
          const sum = sums.get(id)?.numbers ?? {};
          sums.set(id, { name, numbers: added(sum, numbersOf.get(record)!) });
        }
      }
      const [first] = numberNames(query.events);
      return [...sums]
        .map(([id, { name, numbers }]) => ({ [kind]: id, id, name, ...numbers }))
        .toSorted((a, b) => numberIn(b, first!) - numberIn(a, first!) || (a.name < b.name ? -1 : 1))
        .slice(0, MAX_VALUES);
    },
  };
}

const numberIn = (row: object, name: string): number => (row as Numbers)[name]!;

/** Adds numbers; larger sums than JSON numbers hold become the largest of them. */
const added = (sum: Numbers, numbers: Numbers): Numbers =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, number]) => [
      name,
      Math.min((sum[name] ?? 0) + number, Number.MAX_SAFE_INTEGER),
    ]),
  );

/**
 * Counts by link and QR code. An answer of the store has at most {@link MAX_VALUES} of them: where
 * more have events, the records with a label are counted in parts.
 */
async function* countsOfRecords(
  query: CountQuery,
  kind: LabelKind,
  { listLabeled }: RecordNames,
): AsyncGenerator<ValueCount[]> {
  const counted = await eventsStore().countByValue(query, 'record');
  if (counted.length < MAX_VALUES) {
    yield counted;
    return;
  }
  const selected = query.filter.records && new Set(query.filter.records);
  for (let after = ''; ; ) {
    const page = await listLabeled(query.projectId, kind, { after, limit: MAX_VALUES });
    const records = page.filter((id) => selected?.has(id) !== false);
    if (records.length > 0) {
      yield await eventsStore().countByValue(
        { ...query, filter: { ...query.filter, records } },
        'record',
      );
    }
    if (page.length < MAX_VALUES) return;
    after = page.at(-1)!;
  }
}

export const topTags = topLabels('tag', 'Tags');
export const topFolders = topLabels('folder', 'Folders');
