interface Named {
  domain: string;
  /** Absent for a static QR code. */
  shortLink?: string | null | undefined;
}

/** Returns the domain of a record, with the port of its short link, as on a developer’s machine. */
export function shownHost({ domain, shortLink }: Named): string {
  const port = /^https?:\/\/[^/:]+(:\d+)/.exec(shortLink ?? '')?.[1] ?? '';
  return domain + port;
}
