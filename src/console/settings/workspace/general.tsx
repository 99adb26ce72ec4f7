import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { TextField } from '../../ui/field.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** The form for the name of the workspace. */
export function General({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const [name, setName] = useState(workspace.name);
  const save = useSaveWorkspace(workspace);
  return (
    <FormSection
      title="General"
      mayWrite={may('workspace.write')}
      busy={save.isPending}
      error={save.error}
      isChanged={name !== workspace.name}
      onSubmit={() => save.write({ name })}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        disabled={!may('workspace.write')}
        value={name}
        error={messagesOf(save.error)['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label="Slug"
        hint="Used in URLs and the API. Can’t be changed."
        disabled
        value={workspace.slug}
      />
    </FormSection>
  );
}
