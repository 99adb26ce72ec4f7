import { Image } from 'lucide-react';
import type { FormField } from './form-fields.tsx';

interface PreviewProps {
  page: {
    title: string;
    text: string;
    button: string;
    hasImage: boolean;
    fields: readonly FormField[];
  };
}

/** A preview of the page without its image, because the console loads nothing from other hosts. */
export function Preview({ page: { title, text, button, hasImage, fields } }: PreviewProps) {
  return (
    <figure aria-label="Preview" className="flex flex-col gap-2 lg:sticky lg:top-4 lg:self-start">
      <figcaption className="text-xs text-muted">What visitors see</figcaption>
      <div className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-5 shadow-sm">
        {hasImage && (
          <div className="grid h-28 place-items-center rounded-md bg-hover text-muted">
            <Image size={22} aria-hidden />
          </div>
        )}
        <p className="text-base font-semibold break-words">{title === '' ? 'Title' : title}</p>
        {text !== '' && <p className="break-words whitespace-pre-line text-muted">{text}</p>}
        {fields.map((field, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- fields have no ids
          <div key={at} className="flex flex-col gap-1">
            <span className="text-xs font-medium">
              {field.label === '' ? 'Question' : field.label}
              {field.required && ' *'}
            </span>
            <span className="h-8 rounded-md border border-edge" />
          </div>
        ))}
        <span className="rounded-md bg-accent py-2 text-center font-medium text-accent-ink">
          {button === '' ? 'Continue' : button}
        </span>
      </div>
    </figure>
  );
}
