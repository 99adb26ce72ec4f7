import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { FieldError, inputLook, Options, UrlInput } from '../ui/field.tsx';
import { leave, type PartProps } from './section.tsx';
import { COUNTRIES } from './traits.ts';

/** The destinations by country. */
export function CountryTargets({ draft, errors, change }: PartProps) {
  const { geo } = draft;
  const isFree = (code: string) => !geo.some(({ country }) => country === code);
  const set = (index: number, part: Partial<(typeof geo)[number]>) =>
    change({ geo: geo.map((row, at) => (at === index ? { ...row, ...part } : row)) });
  return (
    <>
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
              of={COUNTRIES.filter(([code]) => code === country || isFree(code)).map(
                ([code, name]) => [code, `${name} (${code})`],
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
            onClick={({ currentTarget }) => {
              leave(currentTarget, currentTarget.parentElement);
              change({ geo: geo.filter((_row, at) => at !== index) });
            }}
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
    </>
  );
}
