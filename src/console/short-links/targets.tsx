import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, inputLook, Options, TextField, UrlInput } from '../ui/field.tsx';
import { COUNTRIES } from './countries.ts';
import { type PartProps, Section, summaryOf } from './section.tsx';

/** The section for alternative destinations by device and country. */
export function TargetsSection({ draft, errors, change }: PartProps) {
  const { geo } = draft;
  const isFree = (code: string) => !geo.some(({ country }) => country === code);
  const set = (index: number, part: Partial<(typeof geo)[number]>) =>
    change({ geo: geo.map((row, at) => (at === index ? { ...row, ...part } : row)) });
  return (
    <Section
      title="Targets by device and country"
      summary={summaryOf(
        draft.ios !== '' && 'iOS',
        draft.android !== '' && 'Android',
        geo.map(({ country }) => country).join(', '),
      )}
      hasError={['ios', 'android', 'geo'].some((name) => errors[name])}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="iOS"
          type="url"
          placeholder="https://apps.apple.com/…"
          value={draft.ios}
          error={errors['ios']}
          onChange={(event) => change({ ios: event.target.value })}
        />
        <TextField
          label="Android"
          type="url"
          placeholder="https://play.google.com/…"
          value={draft.android}
          error={errors['android']}
          onChange={(event) => change({ android: event.target.value })}
        />
      </div>
      {geo.map(({ country, url }, index) => (
        <div key={country} className="flex items-start gap-2">
          <select
            aria-label={`Country ${index + 1}`}
            value={country}
            onChange={(event) => set(index, { country: event.target.value })}
            className={`${inputLook} max-w-[40%]`}
          >
            {country === '' && <option value="">Choose a country</option>}
            <Options
              of={COUNTRIES.filter(({ code }) => code === country || isFree(code)).map(
                ({ code, name }) => [code, `${name} (${code})`],
              )}
            />
          </select>
          <UrlInput
            aria-label={`Destination for country ${index + 1}`}
            placeholder="https://example.de"
            value={url}
            error={errors[`geo.${country}`]}
            onChange={(event) => set(index, { url: event.target.value })}
          />
          <IconButton
            icon={X}
            label={`Remove country ${index + 1}`}
            onClick={() => change({ geo: geo.filter((_row, at) => at !== index) })}
          />
        </div>
      ))}
      {errors['geo'] !== undefined && geo.every(({ country }) => !errors[`geo.${country}`]) && (
        <FieldError error={errors['geo']} label="Countries" />
      )}
      <div>
        <Button
          icon={Plus}
          disabled={!isFree('')}
          onClick={() => change({ geo: [...geo, { country: '', url: '' }] })}
        >
          Add country
        </Button>
      </div>
    </Section>
  );
}
