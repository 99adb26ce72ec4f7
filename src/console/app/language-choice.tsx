import { chooseForAccount, LANGUAGE_NAMES } from '../languages/language.ts';
import { SelectField } from '../ui/field.tsx';
import { useMe } from './session.ts';
import { useChangeMe } from './use-change-me.ts';

/** Options of the choice; the empty one is the language of the browser. */
const OPTIONS: readonly [value: string, label: string][] = [
  ['', 'The browser’s language'],
  ...Object.entries(LANGUAGE_NAMES),
];

/** The language of the account, which applies at once. */
export function LanguageChoice() {
  const me = useMe();
  const change = useChangeMe('Saved');
  return (
    <SelectField
      label="Language"
      value={me.language ?? ''}
      disabled={change.isPending}
      error={change.error?.message}
      options={OPTIONS}
      onChange={({ target: { value } }) => {
        const language = value === '' ? null : (value as keyof typeof LANGUAGE_NAMES);
        change.mutate({ language }, { onSuccess: () => chooseForAccount(language) });
      }}
    />
  );
}
