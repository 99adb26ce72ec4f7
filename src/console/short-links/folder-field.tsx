import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery } from '../labels/queries.ts';
import { SelectField } from '../ui/field.tsx';
import type { PartProps } from './section.tsx';

/** A select for the folder of the record. */
export function FolderField({ draft, errors, change }: PartProps) {
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  return (
    <SelectField
      label="Folder"
      value={draft.folderId}
      error={errors['folderId']}
      onChange={(event) => change({ folderId: event.target.value })}
      none="None"
      options={folders.map(({ id, name }) => [id, name])}
    />
  );
}
