import { queryOptions } from '@tanstack/react-query';
import { FORMATS, type Format } from '../../qrcodes/render/design.ts';
import type { FileNames } from '../../qrcodes/render/file-name.ts';
import { LABEL_SHEETS, PAPERS, type SheetPaper } from '../../qrcodes/render/sheet-layout.ts';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Refetch interval while a worker draws, in ms. */
const REFRESH_MS = 700;

type Export = Schemas['Export'];

/** True while images are drawn. */
export const isDrawing = ({ state }: Export): boolean => state === 'queued' || state === 'running';

/** Query options of an export of images, which follow its progress. */
export const exportQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: keys.exports.one(id),
    queryFn: ({ signal }) =>
      answer(api.GET('/exports/{id}/progress', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isDrawing(data) ? REFRESH_MS : false,
  });

/** Choices of an export of images. */
export interface ImagesChoice {
  format: Format | 'sheet';
  /** Width in px; `NaN` while the field is empty. */
  size: number;
  fileNames: FileNames;
  paper: SheetPaper;
  caption: keyof typeof CAPTIONS;
  /** Name of a family, or id of a font of the workspace. */
  captionFont: string;
}

/** The first choices. */
export const NEW_IMAGES: ImagesChoice = {
  format: 'png',
  size: 1024,
  fileNames: 'title',
  paper: 'A4',
  caption: 'title',
  captionFont: 'Inter',
};

/** Labels of the texts under the codes of a sheet. */
export const CAPTIONS = {
  title: 'Title or short link',
  shortLink: 'Short link',
  content: 'Content of the code',
  none: 'Nothing',
} as const;

/** Labels of the fields that name files. */
export const FILE_NAME_LABELS: Readonly<Record<FileNames, string>> = {
  title: 'Title, or slug',
  key: 'Slug',
  externalId: 'External ID, or slug',
  id: 'ID of the code',
};

/** Labels of the formats. */
export const FORMAT_OPTIONS: [Format | 'sheet', string][] = [
  ...FORMATS.map((name): [Format, string] => [name, `${name.toUpperCase()} images (ZIP)`]),
  ['sheet', 'Printable sheet (PDF)'],
];

/** Names of papers and sheets of labels. */
export const PAPER_OPTIONS = [...Object.keys(PAPERS), ...Object.keys(LABEL_SHEETS)].map(
  (name) => [name, name] as const,
);

/** Builds the body that requests the images. */
export function bodyOf(
  { format, size, fileNames, paper, caption, captionFont }: ImagesChoice,
  selection:
    | { filter: string }
    | { qrcodeIds: string[] }
    | { linkFilter: string }
    | { linkIds: string[] },
): Schemas['NewExport'] {
  const options =
    format === 'sheet'
      ? { format, sheet: { paper, caption, captionFont } }
      : { format, fileNames, ...(!Number.isNaN(size) && { size }) };
  return { type: 'qrcodes', ...options, ...selection };
}
