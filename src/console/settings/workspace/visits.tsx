import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { SelectField, Switch } from '../../ui/field.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** Selectable time windows in seconds within which a visitor counts once. */
const WINDOWS = [
  { label: 'Every visit', seconds: 0 },
  { label: 'Once a minute', seconds: 60 },
  { label: 'Once an hour', seconds: 3_600 },
  { label: 'Once a day', seconds: 86_400 },
  { label: 'Once a week', seconds: 604_800 },
  { label: 'Once in 31 days', seconds: 2_678_400 },
];

/** The form for the counting of visits and the data stored about visitors. */
export function Visits({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('workspace.write');
  const [seconds, setSeconds] = useState(workspace.clickDedupeSeconds);
  const [keepFullIp, setKeepFullIp] = useState(workspace.keepFullIp);
  const save = useSaveWorkspace(workspace, (saved) => {
    setSeconds(saved.clickDedupeSeconds);
    setKeepFullIp(saved.keepFullIp);
  });
  const isListed = WINDOWS.some((one) => one.seconds === workspace.clickDedupeSeconds);
  return (
    <FormSection
      title="Visits"
      description={<DocsLink guide="analytics">How visits are counted</DocsLink>}
      mayWrite={mayWrite}
      busy={save.isPending}
      error={save.error}
      isChanged={seconds !== workspace.clickDedupeSeconds || keepFullIp !== workspace.keepFullIp}
      onSubmit={() => save.write({ clickDedupeSeconds: seconds, keepFullIp })}
    >
      <SelectField
        label="Count each visitor"
        hint="Further visits of the same person in this time are redirected but not counted."
        disabled={!mayWrite}
        value={seconds}
        error={messagesOf(save.error)['clickDedupeSeconds']}
        onChange={(event) => setSeconds(Number(event.target.value))}
      >
        {WINDOWS.map((one) => (
          <option key={one.seconds} value={one.seconds}>
            {one.label}
          </option>
        ))}
        {!isListed && (
          <option value={workspace.clickDedupeSeconds}>
            Once in {workspace.clickDedupeSeconds} seconds
          </option>
        )}
      </SelectField>
      <Switch
        label="Store full IP addresses"
        hint="If this is off, we store shortened IP addresses only. Full IP addresses are personal data: if you turn this on, mention it in your privacy policy."
        checked={keepFullIp}
        disabled={!mayWrite}
        onChange={setKeepFullIp}
      />
    </FormSection>
  );
}
