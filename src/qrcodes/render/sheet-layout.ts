/*
 * Layouts of codes on pages, for the service and the console. Lengths are in mm. This file imports
 * nothing, because the first view of the console includes it.
 */

/** Paper sizes. */
export const PAPERS = { A4: [210, 297], A5: [148, 210], Letter: [215.9, 279.4] } as const;
export type Paper = keyof typeof PAPERS;

/** Grid of a sheet of labels, without the gaps between labels. */
export interface Labels {
  paper: Paper;
  columns: number;
  rows: number;
  width: number;
  height: number;
  /** Distance of the first label from the upper left corner, and of labels from each other. */
  left: number;
  top: number;
  across: number;
  down: number;
}

/** Dimensions of label sheets as their manufacturer states them. */
export const LABEL_SHEETS = {
  'Avery L7160': {
    paper: 'A4',
    columns: 3,
    rows: 7,
    width: 63.5,
    height: 38.1,
    left: 7.2,
    top: 15.15,
    across: 66.04,
    down: 38.1,
  },
  'Avery L7163': {
    paper: 'A4',
    columns: 2,
    rows: 7,
    width: 99.1,
    height: 38.1,
    left: 4.65,
    top: 15.15,
    across: 101.6,
    down: 38.1,
  },
  'Avery 5160': {
    paper: 'Letter',
    columns: 3,
    rows: 10,
    width: 66.675,
    height: 25.4,
    left: 4.7625,
    top: 12.7,
    across: 69.85,
    down: 25.4,
  },
  'Avery 5163': {
    paper: 'Letter',
    columns: 2,
    rows: 5,
    width: 101.6,
    height: 50.8,
    left: 3.96875,
    top: 12.7,
    across: 106.3625,
    down: 50.8,
  },
} as const satisfies Record<string, Labels>;

/** Name of a paper size or of a sheet of labels. */
export type SheetPaper = Paper | keyof typeof LABEL_SHEETS;

/** Distance of a code from the edges of its label, for printers that feed inexactly. */
const LABEL_INSET_MM = 1.5;
/** Height reserved for the text under a code. */
export const CAPTION_MM = 6;

/** Layout of codes on pages. */
export interface SheetLayout {
  /** A sheet of labels, whose grid takes the place of the margins and gaps. */
  labels?: Labels | undefined;
  paper: Paper;
  columns: number;
  rows: number;
  /** Page margin, and gap between codes. */
  marginMm: number;
  gapMm: number;
  /** True if there is a text under each code. */
  hasCaptions: boolean;
}

/** Returns the layout on a paper; a sheet of labels has its own paper, columns and rows. */
export function layoutOn(
  name: SheetPaper,
  grid: Pick<SheetLayout, 'columns' | 'rows' | 'marginMm' | 'gapMm' | 'hasCaptions'>,
): SheetLayout {
  if (name in PAPERS) return { ...grid, paper: name as Paper };
  const labels = LABEL_SHEETS[name as keyof typeof LABEL_SHEETS];
  const { paper, columns, rows } = labels;
  return { ...grid, labels, paper, columns, rows };
}

/**
 * Calculates the space for one code: its cell, the height left above the caption, the side of the
 * largest square that fits, and the corner of the cell in a column and row.
 */
export function cellOf(layout: SheetLayout) {
  const { labels, paper, columns, rows, marginMm, gapMm, hasCaptions } = layout;
  const captionMm = hasCaptions ? CAPTION_MM : 0;
  if (labels !== undefined) {
    const width = labels.width - 2 * LABEL_INSET_MM;
    const height = labels.height - 2 * LABEL_INSET_MM;
    const room = height - captionMm;
    const left = (column: number) => labels.left + LABEL_INSET_MM + column * labels.across;
    const top = (row: number) => labels.top + LABEL_INSET_MM + row * labels.down;
    return { width, height, room, side: Math.max(0, Math.min(width, room)), left, top };
  }
  const [paperWidth, paperHeight] = PAPERS[paper];
  const width = (paperWidth - 2 * marginMm - (columns - 1) * gapMm) / columns;
  const height = (paperHeight - 2 * marginMm - (rows - 1) * gapMm) / rows;
  const room = height - captionMm;
  const left = (column: number) => marginMm + column * (width + gapMm);
  const top = (row: number) => marginMm + row * (height + gapMm);
  return { width, height, room, side: Math.max(0, Math.min(width, room)), left, top };
}

/** Returns the number of codes on a page. */
export const perPage = ({ columns, rows }: Pick<SheetLayout, 'columns' | 'rows'>): number =>
  columns * rows;

/** Returns the number of pages that the codes need. */
export const pagesOf = (count: number, layout: SheetLayout): number =>
  Math.ceil(count / perPage(layout));
