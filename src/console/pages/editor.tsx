import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useUnsavedForm } from '../app/leaving.ts';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { useFields } from '../ui/use-fields.ts';
import { FormFields } from './form-fields.tsx';
import { Preview } from './preview.tsx';

/** A form that edits a page, beside a preview. */
export function PageEditor({ page }: { page: Schemas['Page'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('pages.write');
  const [isChanged, setChanged] = useState(false);
  const [seen, setSeen] = useState(page);
  useUnsavedForm(isChanged);
  const { update: save } = useResource('pages', {
    onUpdated: (saved) => {
      // Others may have changed further fields in the meantime.
      setSeen(saved);
      set(valuesOf(saved));
      setChanged(false);
    },
  });
  const { values, messages, set, text } = useFields(valuesOf(page), save.error);
  return (
    <div className="grid gap-6 px-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <form
        className="min-w-0"
        onChange={() => setChanged(true)}
        onSubmit={(event) => {
          event.preventDefault();
          save.write({ seen, body: toBody(values) });
        }}
      >
        <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
          <legend className="sr-only">Content</legend>
          <Refused error={save.error} />
          <TextField label="Title" required maxLength={200} {...text('title')} />
          <TextArea label="Text" rows={4} maxLength={5_000} {...text('text')} />
          <TextField
            label="Image URL"
            type="url"
            placeholder="https://example.com/picture.jpg"
            {...text('image')}
          />
          <div className="grid gap-4 md:grid-cols-2">
            <TextField
              label="Button text"
              placeholder="Continue"
              hint="Leave empty for “Continue” in the visitor’s language."
              maxLength={80}
              {...text('button')}
            />
            <TextField
              label="Wait (seconds)"
              type="number"
              hint="How long visitors wait before they can continue."
              min={0}
              max={60}
              value={values.waitSeconds}
              error={messages['waitSeconds']}
              onChange={(event) => set({ waitSeconds: event.target.valueAsNumber || 0 })}
            />
          </div>
          <FormFields
            fields={values.fields}
            onChange={(fields) => {
              set({ fields });
              setChanged(true);
            }}
            messages={messages}
          />
          {mayWrite && (
            <div className="flex justify-end">
              <Button type="submit" look="primary" busy={save.isPending}>
                Save
              </Button>
            </div>
          )}
        </fieldset>
      </form>
      <Preview page={{ ...values, hasImage: values.image !== '' }} />
    </div>
  );
}

const valuesOf = ({ title, text, image, button, waitSeconds, fields }: Schemas['Page']) => ({
  title,
  text: text ?? '',
  image: image ?? '',
  button: button ?? '',
  waitSeconds,
  fields,
});

/** Converts the form to a request body, without empty lines among the options of its fields. */
const toBody = ({ text, image, button, fields, ...others }: ReturnType<typeof valuesOf>) => ({
  ...others,
  text: text || null,
  image: image || null,
  button: button || null,
  fields: fields.map(({ options, ...field }) => ({
    ...field,
    ...(options !== undefined && { options: options.filter((one) => one.trim() !== '') }),
  })) as Schemas['NewFormField'][],
});
