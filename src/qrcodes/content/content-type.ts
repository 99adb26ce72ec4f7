import type Joi from 'joi';
import type { DisplayPage } from '../../lookup/entry.ts';

/** What somebody gets who scans a dynamic code: an address that is opened, or a page of ours. */
export type OnVisit = { open: string } | { page: DisplayPage };

/**
 * A type of content: all there is to know of it in one file. The body field that holds the content has the
 * type's name.
 */
export interface ContentType<Content = never> {
  readonly name: string;
  /** What it is, for the reference. */
  readonly description: string;
  /** Checks the content as it comes in a body; what it returns is stored, and given to the functions below. */
  readonly schema: Joi.Schema;
  /** The exact text that a static code holds. */
  encode(content: Content): string;
  /**
   * What a dynamic code leads to.
   *
   * @param useDisplayPage of phone, email and sms: a page with buttons, rather than straight into the app
   */
  onVisit(content: Content, options: { useDisplayPage: boolean }): OnVisit;
}
