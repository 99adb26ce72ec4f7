import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useUnsavedForm } from '../app/leaving.ts';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea, TextField } from '../ui/field.tsx';
import { messagesOf, Refused } from '../ui/form-dialog.tsx';
import { type FormField, FormFields } from './form-fields.tsx';
import { Preview } from './preview.tsx';

/** A form that edits a page, beside a preview. */
export function PageEditor({ page }: { page: Schemas['Page'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('pages.write');
  const [title, setTitle] = useState(page.title);
  const [text, setText] = useState(page.text ?? '');
  const [image, setImage] = useState(page.image ?? '');
  const [button, setButton] = useState(page.button ?? '');
  const [waitSeconds, setWaitSeconds] = useState(page.waitSeconds);
  const [fields, setFields] = useState(page.fields);
  const [isChanged, setChanged] = useState(false);
  const [seen, setSeen] = useState(page);
  useUnsavedForm(isChanged);
  const { update: save } = useResource('pages', {
    onUpdated: (saved) => {
      // Others may have changed further fields in the meantime.
      setSeen(saved);
      setTitle(saved.title);
      setText(saved.text ?? '');
      setImage(saved.image ?? '');
      setButton(saved.button ?? '');
      setWaitSeconds(saved.waitSeconds);
      setFields(saved.fields);
      setChanged(false);
    },
  });
  const messages = messagesOf(save.error);
  return (
    <div className="grid gap-6 px-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <form
        className="min-w-0"
        onChange={() => setChanged(true)}
        onSubmit={(event) => {
          event.preventDefault();
          const body = {
            title,
            text: text === '' ? null : text,
            image: image === '' ? null : image,
            button: button === '' ? null : button,
            waitSeconds,
            fields: fields.map(toBody),
          };
          save.write({ seen, body });
        }}
      >
        <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
          <legend className="sr-only">Content</legend>
          <Refused error={save.error} />
          <TextField
            label="Title"
            required
            maxLength={200}
            value={title}
            error={messages['title']}
            onChange={(event) => setTitle(event.target.value)}
          />
          <TextArea
            label="Text"
            rows={4}
            maxLength={5_000}
            value={text}
            error={messages['text']}
            onChange={(event) => setText(event.target.value)}
          />
          <TextField
            label="Image URL"
            type="url"
            placeholder="https://example.com/picture.jpg"
            value={image}
            error={messages['image']}
            onChange={(event) => setImage(event.target.value)}
          />
          <div className="grid gap-4 md:grid-cols-2">
            <TextField
              label="Button text"
              placeholder="Continue"
              hint="Leave empty for “Continue” in the visitor’s language."
              maxLength={80}
              value={button}
              error={messages['button']}
              onChange={(event) => setButton(event.target.value)}
            />
            <TextField
              label="Wait (seconds)"
              type="number"
              hint="How long visitors wait before they can continue."
              min={0}
              max={60}
              value={waitSeconds}
              error={messages['waitSeconds']}
              onChange={(event) => setWaitSeconds(event.target.valueAsNumber || 0)}
            />
          </div>
          <FormFields
            fields={fields}
            onChange={(changed) => {
              setFields(changed);
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
      <Preview page={{ title, text, button, fields, hasImage: image !== '' }} />
    </div>
  );
}

/** Converts a field to a request body, without empty lines among the options. */
const toBody = ({ options, ...field }: FormField): Schemas['NewFormField'] =>
  ({
    ...field,
    ...(options !== undefined && { options: options.filter((one) => one.trim() !== '') }),
  }) as Schemas['NewFormField'];
