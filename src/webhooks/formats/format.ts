import type { WebhookKind } from '../kinds.ts';

/** A webhook event, as the payload of its delivery holds it. */
export interface Envelope {
  type: WebhookKind;
  /** Time in ISO 8601. */
  timestamp: string;
  sequence: number | null;
  data: Record<string, unknown>;
}

/** A delivery, as formats need it. */
export interface Rendered {
  /** Id of the delivery. */
  id: string;
  webhookId: string;
  /** The link or QR code of the event. */
  recordId: string | null;
  /** The stored payload: an {@link Envelope} in JSON. */
  payload: string;
}

/** A format of requests. */
export interface Format {
  /** Value of the header `content-type`. */
  contentType: string;
  /**
   * True for a message that people read. Such receivers accept few requests a second: they get one at
   * a time, unsigned, and a pause when they answer 429.
   */
  isChat: boolean;
  /** Builds the body of the request, in JSON. */
  bodyOf(delivery: Rendered): string;
}

/** Reads the payload of a delivery. */
export const envelopeOf = ({ payload }: Pick<Rendered, 'payload'>): Envelope =>
  JSON.parse(payload) as Envelope;
