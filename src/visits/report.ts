/** Categories of reports. */
export const REPORT_CATEGORIES = ['phishing', 'malware', 'spam', 'illegal', 'other'] as const;
export type ReportCategory = (typeof REPORT_CATEGORIES)[number];

/** A visitor's report of a short link. */
export interface SentReport {
  id: string;
  /** Time of the report, in ms since 1970. */
  at: number;
  projectId: string;
  /** Id of the link or QR code. */
  recordId: string;
  shortLink: string;
  category: ReportCategory;
  comment: string;
  email?: string | undefined;
  ip: string;
}
