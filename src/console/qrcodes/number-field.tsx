import { TextField } from '../ui/field.tsx';

interface NumberFieldProps {
  label: string;
  /** `NaN` while the field is empty. */
  value: number;
  least?: number;
  most: number;
  onChange(value: number): void;
}

/** A labeled field for a number that is required. */
export function NumberField({ label, value, least = 1, most, onChange }: NumberFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      required
      min={least}
      max={most}
      value={Number.isNaN(value) ? '' : value}
      onChange={({ target }) => onChange(target.valueAsNumber)}
    />
  );
}
