import { FieldSection } from '../../short-links/field-section.tsx';
import { LabelFields } from '../../short-links/label-fields.tsx';
import { OptionSections } from '../../short-links/option-sections.tsx';
import type { PartProps } from '../../short-links/section.tsx';
import { ShortLinkField } from '../../short-links/short-link-field.tsx';
import { carryUtm } from '../../short-links/utm.ts';
import { UtmSection } from '../../short-links/utm-section.tsx';
import { TextField } from '../../ui/field.tsx';
import { CreateMany } from '../batch/create-many.tsx';
import type { Link } from '../kind.ts';
import { DestinationNotice } from './destination-notice.tsx';
import type { Draft } from './draft.ts';

interface LinkFormProps extends PartProps {
  record: Link | undefined;
  draft: Draft;
  change(part: Partial<Draft>): void;
}

/** All fields of a link: the common ones first, the others in sections. */
export function LinkForm(part: LinkFormProps) {
  const { draft, errors, change, record } = part;
  return (
    <>
      <TextField
        label="Destination"
        type="url"
        inputMode="url"
        data-autofocus={record === undefined ? true : undefined}
        placeholder="https://example.com/page"
        value={draft.url}
        error={errors['url']}
        forManyUrls={record === undefined ? CreateMany : undefined}
        onChange={({ target }) => change({ url: carryUtm(draft.url, target.value) })}
      />
      {record?.destinationCheck && draft.url === record.url && (
        <DestinationNotice check={record.destinationCheck} url={record.url} />
      )}
      <TextField
        label="Title"
        maxLength={1000}
        value={draft.title}
        error={errors['title']}
        hint="Shown in lists. Leave empty to use the destination’s title."
        onChange={(event) => change({ title: event.target.value })}
      />
      <ShortLinkField {...part} />
      <LabelFields {...part} />
      <div className="flex flex-col gap-2">
        <UtmSection
          url={draft.url}
          stored={record?.url}
          errors={errors}
          onChange={(url) => change({ url })}
        />
        <FieldSection {...part} section="preview" hasFurtherError={errors['video'] !== undefined}>
          <TextField
            label="Video URL"
            type="url"
            value={draft.video}
            error={errors['video']}
            onChange={(event) => change({ video: event.target.value })}
          />
        </FieldSection>
        <OptionSections {...part} />
      </div>
    </>
  );
}
