import { config } from '../src/config.ts';
import { trackLead, trackSale } from '../src/conversions/commands.ts';
import { deleteCustomer, updateCustomer } from '../src/customers/commands.ts';
import { createDomain, deleteDomain, updateDomain, verifyDomain } from '../src/domains/commands.ts';
import { createFolder, deleteFolder, updateFolder } from '../src/folders/commands.ts';
import { db } from '../src/infra/db.ts';
import { createLink, deleteLink, updateLink, upsertLink } from '../src/links/commands.ts';
import { createPage, deletePage, updatePage } from '../src/pages/commands.ts';
import { createQrCode, deleteQrCode, updateQrCode } from '../src/qrcodes/commands.ts';
import { serve } from '../src/queues/queue.ts';
import { writes } from '../src/queues/writes.ts';
import { createTag, deleteTag, updateTag } from '../src/tags/commands.ts';
import { deleteTemplate } from '../src/templates/commands.ts';
import { touchApiKey } from '../src/workspaces/commands.ts';

export default () =>
  serve(
    writes,
    {
      'link.create': createLink,
      'link.upsert': upsertLink,
      'link.update': updateLink,
      'link.delete': deleteLink,
      'qrcode.create': createQrCode,
      'qrcode.update': updateQrCode,
      'qrcode.delete': deleteQrCode,
      'template.delete': deleteTemplate,
      'tag.create': createTag,
      'tag.update': updateTag,
      'tag.delete': deleteTag,
      'folder.create': createFolder,
      'folder.update': updateFolder,
      'folder.delete': deleteFolder,
      'page.create': createPage,
      'page.update': updatePage,
      'page.delete': deletePage,
      'domain.create': createDomain,
      'domain.update': updateDomain,
      'domain.verify': verifyDomain,
      'domain.delete': deleteDomain,
      'lead.track': trackLead,
      'sale.track': trackSale,
      'customer.update': updateCustomer,
      'customer.delete': deleteCustomer,
      'apiKey.used': async ({ apiKeyId, at }, { projectId }) => {
        await touchApiKey(db(), projectId, apiKeyId, at);
        return undefined;
      },
    },
    { concurrency: config().WRITES_CONCURRENCY },
  );
