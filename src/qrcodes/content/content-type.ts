import type Joi from 'joi';
import type { DisplayPage } from '../../lookup/entry.ts';

/** The response to a scan of a dynamic QR code: a URL that is opened, or a display page. */
export type OnVisit = { open: string } | { page: DisplayPage };

/**
 * A type of content: all there is to know of it in one file. The body field that holds the content has the
 * type's name.
 */
export interface ContentType<Content = never> {
  readonly name: string;
  /** Description for the reference. */
  readonly description: string;
  /** Checks the content as it comes in a body; what it returns is stored, and given to the functions below. */
  readonly schema: Joi.Schema;
  /** The exact text that a static code holds. */
  encode(content: Content): string;
  /**
   * The response to a scan of a dynamic QR code.
   *
   * @param useDisplayPage of phone, email and sms: a page with buttons, rather than straight into the app
   */
  onVisit(content: Content, options: { useDisplayPage: boolean }): OnVisit;
}
