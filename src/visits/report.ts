/** Categories of reports. */
export const REPORT_CATEGORIES = ['phishing', 'malware', 'spam', 'illegal', 'other'] as const;
export type ReportCategory = (typeof REPORT_CATEGORIES)[number];

/** A report about a short link, as a visitor sent it. */
export interface SentReport {
  id: string;
  /** Time of the report, milliseconds since 1970. */
  at: number;
  projectId: string;
  /** The link or QR code. */
  recordId: string;
  shortLink: string;
  category: ReportCategory;
  comment: string;
  email?: string | undefined;
  ip: string;
}
