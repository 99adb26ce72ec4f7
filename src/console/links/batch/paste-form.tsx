import { FileUp } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';

const LARGEST_BYTES = 5 * 1024 * 1024;
/** URLs, one per line: the text that most people paste. */
const EXAMPLE = /* value */ 'https://example.com/spring\nhttps://example.com/summer\n…';

interface PasteFormProps {
  /** Reason why the last text could not be read. */
  fault: string | undefined;
  /** Text to begin with. */
  initial: string;
  onText(text: string): void;
}

/** The fields for the URLs or the sheet from which links are created. */
export function PasteForm({ fault, initial, onText }: PasteFormProps) {
  const [text, setText] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onText(text);
  };
  return (
    <form onSubmit={submit} className="flex max-w-3xl flex-col gap-4 px-4 pb-10 md:px-6">
      <TextArea
        label="URLs or rows"
        hint="One link per line. Rows from a spreadsheet can have a slug and a title after the URL, or name their columns in the first row."
        error={fault}
        rows={10}
        autoFocus
        spellCheck={false}
        placeholder={EXAMPLE}
        className="font-mono text-xs"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text/plain');
          if (text !== '' || pasted.trim() === '') return;
          // Most people paste once, and want to see the table.
          event.preventDefault();
          setText(pasted);
          onText(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onText(text);
        }}
      />
      <FileDrop
        label="Sheet"
        control={{ 'aria-label': 'CSV or TSV file of links' }}
        accept=".csv,.tsv,.txt,text/csv"
        most={{
          bytes: LARGEST_BYTES,
          message: 'The file is larger than 5 MiB. Import it under Imports.',
        }}
        onFile={(file) => void file.text().then(onText)}
        className="flex flex-wrap items-center justify-between gap-3 rounded-lg border-2 border-dashed p-4"
        idleLook="border-line"
        lead={
          <p className="flex items-center gap-2">
            <FileUp size={18} aria-hidden className="text-muted" />
            Or drop a CSV or TSV file here
          </p>
        }
        button={{ children: 'Choose a file' }}
      />
      <div>
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          Continue
        </Button>
      </div>
    </form>
  );
}
