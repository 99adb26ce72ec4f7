import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DateTimeField, type OptionList, SelectField, TextField } from '../ui/field.tsx';
import { messagesOf } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { fromLocal } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import type { ListKind } from './list-kind.ts';
import { COUNTRIES, LANGUAGE_CHOICES } from './traits.ts';

type Visitor = Schemas['SimulatedVisitor'];
type Simulation = Schemas['Simulation'];

/** Pause in typing after which the visit is simulated, in ms. */
const TYPING_MS = 200;

/** Devices to choose from, with the traits that visits by them have. */
const DEVICES: Readonly<Record<string, Pick<Visitor, 'device' | 'os' | 'browser'>>> = /* value */ {
  iphone: { device: 'Mobile', os: 'iOS', browser: 'Mobile Safari' },
  androidPhone: { device: 'Mobile', os: 'Android', browser: 'Chrome' },
  androidTablet: { device: 'Tablet', os: 'Android', browser: 'Chrome' },
  windows: { device: 'Desktop', os: 'Windows', browser: 'Chrome' },
  mac: { device: 'Desktop', os: 'Mac OS', browser: 'Safari' },
  linux: { device: 'Desktop', os: 'Linux', browser: 'Firefox' },
};
const DEVICE_CHOICES: OptionList = [
  ['iphone', 'iPhone'],
  ['androidPhone', 'Android phone'],
  ['androidTablet', 'Android tablet'],
  ['windows', 'Windows computer'],
  ['mac', 'Mac'],
  ['linux', 'Linux computer'],
];

/** Values of the form; empty ones are unknown. */
interface Form {
  device: string;
  country: string;
  city: string;
  language: string;
  time: string;
  query: string;
}

const EMPTY: Form = { device: '', country: '', city: '', language: '', time: '', query: '' };

/** Converts the form to the visitor of a request. */
function visitorOf({ device, time, query, ...traits }: Form): Visitor {
  const at = fromLocal(time);
  const filled = Object.entries({ ...traits, query: query.replace(/^\?/, '') });
  return {
    ...DEVICES[device],
    ...Object.fromEntries(filled.filter(([, value]) => value !== '')),
    ...(at !== null && { time: at }),
    passed: true,
  };
}

interface SimulateDialogProps extends Pick<ListKind, 'list'> {
  id: string;
  name: string;
  onClose(): void;
}

/** Shows where a described visitor of a link or QR code is redirected, as the service decides it. */
export function SimulateDialog({ list, id, name, onClose }: SimulateDialogProps) {
  const { api } = useWorkspace();
  const [form, setForm] = useState(EMPTY);
  const visitor = visitorOf(useDebounced(form, TYPING_MS));
  const result = useQuery({
    queryKey: keys[list].one(id, 'simulation', visitor),
    queryFn: ({ signal }) =>
      answer(
        list === 'links'
          ? api.POST('/links/{linkId}/simulate', {
              params: { path: { linkId: id } },
              body: visitor,
              signal,
            })
          : api.POST('/qrcodes/{qrcodeId}/simulate', {
              params: { path: { qrcodeId: id } },
              body: visitor,
              signal,
            }),
      ),
    placeholderData: keepPreviousData,
  });
  const messages = messagesOf(result.error);
  const field = (part: keyof Form) => ({
    value: form[part],
    onChange: ({ target }: { target: { value: string } }) =>
      setForm({ ...form, [part]: target.value }),
  });
  return (
    <Dialog title={`Test ${name}`} onClose={onClose}>
      <div className="flex flex-col gap-4 p-4">
        <p className="text-muted">
          Describe a visitor to see where they are redirected, after a password and a page before
          the destination. Nothing is counted.
        </p>
        <div className="grid gap-4 md:grid-cols-2">
          <SelectField
            label="Device"
            none="Any other"
            options={DEVICE_CHOICES}
            data-autofocus
            {...field('device')}
          />
          <SelectField label="Country" none="Unknown" options={COUNTRIES} {...field('country')} />
          <TextField label="City" maxLength={200} {...field('city')} />
          <SelectField
            label="Language"
            none="Unknown"
            options={LANGUAGE_CHOICES}
            {...field('language')}
          />
          <DateTimeField label="Time" hint="Empty: now." {...field('time')} />
          <TextField
            label="Query"
            placeholder="utm_source=mail"
            maxLength={2_000}
            error={messages['query']}
            {...field('query')}
          />
        </div>
        <div role="status" className="rounded-lg border border-line p-3">
          {messages['query'] === undefined && (
            <Loaded query={result} skeleton="h-12">
              {(simulation) => <Result {...simulation} />}
            </Loaded>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Texts of answers that are not the destination. */
const NOTICES: Readonly<Record<string, string>> = {
  displayPage: 'Sees the page of the QR code',
  linkset: 'Gets the list of links of the product',
  page: 'Sees the page before the destination',
  password: 'Is asked for the password',
  preview: 'Gets the link preview',
  office: 'Gets a page that opens the short link in a browser',
  notStarted: 'Sees that the link is not open yet',
  expired: 'Sees that the link has expired',
  blocked: 'Sees that the link is blocked',
  notFound: 'Sees that there is no such link',
};

function Result({ answer: name, url, chosenBy, rule, variant }: Simulation) {
  const notice = NOTICES[name];
  return (
    <>
      <p className="font-medium break-all">
        {notice ?? (name === 'frame' ? 'Sees in a frame' : 'Goes to')} {url}
      </p>
      <p className="text-muted">{reasonOf({ chosenBy, rule, variant })}</p>
    </>
  );
}

/** Texts for the part of the link that has the destination. */
const PARTS: Readonly<Record<string, string>> = {
  ios: 'By the destination for iOS',
  android: 'By the destination for Android',
  geo: 'By the destination for the country',
  link: 'No rule or target matches',
};

/** Describes the part of the link that has the destination. */
function reasonOf({ chosenBy, rule, variant }: Pick<Simulation, 'chosenBy' | 'rule' | 'variant'>) {
  if (rule !== null) return `By rule ${rule + 1}`;
  if (variant !== null) return `By variant ${variant} of the A/B test, which others may not get`;
  return chosenBy === null ? '' : PARTS[chosenBy];
}
