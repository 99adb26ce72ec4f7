import type { DomainChecks } from '../domains/check-record.ts';
import type { CheckedDomain } from '../domains/checks.ts';
import type { HandedOver } from '../infra/kept.ts';
import type { RecordKind } from '../short-links/model.ts';
import { defineQueue, type Job } from './definition.ts';

/**
 * Questions about pages of the web, which only a look at them can answer. The id of a job that reads a page is the
 * page's name, so that one that is being read is not read twice.
 */
export const metatags = defineQueue<{
  /** Which of these addresses may be shown in a frame of ours. */
  'pages.framing': Job<{ urls: string[] }, string[]>;
  /** Reads the metadata of a page into the cache. */
  'page.read': Job<{ url: string }, HandedOver | undefined>;
  /** Checks DNS records, server and certificate of a domain. */
  'domain.check': Job<CheckedDomain, DomainChecks>;
  /** A record's card is to be filled with what its destination says. */
  'record.preview': Job<{ of: RecordKind; id: string; url: string }, undefined>;
}>('metatags', { attempts: 2, keepFailed: false });
