import { type DateOrder, orderShown } from './dates.ts';
import { type GroupSign, signShown } from './numbers.ts';

/** The way in which the dates and numbers of a column are written. */
export interface ColumnFormat {
  /** Order of dates such as 8/9/2024; absent if the column has none. */
  dates?: DateOrder;
  /** `guess` if no date of the file shows the order, `mixed` if dates of the column differ. */
  doubt?: 'guess' | 'mixed' | undefined;
  /** Separator of thousands; absent if the column has none. */
  numbers?: GroupSign;
}

/** Numbers of cells that show an order of dates, or a separator of thousands. */
type Counts = Record<DateOrder | GroupSign | 'open', number>;

const noCounts = (): Counts => ({ day: 0, month: 0, open: 0, ',': 0, '.': 0 });

/**
 * Detects the formats of columns from all cells, because one cell may not show them: 8/9/2024 is in
 * August or in September, and 1.234 more than one or more than a thousand.
 */
export class FormatScan {
  readonly #counts: Counts[];

  constructor(columns: number) {
    this.#counts = Array.from({ length: columns }, noCounts);
  }

  add(cells: readonly string[]): void {
    for (const [at, counts] of this.#counts.entries()) {
      const cell = cells[at] ?? '';
      // Most cells are skipped at their first character.
      if (!/^\s*\d/.test(cell)) continue;
      const text = cell.trim();
      const order = orderShown(text);
      if (order !== undefined) counts[order] += 1;
      const sign = order === undefined ? signShown(text) : undefined;
      if (sign !== undefined) counts[sign] += 1;
    }
  }

  /**
   * Returns the format of each column.
   *
   * @param delimiter delimiter of the file: a semicolon shows a country that writes the day first
   */
  formats(delimiter: string | null): ColumnFormat[] {
    const sum = (order: DateOrder) => this.#counts.reduce((count, each) => count + each[order], 0);
    const usual = moreOf(sum('day'), sum('month'));
    return this.#counts.map(({ day, month, open, ',': comma, '.': point }) => {
      const order = moreOf(day, month) ?? usual ?? (delimiter === ';' ? 'day' : 'month');
      const doubt =
        day > 0 && month > 0
          ? 'mixed'
          : day + month === 0 && usual === undefined
            ? 'guess'
            : undefined;
      return {
        ...(day + month + open === 0 ? {} : { dates: order, doubt }),
        ...(comma + point === 0 ? {} : { numbers: comma > point ? ',' : '.' }),
      };
    });
  }
}

function moreOf(day: number, month: number): DateOrder | undefined {
  if (day === month) return undefined;
  return day > month ? 'day' : 'month';
}
