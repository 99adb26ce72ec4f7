import {
  bodyFlag,
  dateTime,
  Joi,
  list,
  nameText,
  paging,
  queryList,
  text,
} from '../http/fields.ts';
import { FetchRefused } from '../infra/fetch-refused.ts';
import { readUrl } from '../infra/outbound-addresses.ts';
import type { Paging } from '../workspaces/lists.ts';
import { type CredentialFields, credentialFields } from './credentials.ts';
import { FILTER_MEANING, type WebhookFilter, webhookFilter } from './filter.ts';
import type { FormatName } from './formats/index.ts';
import { isVisitKind, WEBHOOK_KINDS, type WebhookKind } from './kinds.ts';
import { DELIVERY_STATES, type DeliveryState } from './model.ts';
import { webhookFormat } from './record.ts';
import { type ScopeFields, scopeFields } from './scope.ts';
import { isSecret } from './sign.ts';

/** The body of an update, with the fields to change. */
export interface WebhookBody extends ScopeFields, CredentialFields {
  name?: string;
  url?: string;
  kinds?: WebhookKind[];
  filter?: WebhookFilter | null;
  format?: FormatName;
  enabled?: boolean;
}

export type NewWebhook = Required<Pick<WebhookBody, 'name' | 'url' | 'kinds'>> &
  Pick<WebhookBody, 'filter' | 'format'> &
  ScopeFields &
  CredentialFields & { secret?: string };

/** A body whose credentials are sealed, for its job. */
export type Sealed<Body extends CredentialFields> = Omit<Body, keyof CredentialFields> & {
  credentials?: string | undefined;
};

const kind = Joi.string()
  .valid(...WEBHOOK_KINDS)
  .meta({ name: 'WebhookKind' });

const VISITS = WEBHOOK_KINDS.filter(isVisitKind)
  .map((name) => `\`${name}\``)
  .join(', ');

const fields = {
  name: nameText(100).description('Name, at most 100 characters.').example('Shop'),
  url: text(2_000)
    .custom((value: string, { error }) => {
      try {
        return readUrl(value).href;
      } catch (refused) {
        if (!(refused instanceof FetchRefused)) throw refused;
        return error('rule', { rule: refused.message });
      }
    })
    .description('URL that receives deliveries: public, http or https, at most 2,000 characters.')
    .example('https://shop.example.com/hooks'),
  kinds: list(kind as never)
    .min(1)
    .description(
      `Kinds of events that it receives. With the scope \`links\`, visits (${VISITS}) are sent to ` +
        'the webhooks that the link or QR code names in `webhookIds`, whatever the kinds.',
    ),
  ...scopeFields,
  filter: webhookFilter.description(FILTER_MEANING),
  format: webhookFormat,
  ...credentialFields,
};

export const newWebhookBody = Joi.object<NewWebhook>({
  ...fields,
  name: fields.name.required(),
  url: fields.url.required(),
  kinds: fields.kinds.required(),
  secret: text(200)
    .custom((value: string, { error }) =>
      isSecret(value)
        ? value
        : error('rule', { rule: 'must be whsec_ and the base64 of 24 to 64 bytes' }),
    )
    .description('Secret: `whsec_` and the base64 of 24 to 64 bytes. Default: a random one.'),
}).meta({ name: 'NewWebhook' });

export const webhookBody = Joi.object<WebhookBody>({
  ...fields,
  enabled: bodyFlag().description('false pauses deliveries; true resumes with the next one.'),
}).meta({ name: 'WebhookUpdate' });

export interface DeliveryFilters {
  state?: DeliveryState[];
  kind?: WebhookKind[];
  recordId?: string;
  since?: string;
  until?: string;
}

export type DeliveryQuery = DeliveryFilters & Paging;

export const deliveryQuery = Joi.object<DeliveryQuery>({
  state: queryList(Joi.string().valid(...DELIVERY_STATES) as never).description(
    'Only deliveries in these states.',
  ),
  kind: queryList(kind as never).description('Only deliveries of these kinds.'),
  recordId: text(60).description('Only deliveries about this link or QR code.'),
  since: dateTime().description('Only deliveries created at this time or later.'),
  until: dateTime().description('Only deliveries created before this time.'),
  ...paging(100),
});

export interface ResendBody {
  since: string;
  until?: string;
  undeliveredOnly: boolean;
}

export const resendBody = Joi.object<ResendBody>({
  since: dateTime().required().description('Resends deliveries created at this time or later.'),
  until: dateTime().description('Resends deliveries created before this time.'),
  undeliveredOnly: bodyFlag()
    .default(false)
    .description('true: only deliveries that have not succeeded.'),
}).meta({ name: 'ResendRequest' });

export const testBody = Joi.object<{ kind: WebhookKind }>({
  kind: kind.default('link.created').description('Kind of the example.'),
}).meta({ name: 'TestRequest' });

export const webhookListQuery = Joi.object<Paging>(paging(100));
export const webhookParams = Joi.object<{ id: string }>({
  id: text(60).required().description('Id of the webhook.'),
});
export const deliveryParams = Joi.object<{ id: string; deliveryId: string }>({
  id: text(60).required().description('Id of the webhook.'),
  deliveryId: text(60).required().description('Id of the delivery.'),
});
