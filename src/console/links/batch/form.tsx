import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { normalizeUtm } from '../../../workspaces/utm-rules.ts';
import { answer } from '../../api/client.ts';
import { useWrite } from '../../api/queries.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { useOpenImport } from '../../imports/use-open-import.ts';
import { utmTemplatesQuery } from '../../settings/queries.ts';
import { EMPTY } from '../../short-links/draft.ts';
import { LabelFields } from '../../short-links/label-fields.tsx';
import { useShortDomains } from '../../short-links/use-short-domains.ts';
import { takesUtm, UTM, type UtmValues, utmOf, withUtm } from '../../short-links/utm.ts';
import { useUtmRules } from '../../short-links/utm-fields.tsx';
import { Button } from '../../ui/button.tsx';
import { countOf } from '../../ui/count-of.ts';
import { Options, SelectField } from '../../ui/field.tsx';
import { Refused } from '../../ui/form-dialog.tsx';
import { hasError, useCheck } from './check.ts';
import { fileOf, MOST_TITLE, otherFields, type Row, type Sheet } from './rows.ts';
import { BatchTable } from './table.tsx';
import { useTitles } from './titles.ts';

interface BatchFormProps {
  sheet: Sheet;
  /** Goes back to the text. */
  onRestart(): void;
  /** Called when the links are sent, with true, and with false when they are refused. */
  onSent(isSent: boolean): void;
}

/** Returns a destination with the UTM parameters of a template, which replace its own. */
function withTemplate(url: string, template: Partial<Record<string, unknown>> | undefined): string {
  if (template === undefined || url.trim() === '' || !takesUtm(url)) return url.trim();
  const values = UTM.flatMap(([name]) => {
    const value = template[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  return withUtm(url.trim(), { ...utmOf(url), ...(Object.fromEntries(values) as UtmValues) });
}

/** The table of links to create, with what they share. */
export function BatchForm({ sheet, onRestart, onSent }: BatchFormProps) {
  const { api } = useWorkspace();
  const openImport = useOpenImport();
  const [rows, setRows] = useState(sheet.rows);
  const [shared, setShared] = useState({ domain: '', folderId: '', tagIds: [] as string[] });
  const [templateId, setTemplateId] = useState('');
  const { main, others: domains } = useShortDomains(shared.domain);
  const templates = useQuery(utmTemplatesQuery(api)).data ?? [];
  const template = templates.find(({ id }) => id === templateId);
  const rules = useUtmRules();
  const urlOf = (row: Row) => withTemplate(row.url, template);
  const bodies = rows.map((row) => bodyOf(row, urlOf(row), shared.domain));
  const { outcomes, isChecking, failure } = useCheck(rows, bodies);
  const errors = outcomes.filter(hasError).length;

  const [isEdited, setEdited] = useState(false);
  const edit = useCallback((change: (now: Row[]) => Row[]) => {
    setEdited(true);
    setRows(change);
  }, []);
  const onChange = useCallback(
    (id: number, changes: Partial<Row>) =>
      edit((now) => now.map((row) => (row.id === id ? { ...row, ...changes } : row))),
    [edit],
  );
  const onRemove = useCallback(
    (id: number) => edit((now) => now.filter((row) => row.id !== id)),
    [edit],
  );
  const titles = useTitles((of, title) =>
    setRows((now) =>
      now.map((row) =>
        row.id === of.id && row.url === of.url && row.title === '' ? { ...row, title } : row,
      ),
    ),
  );
  const fetchFirst = useEffectEvent(() => titles.fetchTitles(sheet.rows));
  useEffect(() => fetchFirst(), []);
  const status = useRef<HTMLParagraphElement>(null);
  // The field with the text, which had the focus, is gone.
  useEffect(() => status.current?.focus({ preventScroll: true }), []);

  const create = useWrite({
    send(_: undefined, key) {
      const { file, mapping } = fileOf(rows, urlOf);
      const { domain, folderId, tagIds } = shared;
      return answer(
        api.POST('/imports', {
          params: {
            query: {
              name: countOf(rows.length, 'pasted link'),
              source: 'csv',
              mapping: JSON.stringify(mapping),
              onConflict: 'fail-row',
              allowRandomKeys: true,
              ...(domain !== '' && { domain }),
              ...(folderId !== '' && { folderId }),
              ...(tagIds.length > 0 && { tagIds }),
            },
            header: { 'Idempotency-Key': key },
          },
          headers: { 'Content-Type': 'text/csv' },
          body: file,
          bodySerializer: (body) => body,
        }),
      );
    },
    onDone: openImport,
    onFailed: () => onSent(false),
  });
  const list = useRef<HTMLDivElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (errors > 0 || isChecking || rows.length === 0) return;
    onSent(true);
    create.write(undefined);
  };
  const normalized = (row: Row): string => {
    const url = urlOf(row);
    if (rules === null || !takesUtm(url)) return url;
    const values = Object.entries(utmOf(url)).map(([name, value]) => [
      name,
      normalizeUtm(value, rules),
    ]);
    const changed = Object.fromEntries(values) as UtmValues;
    return JSON.stringify(changed) === JSON.stringify(utmOf(url)) ? url : withUtm(url, changed);
  };
  const fixable = rows.filter((row) => normalized(row) !== urlOf(row)).length;
  const further = otherFields(rows);

  return (
    <form onSubmit={submit} className="flex flex-col gap-5 pb-10">
      <fieldset
        disabled={create.isPending}
        className="grid max-w-3xl gap-4 px-4 md:grid-cols-2 md:px-6"
      >
        <legend className="sr-only">For all links</legend>
        <SelectField
          label="Domain"
          value={shared.domain}
          onChange={({ target }) => setShared({ ...shared, domain: target.value })}
        >
          <option value="">{main ?? ''}</option>
          <Options of={domains} />
        </SelectField>
        <SelectField
          label="UTM template"
          value={templateId}
          onChange={({ target }) => setTemplateId(target.value)}
          none="None"
          options={templates.map(({ id, name }) => [id, name])}
        />
        <div className="md:col-span-2">
          <LabelFields
            draft={{ ...EMPTY, ...shared }}
            errors={{}}
            record={undefined}
            change={({ folderId, tagIds }) =>
              setShared((now) => ({
                ...now,
                folderId: folderId ?? now.folderId,
                tagIds: tagIds ?? now.tagIds,
              }))
            }
          />
        </div>
      </fieldset>
      <div className="flex flex-wrap items-center gap-2 px-4 md:px-6">
        <p ref={status} role="status" tabIndex={-1} className="mr-auto outline-none">
          {stateText({ rows: rows.length, errors, isChecking, titles: titles.left })}
        </p>
        {errors > 0 && (
          <>
            <Button onClick={() => focusFirstError(list.current)}>Go to first error</Button>
            <Button onClick={() => edit(() => rows.filter((_, at) => !hasError(outcomes[at]!)))}>
              Remove rows with errors
            </Button>
          </>
        )}
        {fixable > 0 && (
          <Button
            onClick={() => {
              edit(() => rows.map((row) => ({ ...row, url: normalized(row) })));
              setTemplateId('');
            }}
          >
            Fix UTM parameters
          </Button>
        )}
        <Button
          disabled={create.isPending}
          onClick={() => {
            if (isEdited && !confirm('Start over? Your edits of the rows will be lost.')) return;
            onRestart();
          }}
        >
          Start over
        </Button>
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          disabled={errors > 0 || isChecking || rows.length === 0}
        >
          Create {countOf(rows.length, 'link')}
        </Button>
      </div>
      <div className="px-4 empty:hidden md:px-6">
        <Refused error={create.error ?? failure} />
        {further.length > 0 && <p className="text-muted">Also imported: {further.join(', ')}.</p>}
        {sheet.ignored.length > 0 && (
          <p className="text-muted">Columns left out: {sheet.ignored.join(', ')}.</p>
        )}
      </div>
      <div ref={list}>
        <BatchTable
          rows={rows}
          outcomes={outcomes}
          isDisabled={create.isPending}
          onChange={onChange}
          onRemove={onRemove}
        />
      </div>
    </form>
  );
}

/**
 * Builds the link of a row as the check sees it; the import reads the further fields. Titles arrive
 * all the time, and would start the check again: it sees only those that are refused.
 */
function bodyOf({ key, title, others }: Row, url: string, domain: string) {
  const own = others.domain ?? domain;
  return {
    url,
    ...(key.trim() !== '' && { key: key.trim() }),
    ...(title.trim().length > MOST_TITLE && { title: title.trim() }),
    ...(own !== '' && { domain: own }),
  };
}

interface FormState {
  rows: number;
  errors: number;
  isChecking: boolean;
  /** Titles that are being fetched. */
  titles: number;
}

function stateText({ rows, errors, isChecking, titles }: FormState): string {
  const fetching = titles === 0 ? '' : ` Fetching ${countOf(titles, 'title')} …`;
  if (errors > 0) return `${countOf(errors, 'row')} to fix.${fetching}`;
  if (isChecking) return `Checking ${countOf(rows, 'row')} …${fetching}`;
  return rows === 0 ? 'No rows left.' : `${countOf(rows, 'link')} ready.${fetching}`;
}

const focusFirstError = (list: HTMLElement | null): void =>
  list?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
