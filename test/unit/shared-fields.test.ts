import { expect } from 'chai';
import { Joi, text } from '../../src/http/fields.ts';
import { check } from '../../src/http/input.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { linkEntry } from '../../src/links/commands.ts';
import { BLANK_LINK, LINK_TABLES, type LinkRow } from '../../src/links/model.ts';
import { applyFields } from '../../src/short-links/apply-changes.ts';
import type { BodyOf, FieldTable } from '../../src/short-links/field.ts';
import { fields } from '../../src/short-links/fields.ts';
import { blankColumns } from '../../src/short-links/model.ts';
import { csvColumns, recordOf, recordSchemas } from '../../src/short-links/record.ts';
import { NO_COUNTERS } from '../../src/short-links/record-context.ts';
import { changeSchemas, creationSchemas, defaultsOf } from '../../src/short-links/schema.ts';
import { insert, update } from '../../src/short-links/write.ts';
import { aWorkspace } from '../support/world.ts';

const rows: [name: string, field: FieldTable[string]][] = Object.entries(fields);

describe('the fields that links and QR codes share', () => {
  for (const [name, { in: body, out, example, description }] of rows) {
    it(`have a valid example: ${name}`, () => {
      expect(description).to.match(/^[A-Z].*\.$/);
      for (const schema of [body, out]) {
        if (schema !== undefined) expect(check(schema, example, name)).to.deep.equal(example);
      }
    });
  }

  for (const table of ['links', 'qrcodes']) {
    it(`have their columns in ${table}`, async () => {
      const stored = (await db()('information_schema.columns')
        .where({ table_schema: 'public', table_name: table })
        .pluck('column_name')) as string[];
      // Postgres silently drops members of JSON rows without a column.
      expect(stored).to.include.members(rows.flatMap(([, { column }]) => column ?? []));
    });
  }

  it('have distinct columns of the export', () => {
    const places = Object.values(csvColumns(fields));
    expect(new Set(places).size).to.equal(places.length);
  });
});

describe('a new row of the table of fields', () => {
  const table = {
    ...fields,
    color: {
      column: 'color',
      in: text(20),
      out: Joi.string().required(),
      default: 'grey',
      csv: 34,
      extension: 'both',
      description: 'Colour of the record in lists.',
      example: 'green',
    },
  } as const satisfies FieldTable;
  /** Validates a body with the schema of the table. */
  const taken = (body: unknown): BodyOf<typeof table> =>
    check(Joi.object(creationSchemas(table)), body, 'body');

  it('is accepted in a body', () => {
    expect(taken({ color: 'red' }).color).to.equal('red');
    expect(() => taken({ color: 5 })).to.throw('color must be a string');
    expect(taken({})).to.deep.equal({});
  });

  it('is stored, updated and returned', async () => {
    const { projectId, domain } = await aWorkspace();
    const { id } = (await db()('domains').where({ slug: domain }).first('id')) as { id: string };
    const now = new Date();
    const ids = { project_id: projectId, id: newId('link'), user_id: 'user', key: 'k' };
    const times = { created_at: now, updated_at: now };
    const transaction = await db().transaction();
    try {
      // The temporary table hides the service's table, for this transaction only.
      await transaction.raw('CREATE TEMP TABLE links (LIKE links INCLUDING ALL) ON COMMIT DROP');
      await transaction.raw('ALTER TABLE links ADD COLUMN color text');
      const stored = async () =>
        (await transaction('links').first()) as LinkRow & { color: string };
      const answered = async () => {
        const context = { domain, tags: [], counters: NO_COUNTERS };
        const record = recordOf(table, await stored(), context);
        return check<typeof record>(Joi.object(recordSchemas(table)), record, 'record');
      };
      const change = async (body: unknown) => {
        const before = await stored();
        const row = applyFields(table, before, taken(body));
        const entry = () => linkEntry(row);
        const changed = { row, domain: 'example.test', tags: undefined, entry };
        await update(transaction, LINK_TABLES, before, changed, { action: 'updated' });
      };

      const blank = { ...BLANK_LINK, ...blankColumns(table) };
      const row = { ...blank, ...ids, ...times, domain_id: id };
      const draft = { row, domain, tags: [], drawKey: undefined, entry: () => linkEntry(row) };
      await insert(transaction, LINK_TABLES, [draft], () => {});
      expect((await answered()).color).to.equal('grey');
      await change({ color: 'red' });
      expect((await answered()).color).to.equal('red');
      await change({ title: 'Another field' });
      expect(await answered()).to.include({ color: 'red', title: 'Another field' });
    } finally {
      await transaction.rollback();
    }
  });

  it('is documented with its description, example and default', () => {
    const color = (schemas: ReturnType<typeof recordSchemas>) => schemas['color']!.describe();
    for (const { flags, examples, metas } of [
      color(recordSchemas(table)),
      color(changeSchemas(table)),
      color(creationSchemas(table)),
    ]) {
      expect(flags).to.include({ description: 'Colour of the record in lists.' });
      expect(examples).to.deep.equal(['green']);
      expect(metas).to.deep.equal([{ extension: true }]);
    }
    expect(color(creationSchemas(table))).to.have.nested.property('flags.default', 'grey');
  });

  it('is exported, and its default equals its absence for an Idempotency-Key', () => {
    expect(csvColumns(table)).to.have.property('color', 34);
    expect(defaultsOf(table)).to.have.property('color', 'grey');
  });
});
