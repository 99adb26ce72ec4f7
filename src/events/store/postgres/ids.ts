import type { DimensionName } from '../../dimensions.ts';
import { findIds } from './values.ts';

/** Ids from here on belong to values that are not in the list of values. */
const UNLISTED = 2 ** 52;

/** Assigns ids to the values of a dimension that were read from events. */
export class Ids {
  /** Values by id that are not in the list of values. */
  readonly values = new Map<number, string>();
  #ids: Map<string, number> = new Map();

  /** Finds the ids of values in the list, which stored counts refer to. */
  async find(projectId: string, name: DimensionName, values: Iterable<string>): Promise<void> {
    this.#ids = await findIds(projectId, name, [...new Set(values)]);
  }

  idOf(value: string): number {
    let id = this.#ids.get(value);
    if (id === undefined) {
      id = UNLISTED + this.values.size;
      this.#ids.set(value, id);
      this.values.set(id, value);
    }
    return id;
  }
}
