import { Download } from 'lucide-react';
import { Button, CopyButton } from '../ui/button.tsx';
import { saveFile } from '../ui/save-file.ts';
import { useUnsaved } from '../ui/unsaved.ts';

/** Shows new recovery codes once, to be copied or saved as a file. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  useUnsaved(true);
  const text = codes.join('\n');
  const save = () =>
    saveFile(
      new Blob([`Recovery codes for ${location.host}\n\n${text}\n`], { type: 'text/plain' }),
      'recovery-codes.txt',
    );
  return (
    <>
      <p>
        Without your phone, each of these codes signs you in once, together with your password. You
        won’t see them again.
      </p>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-1 gap-x-4 gap-y-1 rounded-md border border-line bg-ground p-3 text-center font-mono text-xs sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="flex flex-wrap items-center gap-2">
        <Button icon={Download} onClick={save}>
          Download
        </Button>
        <CopyButton text={text} label="Copy the codes" />
      </div>
    </>
  );
}
