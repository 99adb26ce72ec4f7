import { Page } from '../ui/page.tsx';
import { Folders } from './folders.tsx';
import { Tags } from './tags.tsx';

/** The page for tags and folders, which organize links and QR codes. */
export function LabelsPage() {
  return (
    <Page title="Tags and folders">
      <div className="grid grid-cols-1 gap-6 pb-10 lg:grid-cols-2 lg:gap-0">
        <Tags />
        <Folders />
      </div>
    </Page>
  );
}
