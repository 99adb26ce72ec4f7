import { answerReport } from '../src/admin/abuse-reports.ts';
import { blockHost, unblockHost } from '../src/admin/blocked-hosts.ts';
import { unblockLink } from '../src/admin/blocked-links.ts';
import { trackLead, trackSale } from '../src/conversions/commands.ts';
import { deleteCustomer, updateCustomer } from '../src/customers/commands.ts';
import { createDomain, deleteDomain, updateDomain, verifyDomain } from '../src/domains/commands.ts';
import { createFolder, deleteFolder, updateFolder } from '../src/folders/commands.ts';
import { cancelImport, startImport, undoImport, updateImport } from '../src/imports/commands.ts';
import { db } from '../src/infra/db.ts';
import {
  acceptInvitation,
  createInvitation,
  deleteInvitation,
} from '../src/invitations/commands.ts';
import { createKey, revokeKey, rotateKey, updateKey } from '../src/keys/commands.ts';
import { createLink, deleteLink, fillLink, updateLink, upsertLink } from '../src/links/commands.ts';
import {
  createUtmTemplate,
  deleteUtmTemplate,
  updateUtmTemplate,
} from '../src/links/utm-templates/commands.ts';
import { changeNotifications, unsubscribe } from '../src/mail/preferences.ts';
import { removeMember, updateMember } from '../src/members/commands.ts';
import { createPage, deletePage, updatePage } from '../src/pages/commands.ts';
import { createQrCode, deleteQrCode, fillQrCode, updateQrCode } from '../src/qrcodes/commands.ts';
import { deleteTemplate } from '../src/qrcodes/templates/commands.ts';
import { serve } from '../src/queues/worker.ts';
import { writes } from '../src/queues/writes.ts';
import { changeSettings } from '../src/settings/commands.ts';
import { announceLimit } from '../src/settings/limits.ts';
import { createTag, deleteTag, updateTag } from '../src/tags/commands.ts';
import {
  endOtherSessions,
  endOwnSession,
  endSession,
  signIn,
  signInByLink,
  touchSession,
  updateUser,
} from '../src/users/commands.ts';
import { signInByIdentity } from '../src/users/identities.ts';
import { createOwnWorkspace } from '../src/users/workspaces.ts';
import { createView, deleteView, updateView } from '../src/views/commands.ts';
import {
  createWebhook,
  deleteWebhook,
  resendDeliveries,
  resendDelivery,
  rotateSecret,
  testWebhook,
  updateWebhook,
} from '../src/webhooks/commands.ts';
import { touchApiKey } from '../src/workspaces/api-keys.ts';

export default () =>
  serve(writes, {
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
    'utmTemplate.create': createUtmTemplate,
    'utmTemplate.update': updateUtmTemplate,
    'utmTemplate.delete': deleteUtmTemplate,
    'view.create': createView,
    'view.update': updateView,
    'view.delete': deleteView,
    'page.create': createPage,
    'page.update': updatePage,
    'page.delete': deletePage,
    'domain.create': createDomain,
    'domain.update': updateDomain,
    'domain.verify': verifyDomain,
    'domain.delete': deleteDomain,
    'import.update': updateImport,
    'import.start': startImport,
    'import.cancel': cancelImport,
    'import.undo': undoImport,
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
    'workspace.update': changeSettings,
    'member.update': updateMember,
    'member.remove': removeMember,
    'invitation.create': createInvitation,
    'invitation.delete': deleteInvitation,
    'invitation.accept': acceptInvitation,
    'apiKey.create': createKey,
    'apiKey.update': updateKey,
    'apiKey.rotate': rotateKey,
    'apiKey.revoke': revokeKey,
    'apiKey.used': async ({ apiKeyId, at }, { projectId }) => {
      await touchApiKey(db(), projectId, apiKeyId, at);
      return undefined;
    },
    'session.create': signIn,
    'session.createByLink': signInByLink,
    'session.createByIdentity': signInByIdentity,
    'session.end': endSession,
    'session.endOwn': endOwnSession,
    'session.endOthers': endOtherSessions,
    'session.used': touchSession,
    'user.update': updateUser,
    'host.block': blockHost,
    'host.unblock': unblockHost,
    'link.unblock': unblockLink,
    'report.answer': answerReport,
    'workspace.create': createOwnWorkspace,
    'notifications.update': changeNotifications,
    'notifications.unsubscribe': unsubscribe,
    'limit.announce': announceLimit,
  });
