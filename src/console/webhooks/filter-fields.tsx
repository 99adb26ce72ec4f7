import type { Schemas } from '../api/client.ts';
import { either } from '../short-links/routing-sentences.ts';
import { COUNTRIES } from '../short-links/traits.ts';
import { Choices } from '../ui/choices.tsx';
import { FieldError, type OptionList, SelectField } from '../ui/field.tsx';

type Filter = NonNullable<Schemas['Webhook']['filter']>;
type Country = NonNullable<Filter['country']>[number];
type Device = NonNullable<Filter['device']>[number];

/** The values of the form that set the filter of a webhook; empty texts mean any value. */
export interface FilterValues {
  country: string[];
  device: string[];
  qr: '' | 'true' | 'false';
  traffic: '' | NonNullable<Filter['traffic']>;
}

const UNKNOWN = ['Unknown', 'Unknown'] as const;
const DEVICES = Object.entries({
  Desktop: 'Desktop',
  Mobile: 'Phone',
  Tablet: 'Tablet',
  Smarttv: 'TV',
  Console: 'Game console',
  Wearable: 'Watch or wearable',
  Embedded: 'Embedded device',
  Unknown: 'Unknown',
} satisfies Record<Device, string>);
const TYPES: OptionList = [
  ['true', 'Only scans of QR codes'],
  ['false', 'No scans of QR codes'],
];
const TRAFFIC = Object.entries({
  person: 'People',
  suspect: 'Suspects',
  all: 'People and suspects',
} satisfies Record<NonNullable<Filter['traffic']>, string>);

/** Returns the filter of a webhook, or of a new one, as values of the form. */
export const filterValues = (filter: Filter | null = null): FilterValues => ({
  country: filter?.country ?? [],
  device: filter?.device ?? [],
  qr: filter?.qr === undefined ? '' : `${filter.qr}`,
  traffic: filter?.traffic ?? '',
});

/** Returns the filter that a request sets; `null` for none. */
export function filterBody({ country, device, qr, traffic }: FilterValues): Filter | null {
  const filter: Filter = {
    ...(country.length > 0 && { country: country as Country[] }),
    ...(device.length > 0 && { device: device as Device[] }),
    ...(qr !== '' && { qr: qr === 'true' }),
    ...(traffic !== '' && { traffic }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

/** Describes the filter of a webhook; empty without one. */
export function filterInWords(filter: Filter | null): string {
  const { country, device, qr, traffic } = filterValues(filter);
  const named = (options: OptionList, values: readonly string[]) =>
    values.map((value) => options.find(([option]) => option === value)?.[1] ?? value);
  return [
    either(named(COUNTRIES, country)),
    either(named(DEVICES, device)),
    ...named(TYPES, [qr]),
    ...named(TRAFFIC, [traffic]),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

interface FilterFieldsProps {
  values: FilterValues;
  messages: Readonly<Record<string, string>>;
  set(changes: Partial<FilterValues>): void;
}

/** Fields that select visits, leads, sales and refunds by their visitors. */
export function FilterFields({ values, messages, set }: FilterFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Only visits, leads and sales</legend>
      <Choices
        label="From these countries"
        placeholder="From any country"
        values={values.country}
        options={[...COUNTRIES, UNKNOWN]}
        isClosed
        onChange={(country) => set({ country })}
      />
      <Choices
        label="With these devices"
        placeholder="With any device"
        values={values.device}
        options={DEVICES}
        isClosed
        onChange={(device) => set({ device })}
      />
      <SelectField
        label="Type of visit"
        none="Clicks and scans"
        value={values.qr}
        onChange={({ target }) => set({ qr: target.value as FilterValues['qr'] })}
        options={TYPES}
      />
      <SelectField
        label="Traffic"
        none="As in analytics"
        value={values.traffic}
        onChange={({ target }) => set({ traffic: target.value as FilterValues['traffic'] })}
        options={TRAFFIC}
      />
      {messages['filter'] !== undefined && <FieldError error={messages['filter']} label="Filter" />}
    </fieldset>
  );
}
