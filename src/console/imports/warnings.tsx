import type { Schemas } from '../api/client.ts';
import { Refused } from '../ui/form-dialog.tsx';
import { reasonInWords } from './fields.ts';
import { useImportChange } from './use-import-change.ts';

type Warning = Schemas['ImportWarning'];

/** A warning in the words of the console, which call a key a slug. */
function inWords({ column, message }: Warning): string {
  const [, lead, rule] = /^(.* row \d+): (.+)$/s.exec(message) ?? [];
  const words =
    lead === undefined || rule === undefined
      ? `${message.replaceAll(/\bkey\b/g, 'slug')}.`
      : `${lead}: ${reasonInWords(rule)}`;
  return column === null ? words : `${column}: ${words}`;
}

/**
 * Warnings of an import, with the consent to random slugs if rows have none.
 *
 * @param isOpen true if the import has not been started, and the person may start it
 */
export function Warnings({ one, isOpen }: { one: Schemas['ImportDetails']; isOpen: boolean }) {
  const change = useImportChange(one.id);
  const { keyless, options } = one;
  // After the consent to random slugs and the start, they are no surprise.
  const isIntended = options.allowRandomKeys && !isOpen;
  const warnings = one.warnings.filter(
    ({ message }) => !(isIntended && message.endsWith(' a random one')),
  );
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="flex flex-col gap-2 px-4 md:px-6">
      <ul className="flex max-w-3xl flex-col gap-1 text-warning">
        {warnings.map((warning) => (
          <li key={`${warning.column} ${warning.message}`} className="break-words">
            {inWords(warning)}
          </li>
        ))}
      </ul>
      {isOpen && keyless > 0 && (
        <label className="flex items-center gap-2 max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={options.allowRandomKeys}
            disabled={change.isPending}
            onChange={({ target: { checked } }) => change.write({ allowRandomKeys: checked })}
          />
          Give these links random slugs
        </label>
      )}
      <Refused error={change.error} />
    </section>
  );
}
