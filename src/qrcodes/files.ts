import { id, Joi, requiredText } from '../http/fields.ts';
import { found, type Route, route } from '../http/route.ts';
import { FILE_TYPES } from '../images/file-source.ts';
import { openFile } from './open-file.ts';

/** Chromium shows no PDF in a sandbox; a PDF runs no scripts in the origin of its URL. */
const POLICIES = {
  pdf: "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  image: "default-src 'none'; sandbox",
};

type Params = { projectId: string; id: string; name: string };

/** The endpoint of files that codes open. */
export const fileRoutes: Route[] = [
  route<{ params: Params; query: { download?: '1' } }>({
    method: 'get',
    path: '/files/{projectId}/{id}/{name}',
    operationId: 'downloadFile',
    summary: 'Download the file of a QR code',
    description:
      'Returns the file that a code of type file opens, while the short link of such a code opens it.',
    tag: 'QR codes',
    extension: true,
    scope: 'public',
    params: Joi.object<Params>({
      projectId: id().required().description('Id of the workspace.'),
      id: id().required().description('Id of the file.'),
      name: requiredText.description('Name under which browsers save it.').example('menu.pdf'),
    }),
    query: Joi.object<{ download?: '1' }>({
      download: Joi.string().valid('1').description('`1`: browsers save the file.'),
    }),
    answers: { 200: { media: Object.keys(FILE_TYPES) } },
    async handle({ params: { projectId, id: fileId, name }, query: { download } }) {
      const file = await openFile(projectId, fileId);
      // Browsers save it under this name, which must not make another kind of file of it.
      const isNamed = file !== undefined && name.endsWith(`.${FILE_TYPES[file.type].ending}`);
      const { bytes, type } = found(isNamed ? file : undefined, 'such file');
      return {
        status: 200,
        body: bytes,
        headers: {
          'Content-Type': type,
          'Content-Disposition': download === undefined ? 'inline' : 'attachment',
          'Content-Security-Policy': type === 'application/pdf' ? POLICIES.pdf : POLICIES.image,
          'X-Content-Type-Options': 'nosniff',
          // The file of a code that was blocked or deleted disappears.
          'Cache-Control': 'public, max-age=300',
        },
      };
    },
  }),
];
