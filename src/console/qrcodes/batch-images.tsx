import { useState } from 'react';
import { answer, idempotent } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Section } from '../ui/section.tsx';
import { ExportProgress } from './export-progress.tsx';
import { bodyOf, NEW_IMAGES } from './exports.ts';
import { ImagesFields } from './images-fields.tsx';

/** The images and the printable sheet of selected records. */
export function BatchImages({ selection }: { selection: Parameters<typeof bodyOf>[1] }) {
  const { api } = useWorkspace();
  const [choice, setChoice] = useState(NEW_IMAGES);
  const create = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/exports', { ...idempotent(key), body: bodyOf(choice, selection) })),
  });
  const { data } = create;
  return (
    <Section
      title="Images and sheet"
      description="Download the codes as image files, or arranged on pages to print."
      footer={
        <Button look="primary" busy={create.isPending} onClick={() => create.write(undefined)}>
          Draw images
        </Button>
      }
    >
      <Refused error={create.error} />
      <ImagesFields
        choice={choice}
        onChange={(changes) => setChoice((now) => ({ ...now, ...changes }))}
      />
      {data !== undefined && 'id' in data && <ExportProgress key={data.id} id={data.id} />}
    </Section>
  );
}
