import type { PartialModelObject, QueryBuilder } from 'objection';
import type { WorkspaceModel } from '../infra/model.ts';

/**
 * Changes one of the rows of a workspace, which must exist, and returns it.
 *
 * @param rows a query by `Model.of`
 */
export async function changeRow<Row extends WorkspaceModel>(
  rows: QueryBuilder<Row>,
  id: string,
  changes: PartialModelObject<Row>,
): Promise<Row> {
  const [row] = await rows.where({ id }).patch(changes).returning('*');
  return row!;
}
