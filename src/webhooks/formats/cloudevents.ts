import { config } from '../../config.ts';
import { envelopeOf, type Format } from './format.ts';

/** Digits of `sequence`, so that the order of texts is the order of numbers. */
const SEQUENCE_DIGITS = 16;

/** CloudEvents 1.0.2 in structured mode of the HTTP protocol binding, with the extension `sequence`. */
export const cloudevents: Format = {
  contentType: 'application/cloudevents+json; charset=utf-8',
  isChat: false,
  bodyOf(delivery) {
    const { type, timestamp, sequence, data } = envelopeOf(delivery);
    return JSON.stringify({
      specversion: '1.0',
      id: delivery.id,
      source: `${config().BASE_URL}/webhooks/${delivery.webhookId}`,
      type,
      time: timestamp,
      ...(delivery.recordId === null ? {} : { subject: delivery.recordId }),
      ...(sequence === null ? {} : { sequence: String(sequence).padStart(SEQUENCE_DIGITS, '0') }),
      datacontenttype: 'application/json',
      data,
    });
  },
};
