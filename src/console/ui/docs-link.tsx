/**
 * A link to a page of the guide.
 *
 * @param guide page and optional anchor, such as `webhooks` or `workspaces#api-keys`
 */
export function DocsLink({ guide, children }: { guide: string; children: string }) {
  return (
    <a
      href={`/docs/${guide}`}
      target="_blank"
      rel="noreferrer"
      className="text-accent-text underline underline-offset-2"
    >
      {children}
    </a>
  );
}
