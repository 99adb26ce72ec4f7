import { Joi, nameText, oneOf, paging, text } from '../http/fields.ts';
import type { Paging } from '../workspaces/lists.ts';
import { INTEGRATION_TYPES, type IntegrationType } from './model.ts';

/** Body of a new connection. */
export interface NewIntegration {
  type: IntegrationType;
  name: string;
  secret: string;
}

/** Body of an update, with the fields to change. */
export interface IntegrationChanges {
  name?: string;
  secret?: string;
}

const fields = {
  name: nameText(100).description('Name, at most 100 characters.').example('Shop'),
  secret: text(200)
    .trim()
    .description(
      'Secret with which deliveries are signed: the signing secret of the endpoint in Stripe ' +
        '(`whsec_…`), or the signing key of webhooks in Shopify. No response has it.',
    )
    .example('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
};

export const newIntegrationBody = Joi.object<NewIntegration>({
  type: oneOf(INTEGRATION_TYPES).required().description('Payment processor.'),
  name: fields.name.required(),
  secret: fields.secret.required(),
}).meta({ name: 'NewIntegration' });

export const integrationBody = Joi.object<IntegrationChanges>({
  name: fields.name,
  secret: fields.secret.description(
    'New secret with which deliveries are signed. The previous one is accepted for a day more.',
  ),
})
  .or('name', 'secret')
  .meta({ name: 'IntegrationUpdate' });

export const integrationListQuery = Joi.object<Paging>(paging(100));
export const integrationParams = Joi.object<{ id: string }>({
  id: text(60).required().description('Id of the connection.'),
});
