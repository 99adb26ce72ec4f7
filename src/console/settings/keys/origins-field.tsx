import { TextArea } from '../../ui/field.tsx';

interface OriginsFieldProps {
  /** Name of the field in the API. */
  field?: 'origins' | 'embedOrigins';
  hint: string;
  value: string;
  messages: Readonly<Record<string, string>>;
  onChange(value: string): void;
}

/** A field for origins, one per line. */
export function OriginsField(props: OriginsFieldProps) {
  const { field = 'origins', hint, value, messages, onChange } = props;
  const origins = originsIn(value);
  const at = origins.findIndex((_, index) => messages[`${field}[${index}]`] !== undefined);
  return (
    <TextArea
      label="Origins"
      hint={hint}
      required
      value={value}
      error={
        at < 0 ? messages[field] : `“${origins[at]}” isn’t an origin, such as https://shop.example.`
      }
      spellCheck={false}
      autoCapitalize="none"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Splits the text of the field. */
export const originsIn = (text: string): string[] =>
  text.split(/[\s,]+/).filter((part) => part !== '');
