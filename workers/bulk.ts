import { writeExport, writeWorkspaceExport } from '../src/exports/commands.ts';
import { createImport } from '../src/imports/commands.ts';
import { fetchImports } from '../src/imports/fetch.ts';
import { runImport } from '../src/imports/run.ts';
import { createLinks, deleteLinks, updateLinks } from '../src/links/commands.ts';
import { createQrCodes, deleteQrCodes, updateQrCodes } from '../src/qrcodes/commands.ts';
import { bulk } from '../src/queues/bulk.ts';
import { serve } from '../src/queues/worker.ts';

export default () =>
  serve(bulk, {
    'links.create': createLinks,
    'links.update': updateLinks,
    'links.delete': deleteLinks,
    'qrcodes.create': createQrCodes,
    'qrcodes.update': updateQrCodes,
    'qrcodes.delete': deleteQrCodes,
    'export.write': writeExport,
    'export.workspace': writeWorkspaceExport,
    'import.create': createImport,
    'import.fetch': fetchImports,
    'import.run': runImport,
  });
