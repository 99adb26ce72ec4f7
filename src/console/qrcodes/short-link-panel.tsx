import { FolderField } from '../short-links/folder-field.tsx';
import { OptionSections } from '../short-links/option-sections.tsx';
import { MoreSection } from '../short-links/options.tsx';
import { PreviewCard, PreviewSection } from '../short-links/preview.tsx';
import type { PartProps } from '../short-links/section.tsx';
import { ShortLinkField } from '../short-links/short-link-field.tsx';
import { TagsField } from '../short-links/tags-field.tsx';
import { UtmSection } from '../short-links/utm-section.tsx';
import { CopyButton } from '../ui/button.tsx';
import { Field, inputLook, TextField } from '../ui/field.tsx';

/** The fields for title, tags and folder, and the short link of a dynamic code. */
export function PlacePanel({ part, isStatic }: { part: PartProps; isStatic: boolean }) {
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
      <div className="grid gap-4 md:grid-cols-2">
        <TagsField {...part} />
        <FolderField {...part} />
      </div>
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
  if (isStatic) return <MoreSection {...part} />;
  return (
    <div className="flex flex-col gap-2">
      {url !== undefined && <UtmSection url={url} errors={part.errors} onChange={onUrl} />}
      <PreviewSection {...part}>
        {part.draft.proxy && <PreviewCard draft={part.draft} url={url ?? ''} />}
      </PreviewSection>
      <OptionSections {...part} />
    </div>
  );
}
