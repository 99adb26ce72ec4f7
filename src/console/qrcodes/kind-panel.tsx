import { Switch } from '../ui/field.tsx';
import type { CodeDraft } from './draft.ts';

interface KindProps {
  draft: CodeDraft;
  onChange(change: Partial<CodeDraft>): void;
  isStored: boolean;
}

/** Types that may open a page with buttons, or the app at once. */
const WITH_PAGE = new Set(['phone', 'email', 'sms']);

/** Static or dynamic, and the effect of a scan where there is a choice. */
export function KindPanel({ draft, onChange, isStored }: KindProps) {
  const { isStatic, useDisplayPage } = draft;
  return (
    <>
      <Switch
        label="Static"
        hint={
          isStatic
            ? 'The code holds the content itself: it works without this service, can’t be changed, and scans aren’t counted.'
            : 'The code holds a short link: its content can be changed after printing, and scans are counted.'
        }
        checked={isStatic}
        disabled={isStored}
        onChange={(checked) => onChange({ isStatic: checked })}
      />
      {!isStatic && WITH_PAGE.has(draft.type) && (
        <Switch
          label="Page with buttons"
          hint="Off: a scan opens the app at once."
          checked={useDisplayPage}
          onChange={(checked) => onChange({ useDisplayPage: checked })}
        />
      )}
    </>
  );
}
