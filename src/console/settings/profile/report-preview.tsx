import { useQuery } from '@tanstack/react-query';
import { download, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';

type Choice = Pick<NonNullable<Schemas['Notifications']['report']>, 'every' | 'timezone'>;

/** The latest report of the workspace that is open, as it comes by email. */
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
      {mail.isPending && <Skeleton className="h-[60dvh] w-full" />}
      {mail.error && <Failure error={mail.error} retry={() => void mail.refetch()} />}
      {mail.data !== undefined && <Mail html={mail.data} />}
    </Dialog>
  );
}

/** Our policy allows no styles in a document, which mails need, but those that a script sets. */
const STYLE = 'data-style';

function Mail({ html }: { html: string }) {
  return (
    <iframe
      title="Email"
      // Nothing in it runs, and no address in it opens.
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
