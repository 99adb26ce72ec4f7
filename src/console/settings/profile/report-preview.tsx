import { useQuery } from '@tanstack/react-query';
import { download, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';

type Choice = Pick<NonNullable<Schemas['Notifications']['report']>, 'every' | 'timezone'>;

/** A preview of the open workspace's latest report, as sent by email. */
export function ReportPreview({ choice, onClose }: { choice: Choice; onClose(): void }) {
  const { slug } = useWorkspace();
  const mail = useQuery({
    queryKey: keys.reports.list(choice),
    queryFn: async ({ signal }) => {
      const file = await download(slug, `/report/mail?${new URLSearchParams(choice)}`, signal);
      return file.text();
    },
  });
  return (
    <Dialog title="Preview of the report" onClose={onClose}>
      <Loaded query={mail} skeleton="h-[60dvh] w-full">
        {(html) => <Mail html={html} />}
      </Loaded>
    </Dialog>
  );
}

/**
 * Attribute that replaces `style`: the Content-Security-Policy forbids inline styles, which emails
 * need, but a script can set them.
 */
const STYLE = 'data-style';

function Mail({ html }: { html: string }) {
  return (
    <iframe
      title="Email"
      // The sandbox blocks scripts and navigation in the report.
      sandbox="allow-same-origin"
      srcDoc={html.replaceAll(' style="', ` ${STYLE}="`)}
      onLoad={({ currentTarget: { contentDocument } }) => {
        for (const element of contentDocument?.querySelectorAll<HTMLElement>(`[${STYLE}]`) ?? []) {
          element.style.cssText = element.getAttribute(STYLE)!;
        }
      }}
      className="h-[60dvh] w-full max-md:h-[80dvh] rounded-lg border border-line bg-white"
    />
  );
}
