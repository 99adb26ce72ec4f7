import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { inputLook, TextField } from '../ui/field.tsx';
import { COUNTRIES } from './countries.ts';
import { type PartProps, Section } from './section.tsx';

/** Other destinations by device and country. */
export function TargetsSection({ draft, errors, change }: PartProps) {
  const { geo } = draft;
  const isFree = (code: string) => !geo.some(({ country }) => country === code);
  const set = (index: number, part: Partial<(typeof geo)[number]>) =>
    change({ geo: geo.map((row, at) => (at === index ? { ...row, ...part } : row)) });
  return (
    <Section
      title="Targets by device and country"
      isSet={draft.ios !== '' || draft.android !== '' || geo.length > 0}
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
        <div key={country} className="flex items-center gap-2">
          <select
            aria-label={`Country ${index + 1}`}
            value={country}
            onChange={(event) => set(index, { country: event.target.value })}
            className={`${inputLook} max-w-[40%]`}
          >
            {COUNTRIES.filter(({ code }) => code === country || isFree(code)).map(
              ({ code, name }) => (
                <option key={code} value={code}>
                  {name}
                </option>
              ),
            )}
          </select>
          <input
            type="url"
            aria-label={`Destination for country ${index + 1}`}
            aria-invalid={errors['geo'] ? true : undefined}
            placeholder="https://example.de"
            value={url}
            onChange={(event) => set(index, { url: event.target.value })}
            className={inputLook}
          />
          <IconButton
            icon={X}
            label={`Remove country ${index + 1}`}
            onClick={() => change({ geo: geo.filter((_row, at) => at !== index) })}
          />
        </div>
      ))}
      {errors['geo'] && <p className="text-xs text-danger">{errors['geo']}</p>}
      <div>
        <Button
          icon={Plus}
          onClick={() => {
            const free = COUNTRIES.find(({ code }) => isFree(code));
            if (free !== undefined) change({ geo: [...geo, { country: free.code, url: '' }] });
          }}
        >
          Add a country
        </Button>
      </div>
    </Section>
  );
}
