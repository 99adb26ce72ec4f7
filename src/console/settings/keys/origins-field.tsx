import { TextArea } from '../../ui/field.tsx';

interface OriginsFieldProps {
  value: string;
  messages: Readonly<Record<string, string>>;
  onChange(value: string): void;
}

/** The field for the origins of a publishable key, one per line. */
export function OriginsField({ value, messages, onChange }: OriginsFieldProps) {
  const origins = originsIn(value);
  const at = origins.findIndex((_, index) => messages[`origins[${index}]`] !== undefined);
  return (
    <TextArea
      label="Origins"
      hint="Your sites, one per line, such as https://shop.example. Pages of other sites can’t use the key."
      required
      value={value}
      error={
        at < 0
          ? messages['origins']
          : `“${origins[at]}” isn’t an origin, such as https://shop.example.`
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
