import { expect } from 'chai';
import { clickSchemas } from '../../src/event-records/record.ts';
import {
  COLUMNS,
  type ColumnTable,
  clickFields,
  clickValues,
  columnsOfClick,
  columnsWith,
  csvColumns,
  initialRow,
  type RowOf,
} from '../../src/events/columns.ts';
import type { StoredEvent } from '../../src/events/event.ts';
import { insertEvents } from '../../src/events/store/postgres/append.ts';
import { Joi } from '../../src/http/fields.ts';
import { check } from '../../src/http/input.ts';
import { db } from '../../src/infra/db.ts';
import { anEvent } from '../support/events.ts';
import { aWorkspace } from '../support/world.ts';

describe('the table of columns of an event', () => {
  it('has the columns that the database has', async () => {
    for (const [table, others] of [
      ['events', []],
      ['event_outbox', ['seq']],
    ] as const) {
      const stored = (await db()('information_schema.columns')
        .where({ table_schema: 'public', table_name: table })
        .pluck('column_name')) as string[];
      expect([...Object.keys(COLUMNS), ...others], table).to.have.members(stored);
    }
  });

  it('names each column of the export once', () => {
    const names = csvColumns(COLUMNS);
    expect(new Set(names).size).to.equal(names.length);
  });
});

describe('a new row of the table of columns of an event', () => {
  const plain: { initial: string } = { initial: '' };
  const table = {
    ...COLUMNS,
    language: {
      ...plain,
      isOfClick: true,
      longest: 35,
      click: {
        name: 'language',
        description: 'Language: BCP 47.',
        example: 'de',
        isExtension: true,
      },
    },
  } as const satisfies ColumnTable;
  const id = 'clk_1';
  const aRow = (projectId: string): RowOf<typeof table> => ({
    ...initialRow(table),
    ...anEvent(projectId, { id, occurred_at: '2026-01-01T00:00:00.000Z' }),
    language: 'pt-BR',
  });

  it('is stored in its column, and shown in the click', async () => {
    const { projectId } = await aWorkspace();
    const transaction = await db().transaction();
    try {
      // The temporary table hides the service's table, for this transaction only.
      await transaction.raw('CREATE TEMP TABLE events (LIKE events INCLUDING ALL) ON COMMIT DROP');
      await transaction.raw("ALTER TABLE events ADD COLUMN language text NOT NULL DEFAULT ''");
      await insertEvents(transaction, [aRow(projectId)], table);
      const stored = (await transaction('events').first()) as StoredEvent & { language: string };
      expect(stored).to.include({ id, language: 'pt-BR' });
      const click = clickValues(clickFields(table), stored);
      expect(click).to.include({ country: 'Unknown', language: 'pt-BR' });
      const schema = Joi.object(clickSchemas(clickFields(table)));
      expect(check(schema, click, 'click')).to.deep.equal(click);
    } finally {
      await transaction.rollback();
    }
  });

  it('is taken over by the leads and sales of the click', () => {
    const taken = columnsOfClick(table, aRow('proj_1'));
    expect(taken).to.include({ url: 'https://example.com/', language: 'pt-BR' });
    expect(taken).not.to.have.any.keys('project_id', 'id', 'occurred_at', 'event', 'page_id');
  });

  it('is limited, documented and exported', () => {
    expect(columnsWith(table, 'longest')).to.include('language');
    const { flags, metas } = clickSchemas(clickFields(table))['language']!.describe();
    expect(flags).to.include({ description: 'Language: BCP 47.' });
    expect(metas).to.deep.equal([{ extension: true }]);
    expect(csvColumns(table).at(-1)).to.equal('language');
  });
});
