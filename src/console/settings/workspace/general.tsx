import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { TextField } from '../../ui/field.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** The form for the name of the workspace. */
export function General({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const save = useSaveWorkspace(workspace);
  const { values, text } = useFields({ name: workspace.name }, save.error);
  return (
    <FormSection
      title="General"
      mayWrite={may('workspace.write')}
      write={save}
      isChanged={values.name !== workspace.name}
      onSubmit={() => save.write(values)}
    >
      <TextField
        label="Name"
        required
        maxLength={100}
        disabled={!may('workspace.write')}
        {...text('name')}
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
