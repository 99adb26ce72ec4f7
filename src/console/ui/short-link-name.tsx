/** The name of a short link; where there is no room for the whole, its domain is cut first. */
export function ShortLinkName({ domain, slug }: { domain: string; slug: string }) {
  return (
    <span className="flex min-w-0 font-medium">
      <span className="min-w-6 shrink-9999 truncate">{domain}</span>
      <span className="truncate">/{slug}</span>
    </span>
  );
}
