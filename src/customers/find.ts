import { externalIdIn } from '../http/fields.ts';
import { type Db, db, rows } from '../infra/db.ts';
import { Customer } from './model.ts';

/** Finds the customer that another one was merged into. */
async function findMerged(
  projectId: string,
  column: 'external_id' | 'merged_id',
  value: string,
  connection: Db,
): Promise<Customer | undefined> {
  const [row] = await rows<Customer>(
    connection,
    `SELECT c.* FROM customer_aliases a
       JOIN customers c ON c.project_id = a.project_id AND c.id = a.customer_id
      WHERE a.project_id = :projectId AND a.${column} = :value`,
    { projectId, value },
  );
  return row;
}

/** Finds a customer by external id; that of a merged customer finds the one it was merged into. */
export const findByExternalId = async (
  projectId: string,
  externalId: string,
  connection: Db = db(),
): Promise<Customer | undefined> =>
  (await Customer.of(projectId, connection).where({ external_id: externalId }).first()) ??
  findMerged(projectId, 'external_id', externalId, connection);

/** Finds a customer by id, or by external id after `ext_`, also by those of merged customers. */
export async function findByRef(projectId: string, ref: string): Promise<Customer | undefined> {
  const externalId = externalIdIn(ref);
  if (externalId !== undefined) return findByExternalId(projectId, externalId);
  return (
    (await Customer.of(projectId).where({ id: ref }).first()) ??
    findMerged(projectId, 'merged_id', ref, db())
  );
}
