import { FieldSection } from '../short-links/field-section.tsx';
import { LabelFields } from '../short-links/label-fields.tsx';
import { OptionSections } from '../short-links/option-sections.tsx';
import { PreviewCard } from '../short-links/preview.tsx';
import type { PartProps } from '../short-links/section.tsx';
import { ShortLinkField } from '../short-links/short-link-field.tsx';
import { UtmSection } from '../short-links/utm-section.tsx';
import { CopyButton } from '../ui/button.tsx';
import { Field, inputLook, TextField } from '../ui/field.tsx';

/** The fields for title, tags and folder, and the short link of a dynamic code. */
export function LabelsPanel({ part, isStatic }: { part: PartProps; isStatic: boolean }) {
  const { draft, errors, change, record } = part;
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Title"
          maxLength={1000}
          placeholder="Poster at the entrance"
          hint={isStatic ? 'Shown in lists.' : 'Shown in lists and link previews.'}
          value={draft.title}
          error={errors['title']}
          onChange={({ target }) => change({ title: target.value })}
        />
        {!isStatic && record === undefined && (
          <ShortLinkField {...part} hint="You can’t change this once the code is created." />
        )}
        {record !== undefined && record.shortLink !== null && (
          <PrintedLink link={record.shortLink} />
        )}
      </div>
      <LabelFields {...part} />
    </>
  );
}

/** The short link of a stored code. */
function PrintedLink({ link }: { link: string }) {
  return (
    <Field label="Short link" hint="You can’t change this: it is printed in the code.">
      {(control) => (
        <div className="flex items-center gap-1">
          <input {...control} readOnly value={link} className={inputLook} />
          <CopyButton text={link} label="Copy the short link" />
        </div>
      )}
    </Field>
  );
}

interface OptionsPanelProps {
  part: PartProps;
  /** Destination URL of a dynamic code; absent when it has other content. */
  url: string | undefined;
  onUrl(url: string): void;
  isStatic: boolean;
}

/** The options of the short link, the same as for links; static codes have none. */
export function OptionsPanel({ part, url, onUrl, isStatic }: OptionsPanelProps) {
  if (isStatic) return <FieldSection {...part} section="more" />;
  return (
    <div className="flex flex-col gap-2">
      {url !== undefined && (
        <UtmSection url={url} stored={part.record?.url} errors={part.errors} onChange={onUrl} />
      )}
      <FieldSection {...part} section="preview">
        {part.draft.proxy && <PreviewCard draft={part.draft} url={url ?? ''} />}
      </FieldSection>
      <OptionSections {...part} />
    </div>
  );
}
