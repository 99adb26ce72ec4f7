import { readLagging } from '../infra/standbys.ts';

const PAGE = 1_000;

/** Reads records in pages, in order of creation. */
export async function* pages<Item extends { id: string }>(
  projectId: string,
  read: (page: { after: string; limit: number }) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for (let after = ''; ; ) {
    const page = { after, limit: PAGE };
    const records = await readLagging(projectId, () => read(page));
    yield records;
    const last = records.at(-1);
    if (last === undefined || records.length < PAGE) return;
    after = last.id;
  }
}

/** Shows each record of some pages. */
export async function* mapped<Item, Shown>(
  all: AsyncIterable<Item[]>,
  show: (item: Item) => Shown,
): AsyncGenerator<Shown[]> {
  for await (const page of all) yield page.map(show);
}
