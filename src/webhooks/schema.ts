import { bodyFlag, dateTime, Joi, list, paging, queryList, text } from '../infra/fields.ts';
import { FetchRefused, readUrl } from '../infra/guarded-fetch.ts';
import { WEBHOOK_KINDS, type WebhookKind } from './kinds.ts';
import { DELIVERY_STATES, type DeliveryState } from './model.ts';
import { isSecret } from './sign.ts';

/** What a caller says of a webhook; on an update, what they change. */
export interface WebhookBody {
  name?: string;
  url?: string;
  kinds?: WebhookKind[];
  enabled?: boolean;
}

export type NewWebhook = Required<Omit<WebhookBody, 'enabled'>> & { secret?: string };

const kind = Joi.string().valid(...WEBHOOK_KINDS);

const fields = {
  name: text(100),
  url: text(2_000)
    .custom((value: string, { error }) => {
      try {
        return readUrl(value).href;
      } catch (refused) {
        if (!(refused instanceof FetchRefused)) throw refused;
        return error('rule', { rule: `can't be used: ${refused.message}` });
      }
    })
    .description('Where deliveries are sent: a public http or https address.'),
  kinds: list(kind as never)
    .min(1)
    .description(
      'What it is told of. Visits (`link.clicked`, `qrcode.scanned`) go to the webhooks that the link or QR code ' +
        'names in `webhookIds`, whatever stands here.',
    ),
};

export const newWebhookBody = Joi.object<NewWebhook>({
  name: fields.name.required(),
  url: fields.url.required(),
  kinds: fields.kinds.required(),
  secret: text(200)
    .custom((value: string, { error }) =>
      isSecret(value)
        ? value
        : error('rule', { rule: 'must be whsec_ and the base64 of 24 to 64 bytes' }),
    )
    .description('By which deliveries are signed; one is made where it is absent.'),
});

export const webhookBody = Joi.object<WebhookBody>({
  ...fields,
  enabled: bodyFlag().description(
    'false holds deliveries back; true sends again, from the next one on.',
  ),
});

export interface DeliveryFilters {
  state?: DeliveryState[];
  kind?: WebhookKind[];
  recordId?: string;
  since?: string;
  until?: string;
}

export type DeliveryQuery = DeliveryFilters & { page: number; pageSize: number };

export const deliveryQuery = Joi.object<DeliveryQuery>({
  state: queryList(Joi.string().valid(...DELIVERY_STATES) as never),
  kind: queryList(kind as never),
  recordId: text(60).description('Of this link or QR code.'),
  since: dateTime(),
  until: dateTime(),
  ...paging(100),
});

export interface ResendBody {
  since: string;
  until?: string;
  undeliveredOnly: boolean;
}

export const resendBody = Joi.object<ResendBody>({
  since: dateTime().required().description('Everything made from then on is sent again.'),
  until: dateTime().description('And before then.'),
  undeliveredOnly: bodyFlag()
    .default(false)
    .description('true: without what was delivered already.'),
});

export const testBody = Joi.object<{ kind: WebhookKind }>({
  kind: kind.default('link.created').description('Which kind the example is of.'),
});

export const webhookListQuery = Joi.object<{ page: number; pageSize: number }>(paging(100));
export const webhookParams = Joi.object<{ id: string }>({ id: text(60).required() });
export const deliveryParams = Joi.object<{ id: string; deliveryId: string }>({
  id: text(60).required(),
  deliveryId: text(60).required(),
});
