import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import {
  addPage,
  CATALOG,
  crossReference,
  objectParts,
  type Page,
  type PdfObject,
  pageContext,
  pageTree,
  pdfEnd,
} from '../../qrcodes/render/pdf.ts';

/*
 * A PDF file that is written in parts by several jobs. Each part is a node of the page tree with
 * its pages and their objects. Their rows of the cross-reference table, all of one size, are kept
 * with the part; the table, the root of the tree and the catalog follow at the end.
 */

const deflated = promisify(deflate) as (bytes: Uint8Array) => Promise<Uint8Array>;

/** Objects 1 and 2 are the catalog and the root of the page tree. */
const FIRST = 3;
const ROOT = 2;
const ROW_BYTES = crossReference(0).length;

/** Content of a PDF file with the rows of its objects in the cross-reference table. */
export interface PdfPart {
  bytes: Uint8Array[];
  rows: string;
}

/**
 * Formats pages as a part of a file.
 *
 * @param before size of the file and of its rows so far, in bytes
 */
export async function pagesPart(
  pages: readonly Page[],
  before: { bytes: number; rows: number },
): Promise<PdfPart> {
  const node = FIRST + before.rows / ROW_BYTES;
  const objects: PdfObject[] = [''];
  const add = (object: PdfObject): number => node + objects.push(object) - 1;
  const context = pageContext({ parent: node, add, deflate: deflated });
  const kids: number[] = [];
  for (const page of pages) kids.push(await addPage(page, context));
  objects[0] = pageTree(kids, kids.length, ROOT);
  return formatted(objects, node, before.bytes);
}

/**
 * Returns the end of a file.
 *
 * @param rows the rows of each part
 * @param at size of the file so far
 */
export function pagesEnd(rows: readonly string[], pages: number, at: number): Uint8Array[] {
  let next = FIRST;
  const nodes = rows.flatMap((part) => {
    const node = next;
    next += part.length / ROW_BYTES;
    return part === '' ? [] : [node];
  });
  const last = formatted([CATALOG, pageTree(nodes, pages)], 1, at);
  const size = last.bytes.reduce((sum, part) => sum + part.length, at);
  return [...last.bytes, pdfEnd(last.rows + rows.join(''), size)];
}

function formatted(objects: readonly PdfObject[], first: number, at: number): PdfPart {
  const part: PdfPart = { bytes: [], rows: '' };
  let position = at;
  for (const [index, object] of objects.entries()) {
    part.rows += crossReference(position);
    for (const bytes of objectParts(first + index, object)) {
      part.bytes.push(bytes);
      position += bytes.length;
    }
  }
  return part;
}
