import type Joi from 'joi';
import type { DisplayPage } from '../../lookup/display-page.ts';
import type { Level } from '../render/levels.ts';

/**
 * The response to a scan of a dynamic QR code: a URL to open, or a display page, or a page whose
 * resolver chooses the URL; and the URLs that visitors with iOS and Android get instead.
 */
export type OnVisit = ({ open: string; page?: DisplayPage } | { page: DisplayPage }) & {
  ios?: string | undefined;
  android?: string | undefined;
};

/**
 * A type of content, completely defined by one file. The body field with the content has the type's
 * name.
 */
export interface ContentType<Content = never> {
  readonly name: string;
  /** Description in the API reference. */
  readonly description: string;
  /** The level of error correction that the standard of the type requires of static codes. */
  readonly level?: Level;
  /** Reason why a static code cannot hold the content, as the end of "static must be false …: ". */
  readonly whyDynamic?: string;
  /** Schema of the content in a body; its result is stored and passed to the functions below. */
  readonly schema: Joi.Schema;
  /**
   * Returns the short link of a dynamic code, if the standard of the type defines it.
   *
   * @returns its key, and the percent-encoded path and query with their leading slash
   */
  shortPath?(content: Content): { key: string; target: string };
  /** Returns the exact text of a static code. */
  encode(content: Content): string;
  /**
   * Returns the response to a scan of a dynamic QR code.
   *
   * @param useDisplayPage for phone, email and sms: a page with buttons instead of opening the app
   *   at once
   */
  onVisit(content: Content, options: { useDisplayPage: boolean }): OnVisit;
}
