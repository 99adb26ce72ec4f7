import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { FileUp } from 'lucide-react';
import { useRef, useState } from 'react';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { Switch, TextArea } from '../ui/field.tsx';
import { FileDrop } from '../ui/file-drop.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { Section } from '../ui/section.tsx';
import { useUnsaved } from '../ui/unsaved.ts';
import { type Batch, columnsOf, readBatch } from './batch.ts';
import { BatchImages } from './batch-images.tsx';
import { BatchTable } from './batch-table.tsx';
import { CONTENT_NAMES, type ContentName } from './content.ts';
import { createBatch, type Outcome } from './create-batch.ts';
import { hasStaticDefault, isAlwaysDynamic, NEW_DRAFT } from './draft.ts';
import { useDrawn } from './drawn.ts';
import { addressOf } from './image.ts';
import { fieldsOf, type Look, PLAIN_LOOK } from './look.ts';
import { Presets } from './presets.tsx';
import { TypeChoice } from './type-choice.tsx';

const LARGEST_BYTES = 5 * 1024 * 1024;
/** Types of a file with a row for each code; others hold a list, which fits into no cell. */
const TYPES = CONTENT_NAMES.filter((type) => type !== 'links' && type !== 'social');

const isStaticBy = (type: ContentName) => hasStaticDefault({ ...NEW_DRAFT, type });

/** Moves to the result, which replaces the form and its focused button. */
const focusHeading = (heading: HTMLElement | null): void => heading?.focus();

/** The page that creates QR codes from a CSV file of contents. */
export function BatchPage() {
  const { slug, api } = useWorkspace();
  const client = useQueryClient();
  const [type, setType] = useState<ContentName>('url');
  const [isStatic, setStatic] = useState(false);
  const [text, setText] = useState('');
  const [look, setLook] = useState<Look>(PLAIN_LOOK);
  const [batch, setBatch] = useState<Batch>();
  const [isChecking, setChecking] = useState(false);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map());
  const rows = batch !== undefined && 'rows' in batch ? batch.rows : [];
  const ready = rows.filter(({ faults }) => faults.length === 0);
  const create = useWrite({
    send: (_: undefined, key) =>
      createBatch(ready, {
        api,
        look: look === PLAIN_LOOK ? {} : fieldsOf(look),
        key,
        onProgress: setOutcomes,
      }),
    onDone: () => client.invalidateQueries({ queryKey: keys.qrcodes.all }),
  });
  const isCreated = create.isSuccess;
  useUnsaved(create.isPending || (text !== '' && !isCreated));
  const latest = useRef(0);
  const check = async (content: string, of = type, asStatic = isStatic) => {
    setText(content);
    create.reset();
    setOutcomes(new Map());
    const turn = ++latest.current;
    setChecking(true);
    const isWanted = () => turn === latest.current;
    const read =
      content.trim() === '' ? undefined : await readBatch(content, of, asStatic, isWanted);
    if (!isWanted()) return;
    setChecking(false);
    setBatch(read);
  };
  const choose = (next: ContentName) => {
    setType(next);
    setStatic(isStaticBy(next));
    void check(text, next, isStaticBy(next));
  };
  const chooseStatic = (next: boolean) => {
    setStatic(next);
    void check(text, type, next);
  };
  const ids = [...outcomes.values()].flatMap((outcome) => ('id' in outcome ? [outcome.id] : []));
  const { required, optional } = columnsOf(type);
  return (
    <Page
      title="QR codes from CSV"
      actions={
        <Link to="/$workspace/qrcodes" params={{ workspace: slug }} className={buttonLook('quiet')}>
          All QR codes
        </Link>
      }
    >
      <div className="flex max-w-4xl flex-col gap-5 px-4 pb-5 md:px-6">
        {!isCreated && (
          <>
            <Section title="Content" description="All codes of a file have the same type.">
              <TypeChoice
                type={type}
                types={TYPES}
                onChange={choose}
                isDisabled={create.isPending}
              />
              {!isAlwaysDynamic(type) && (
                <Switch
                  label="Static: the codes hold the content itself, and can’t be changed"
                  checked={isStatic}
                  onChange={chooseStatic}
                />
              )}
            </Section>
            <Section
              title="File"
              description={
                <>
                  The first row names the columns. Needed:{' '}
                  {required.length === 0 ? 'none' : <Names of={required} />}. Also:{' '}
                  <Names of={optional} />.
                </>
              }
            >
              <FileDrop
                label="CSV file"
                control={{ 'aria-label': 'CSV file of contents' }}
                accept=".csv,.tsv,.txt,text/csv"
                most={{
                  bytes: LARGEST_BYTES,
                  message: 'The file is larger than 5 MiB. Split it into smaller files.',
                }}
                isDisabled={create.isPending}
                onFile={(file) => void file.text().then((content) => check(content))}
                className="flex flex-wrap items-center justify-between gap-3 rounded-lg border-2 border-dashed p-4"
                idleLook="border-line"
                lead={
                  <p className="flex items-center gap-2">
                    <FileUp size={18} aria-hidden className="text-muted" />
                    Drop a CSV file here
                  </p>
                }
                button={{ children: 'Choose a file' }}
              />
              <TextArea
                label="Or paste rows"
                rows={5}
                spellCheck={false}
                className="font-mono text-xs"
                disabled={create.isPending}
                value={text}
                onChange={({ target }) => void check(target.value)}
              />
              {isChecking && <p role="status">Checking the rows …</p>}
              {!isChecking && ready.length > 0 && !create.isPending && (
                <p role="status">
                  {countOf(ready.length, 'QR code')} can be created. Choose the style below.
                </p>
              )}
              {!isChecking && batch !== undefined && 'fault' in batch && (
                <p role="alert" className="text-danger">
                  {batch.fault}
                </p>
              )}
            </Section>
            <Section
              title="Style"
              description="The style of all codes. Templates come from the designer."
            >
              <Presets onChosen={setLook} />
              <Sample payload={ready[0]?.shown ?? 'https://example.com/'} look={look} />
            </Section>
          </>
        )}
        {isCreated && (
          <h2 id="rows" ref={focusHeading} tabIndex={-1} className="font-semibold outline-none">
            {countOf(ids.length, 'QR code')} created
          </h2>
        )}
        {isCreated && ids.length > 0 && <BatchImages selection={{ qrcodeIds: ids }} />}
      </div>
      {batch !== undefined && 'rows' in batch && (
        <section aria-labelledby="rows" className="flex flex-col gap-3 pb-10">
          {!isCreated && (
            <div className="flex flex-wrap items-center justify-between gap-2 px-4 md:px-6">
              <h2 id="rows" className="font-semibold">
                {countOf(rows.length, 'row')}
              </h2>
              <Button
                look="primary"
                busy={create.isPending || isChecking}
                disabled={ready.length === 0}
                onClick={() => create.write(undefined)}
              >
                {create.isPending
                  ? `${outcomes.size.toLocaleString()} of ${ready.length.toLocaleString()}`
                  : `Create ${countOf(ready.length, 'QR code')}`}
              </Button>
            </div>
          )}
          {batch.ignored.length > 0 && (
            <p className="px-4 text-warning md:px-6">
              These columns are not used: {batch.ignored.join(', ')}.
            </p>
          )}
          {!isCreated && ready.length < rows.length && (
            <p className="px-4 text-danger md:px-6" role="status">
              {countOf(rows.length - ready.length, 'row')} with errors will be left out.
            </p>
          )}
          <div className="px-4 md:px-6">
            <Refused error={create.error} />
          </div>
          <BatchTable rows={rows} outcomes={outcomes} />
        </section>
      )}
    </Page>
  );
}

/** A code in the chosen style. */
function Sample({ payload, look }: { payload: string; look: Look }) {
  const { data } = useDrawn(payload, look);
  return (
    <div className="size-32 rounded bg-white p-1">
      {data && (
        <img src={addressOf(data.svg)} alt="The style" className="size-full object-contain" />
      )}
    </div>
  );
}

/** Names of columns. */
const Names = ({ of }: { of: readonly string[] }) => (
  <span className="font-mono text-xs">{of.join(', ')}</span>
);
