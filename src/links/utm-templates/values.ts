import { UTM_FIELDS, type UtmField } from '../../events/utm.ts';
import { Joi, requiredCount, requiredText } from '../../http/fields.ts';
import { db, rows } from '../../infra/db.ts';
import { currentLimits } from '../../infra/limits.ts';
import { insideSql } from '../../workspaces/limits.ts';

/** Number of the newest links, and of the newest QR codes, whose values are read. */
const MAX_RECORDS = 10_000;
/** Maximum number of values per parameter. */
const MAX_VALUES = 100;

interface UsedValue {
  value: string;
  count: number;
}

/** Schema of the values by parameter. */
export const utmValues = Joi.object(
  Object.fromEntries(
    UTM_FIELDS.map((name) => [
      name,
      Joi.array()
        .items(
          Joi.object({
            value: requiredText.description('Value.').example('newsletter'),
            count: requiredCount
              .description('Number of links, QR codes and templates with it.')
              .example(12),
          }).meta({ name: 'UtmValue' }),
        )
        .required()
        .description(`Values of \`${name}\`, the most frequent first.`),
    ]),
  ),
).meta({ name: 'UtmValues' });

const COLUMNS = UTM_FIELDS.join(', ');

/** Reads the values of UTM parameters in a workspace, by parameter. */
export async function readUtmValues(projectId: string): Promise<Record<UtmField, UsedValue[]>> {
  const [inside, insideBindings] = insideSql(currentLimits() ?? {}, (column) => column);
  const newest = (table: 'links' | 'qrcodes') =>
    `(SELECT ${COLUMNS} FROM ${table} WHERE project_id = ? AND ${inside} ORDER BY id DESC LIMIT ?)`;
  const ofNewest = [projectId, ...insideBindings, MAX_RECORDS];
  const used = await rows<UsedValue & { name: UtmField }>(
    db(),
    `WITH recent AS MATERIALIZED (
       ${newest('links')} UNION ALL ${newest('qrcodes')}
       UNION ALL (SELECT ${COLUMNS} FROM utm_templates WHERE project_id = ?)),
     counted AS (
       SELECT name, value, count(*)::integer AS count,
              row_number() OVER (PARTITION BY name ORDER BY count(*) DESC, value COLLATE "C") AS place
         FROM recent CROSS JOIN LATERAL
              (VALUES ${UTM_FIELDS.map((name) => `('${name}', ${name})`).join(', ')}) AS one (name, value)
        WHERE value <> '' GROUP BY name, value)
     SELECT name, value, count FROM counted WHERE place <= ? ORDER BY name, place`,
    [...ofNewest, ...ofNewest, projectId, MAX_VALUES],
  );
  const valuesOf = (name: UtmField) =>
    used.filter((one) => one.name === name).map(({ value, count }) => ({ value, count }));
  return Object.fromEntries(UTM_FIELDS.map((name) => [name, valuesOf(name)])) as Record<
    UtmField,
    UsedValue[]
  >;
}
