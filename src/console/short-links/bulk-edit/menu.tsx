import {
  CalendarX2,
  Download,
  Ellipsis,
  Globe,
  type LucideIcon,
  Megaphone,
  Replace,
} from 'lucide-react';
import { Suspense, useCallback, useState } from 'react';
import { answer } from '../../api/client.ts';
import type { Call } from '../../app/changes.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { lazyPart, usePreload } from '../../ui/lazy-part.tsx';
import { Menu } from '../../ui/menu.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';
import { BarLabel } from '../bar-label.tsx';
import type { EditedKind } from './changes.ts';
import type { BulkEditName } from './form.ts';

const BulkEditDialog = lazyPart(() => import('./dialog.tsx'), 'BulkEditDialog');
const PARTS = [BulkEditDialog];

interface MoreActionsProps {
  kind: EditedKind;
  /** Ids of the selected records. */
  ids: readonly string[];
  /** True if the person can change them. */
  mayWrite: boolean;
}

/** The menu of further actions on the selected records, with its dialogs. */
export function MoreActions({ kind, ids, mayWrite }: MoreActionsProps) {
  const { api, slug } = useWorkspace();
  const [isSaving, run] = useAction();
  const [edit, setEdit] = useState<{ name: BulkEditName; ids: readonly string[] }>();
  const close = useCallback(() => setEdit(undefined), []);
  usePreload(PARTS);
  const save = (format: 'csv' | 'ndjson') =>
    run(async () => {
      const send = api.POST as unknown as Call;
      const init = { params: {}, body: { ids, format }, parseAs: 'blob' };
      const file = (await answer(send(`/${kind.list}/export`, init))) as Blob;
      saveFile(file, `${slug} ${kind.list}.${format}`);
    });
  const item = (name: BulkEditName, label: string, icon: LucideIcon) =>
    mayWrite && { label, icon, onSelect: () => setEdit({ name, ids }) };
  return (
    <>
      <Menu
        label="More actions"
        button={{
          icon: Ellipsis,
          children: <BarLabel>More</BarLabel>,
          'aria-busy': isSaving || undefined,
        }}
        items={[
          item('utm', 'UTM parameters', Megaphone),
          item('expiration', 'Expiration', CalendarX2),
          kind.list === 'links' && item('domain', 'Domain', Globe),
          item('replace', 'Find and replace', Replace),
          { label: 'Export as CSV', icon: Download, onSelect: () => save('csv') },
          { label: 'Export as JSON lines', icon: Download, onSelect: () => save('ndjson') },
        ]}
      />
      {edit !== undefined && (
        <Suspense>
          <BulkEditDialog kind={kind} name={edit.name} ids={edit.ids} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
