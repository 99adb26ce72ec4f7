import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { QrCode } from 'lucide-react';
import { useState } from 'react';
import { answer, idempotent } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { ExportProgress } from '../qrcodes/export-progress.tsx';
import { bodyOf, NEW_IMAGES } from '../qrcodes/exports.ts';
import { ImagesFields } from '../qrcodes/images-fields.tsx';
import { viewsQuery } from '../short-links/queries.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Section } from '../ui/section.tsx';

/** Removes the order of a view, which files do not have. */
function filtersOf(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('sort');
  parameters.delete('sortOrder');
  return parameters.toString();
}

/**
 * The section that exports images of QR codes. The URL holds the filters of the list that the
 * person came from, and the export whose progress is shown.
 */
export function QrCodesExport() {
  const { api, slug } = useWorkspace();
  const navigate = useNavigate();
  const search: Partial<Record<string, string>> = useSearch({
    from: '/$workspace/settings/exports',
  });
  const [choice, setChoice] = useState(NEW_IMAGES);
  const [filter, setFilter] = useState(search['codes'] ?? '');
  const views = useQuery(viewsQuery(api, 'qrcodes')).data ?? [];
  const create = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/exports', { ...idempotent(key), body: bodyOf(choice, { filter }) })),
    onDone: (made) =>
      'id' in made &&
      navigate({
        to: '/$workspace/settings/exports',
        params: { workspace: slug },
        search: { ...search, export: made.id },
        replace: true,
      }),
  });
  const fromList = search['codes'] ?? '';
  const selections = new Map([
    ['', 'All QR codes'],
    ...(fromList === '' ? [] : [[fromList, 'The filtered list'] as const]),
    ...views.map(({ name, query }) => [filtersOf(query), `View: ${name}`] as const),
  ]);
  const current = search['export'];
  return (
    <Section
      title="QR code images"
      description="Images of up to 50,000 QR codes as a ZIP file, or as a PDF to print."
      footer={
        <Button
          look="primary"
          icon={QrCode}
          busy={create.isPending}
          onClick={() => create.write(undefined)}
        >
          Draw images
        </Button>
      }
    >
      <Refused error={create.error} />
      <SelectField
        label="Codes"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
        options={[...selections]}
      />
      <ImagesFields
        choice={choice}
        onChange={(changes) => setChoice((now) => ({ ...now, ...changes }))}
      />
      {current !== undefined && <ExportProgress key={current} id={current} />}
    </Section>
  );
}
