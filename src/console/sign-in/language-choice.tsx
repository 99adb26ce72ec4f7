import { Languages } from 'lucide-react';
import { chooseLanguage, LANGUAGE_NAMES, type Language, language } from '../languages/language.ts';
import { Options } from '../ui/field.tsx';

/** The language of the pages outside of workspaces, for this browser. */
export function BrowserLanguage() {
  return (
    <label className="flex items-center gap-2 self-center text-xs text-muted max-md:min-h-11">
      <Languages size={14} aria-hidden />
      <span className="sr-only">Language</span>
      <select
        value={language}
        className="rounded-md bg-transparent py-1 max-md:min-h-11"
        onChange={({ target: { value } }) => chooseLanguage(value as Language)}
      >
        <Options of={Object.entries(LANGUAGE_NAMES)} />
      </select>
    </label>
  );
}
