import { useQuery } from '@tanstack/react-query';
import { AnalyticsSummary } from '../../analytics/summary.tsx';
import { useWorkspace } from '../../app/workspace.tsx';
import { PreviewCard } from '../../short-links/preview.tsx';
import { slugQuery } from '../../short-links/queries.ts';
import { TYPING_MS } from '../../short-links/short-link-field.tsx';
import { Time } from '../../ui/time.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Link } from '../kind.ts';
import type { Draft } from './draft.ts';
import { LinkQrCode, QrPicture } from './qr-code.tsx';

/** The column beside the form: the QR code, the link preview and the statistics of the link. */
export function Aside({ draft, link }: { draft: Draft; link: Link | undefined }) {
  return (
    <aside aria-label="Preview" className="flex flex-col gap-4 self-start lg:sticky lg:top-0">
      <section>
        <h3 className="mb-1.5 font-medium">QR code</h3>
        {link === undefined ? <NewQrCode draft={draft} /> : <LinkQrCode link={link} />}
      </section>
      <section>
        <h3 className="mb-1.5 font-medium">Link preview</h3>
        <PreviewCard draft={draft} url={draft.url} />
      </section>
      {link !== undefined && (
        <dl className="grid grid-cols-2 gap-y-1 text-muted [&_dd]:text-right [&_dd]:text-ink">
          <dt>Clicks</dt>
          <dd>{link.clicks.toLocaleString()}</dd>
          {link.importedClicks > 0 && (
            <>
              <dt>Clicks before the import</dt>
              <dd>{link.importedClicks.toLocaleString()}</dd>
            </>
          )}
          <dt>Leads</dt>
          <dd>{link.leads.toLocaleString()}</dd>
          <dt>Sales</dt>
          <dd>{link.sales.toLocaleString()}</dd>
          <dt>Last click</dt>
          <dd>{link.lastClicked === null ? 'never' : <Time at={link.lastClicked} />}</dd>
          <dt>Created</dt>
          <dd>
            <Time at={link.createdAt} />
          </dd>
        </dl>
      )}
      {link !== undefined && <AnalyticsSummary of={{ linkId: link.id }} />}
    </aside>
  );
}

/** The QR code of a new link, shown once its slug is known. */
function NewQrCode({ draft }: { draft: Draft }) {
  const { api } = useWorkspace();
  const key = useDebounced(draft.key.trim(), TYPING_MS);
  const { data } = useQuery({
    ...slugQuery(api, { domain: draft.domain, key }),
    enabled: key !== '',
  });
  if (data?.available !== true || data.key !== draft.key.trim()) {
    return (
      <p className="rounded-lg border border-dashed border-line p-4 text-muted">
        Enter a slug to see the QR code. With a random slug, it appears when you create the link.
      </p>
    );
  }
  return <QrPicture address={data.qrCode} of={`${data.domain}/${data.key}`} />;
}
