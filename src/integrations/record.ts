import { config } from '../config.ts';
import { Joi, nullable, nullableTime, oneOf, requiredText, requiredTime } from '../http/fields.ts';
import { INTEGRATION_TYPES, type Integration } from './model.ts';

/** Builds the public record of a connection. */
export function toIntegration(row: Integration) {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    url: `${config().BASE_URL}/integrations/${row.type}/${row.id}`,
    lastDeliveryAt: row.last_delivery_at?.toISOString() ?? null,
    lastRefusedAt: row.last_refused_at?.toISOString() ?? null,
    lastRefusal: row.last_refusal,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

export type IntegrationRecord = ReturnType<typeof toIntegration>;

/** Schema of the record of a connection, for the reference and for checking answers. */
export const integrationRecord = Joi.object({
  id: requiredText.description('Id of the connection.').example('int_2Kd8vQ1mZx'),
  type: oneOf(INTEGRATION_TYPES).required().description('Payment processor.'),
  name: requiredText.description('Name.').example('Shop'),
  url: requiredText
    .description('URL to which the payment processor sends its webhooks.')
    .example('https://api.example.com/integrations/stripe/int_2Kd8vQ1mZx'),
  lastDeliveryAt: nullableTime.description('Time of the last accepted delivery, to the minute.'),
  lastRefusedAt: nullableTime.description('Time of the last refusal, to the minute.'),
  lastRefusal: nullable.description('Reason of the last refusal.'),
  createdAt: requiredTime.description('Time of creation.'),
  updatedAt: requiredTime.description('Time of the last change.'),
}).meta({ name: 'Integration' });
