import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { SelectField, Switch, TextArea } from '../../ui/field.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { partsOf } from '../../ui/parts-of.ts';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** Selectable time windows within which a visitor counts once, by their seconds. */
const WINDOWS: Readonly<Record<number, string>> = {
  0: 'Every visit',
  60: 'Once a minute',
  3_600: 'Once an hour',
  86_400: 'Once a day',
  604_800: 'Once a week',
  2_678_400: 'Once in 31 days',
};

/** Selectable names of the parameter and the cookie with the click's id. */
const CLICK_ID_PARAMETERS = {
  click_id: /* value */ 'click_id',
  dub_id: 'dub_id, as pages that were written for Dub expect',
} as const satisfies Record<Schemas['Workspace']['clickIdParameter'], string>;

/** The form for the counting of visits and the data stored about visitors. */
export function Visits({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('workspace.write');
  const [seconds, setSeconds] = useState(workspace.clickDedupeSeconds);
  const [queryConflict, setQueryConflict] = useState(workspace.queryConflict);
  const [parameter, setParameter] = useState(workspace.clickIdParameter);
  const [keepFullIp, setKeepFullIp] = useState(workspace.keepFullIp);
  const [networks, setNetworks] = useState(textOf(workspace));
  const [trackEvents, setTrackEvents] = useState(workspace.trackEvents);
  const [countSuspects, setCountSuspects] = useState(workspace.countSuspects);
  const save = useSaveWorkspace(workspace, (saved) => {
    setSeconds(saved.clickDedupeSeconds);
    setQueryConflict(saved.queryConflict);
    setParameter(saved.clickIdParameter);
    setKeepFullIp(saved.keepFullIp);
    setNetworks(textOf(saved));
    setTrackEvents(saved.trackEvents);
    setCountSuspects(saved.countSuspects);
  });
  return (
    <FormSection
      title="Visits"
      description={<DocsLink guide="analytics">How visits are counted</DocsLink>}
      mayWrite={mayWrite}
      write={save}
      isChanged={
        seconds !== workspace.clickDedupeSeconds ||
        queryConflict !== workspace.queryConflict ||
        parameter !== workspace.clickIdParameter ||
        keepFullIp !== workspace.keepFullIp ||
        networks !== textOf(workspace) ||
        countSuspects !== workspace.countSuspects ||
        trackEvents !== workspace.trackEvents
      }
      onSubmit={() =>
        save.write({
          clickDedupeSeconds: seconds,
          queryConflict,
          clickIdParameter: parameter,
          keepFullIp,
          excludedIps: partsOf(networks),
          countSuspects,
          trackEvents,
        })
      }
    >
      <SelectField
        label="Count each visitor"
        hint="Further visits of the same person in this time are redirected but not counted."
        disabled={!mayWrite}
        value={seconds}
        error={messagesOf(save.error)['clickDedupeSeconds']}
        onChange={(event) => setSeconds(Number(event.target.value))}
        options={Object.entries(WINDOWS)}
      >
        {!(workspace.clickDedupeSeconds in WINDOWS) && (
          <option value={workspace.clickDedupeSeconds}>
            Once in {workspace.clickDedupeSeconds} seconds
          </option>
        )}
      </SelectField>
      <SelectField
        label="Parameters with the same name"
        hint="If a short link is opened with a parameter that the destination has too. Links can have another setting."
        disabled={!mayWrite}
        value={queryConflict}
        error={messagesOf(save.error)['queryConflict']}
        onChange={(event) => setQueryConflict(event.target.value as typeof queryConflict)}
        options={[
          ['visitor', 'Replace the destination’s'],
          ['owner', 'Keep the destination’s'],
        ]}
      />
      <SelectField
        label="Click ID parameter"
        hint="Name of the parameter and the cookie with the ID of the click, for links that track conversions."
        disabled={!mayWrite}
        value={parameter}
        error={messagesOf(save.error)['clickIdParameter']}
        onChange={(event) => setParameter(event.target.value as typeof parameter)}
        options={Object.entries(CLICK_ID_PARAMETERS)}
      />
      <TextArea
        label="Don’t count visits from"
        hint="IP addresses and networks such as 203.0.113.0/24, one per line. Visits from there, for example from your office, are redirected but not counted."
        disabled={!mayWrite}
        value={networks}
        error={errorOf(messagesOf(save.error), partsOf(networks))}
        spellCheck={false}
        onChange={(event) => setNetworks(event.target.value)}
      />
      <Switch
        label="Count suspects"
        hint="Visits that look like visits of mail scanners and data centers. If this is off, the Traffic filter of Analytics shows them. Past visits are counted too."
        checked={countSuspects}
        disabled={!mayWrite}
        onChange={setCountSuspects}
      />
      <Switch
        label="Store visits for analytics"
        hint="If this is off, visits only add to the counts of links and QR codes: no locations, devices, sources or visitors are stored."
        checked={trackEvents}
        disabled={!mayWrite}
        onChange={setTrackEvents}
      />
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

/** The excluded networks as text, one per line; an address has no prefix. */
const textOf = ({ excludedIps }: Schemas['Workspace']): string =>
  excludedIps.map((one) => one.replace(/^([\d.]+)\/32$|^([^:]*:[^/]*)\/128$/, '$1$2')).join('\n');

/** The error of the list, or of its first refused entry, which it names. */
function errorOf(
  messages: Readonly<Record<string, string>>,
  networks: readonly string[],
): string | undefined {
  const at = networks.findIndex((_, index) => messages[`excludedIps[${index}]`] !== undefined);
  if (at < 0) return messages['excludedIps'];
  return `“${networks[at]}” isn’t an IP address or a network.`;
}
