import { config } from '../src/config.ts';
import { trackLead, trackSale } from '../src/conversions/commands.ts';
import { deleteCustomer, updateCustomer } from '../src/customers/commands.ts';
import { createDomain, deleteDomain, updateDomain, verifyDomain } from '../src/domains/commands.ts';
import { createFolder, deleteFolder, updateFolder } from '../src/folders/commands.ts';
import { db } from '../src/infra/db.ts';
import { createLink, deleteLink, fillLink, updateLink, upsertLink } from '../src/links/commands.ts';
import { createPage, deletePage, updatePage } from '../src/pages/commands.ts';
import { createQrCode, deleteQrCode, fillQrCode, updateQrCode } from '../src/qrcodes/commands.ts';
import { serve } from '../src/queues/queue.ts';
import { writes } from '../src/queues/writes.ts';
import { createTag, deleteTag, updateTag } from '../src/tags/commands.ts';
import { deleteTemplate } from '../src/templates/commands.ts';
import {
  createWebhook,
  deleteWebhook,
  resendDeliveries,
  resendDelivery,
  rotateSecret,
  testWebhook,
  updateWebhook,
} from '../src/webhooks/commands.ts';
import { touchApiKey } from '../src/workspaces/commands.ts';

export default () =>
  serve(
    writes,
    {
      'link.create': createLink,
      'link.upsert': upsertLink,
      'link.update': updateLink,
      'link.fill': fillLink,
      'link.delete': deleteLink,
      'qrcode.create': createQrCode,
      'qrcode.update': updateQrCode,
      'qrcode.fill': fillQrCode,
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
      'webhook.create': createWebhook,
      'webhook.update': updateWebhook,
      'webhook.delete': deleteWebhook,
      'webhook.rotate': rotateSecret,
      'webhook.test': testWebhook,
      'webhook.resend': resendDelivery,
      'webhook.resendAll': resendDeliveries,
      'apiKey.used': async ({ apiKeyId, at }, { projectId }) => {
        await touchApiKey(db(), projectId, apiKeyId, at);
        return undefined;
      },
    },
    { concurrency: config().WRITES_CONCURRENCY },
  );
