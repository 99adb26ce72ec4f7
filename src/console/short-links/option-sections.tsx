import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { pagesQuery } from '../pages/queries.ts';
import { CopyButton } from '../ui/button.tsx';
import { FieldError, SelectField } from '../ui/field.tsx';
import { webhooksQuery } from '../webhooks/queries.ts';
import { toggled } from './draft.ts';
import { FieldSection } from './field-section.tsx';
import { RulesSection } from './rules.tsx';
import type { PartProps } from './section.tsx';
import { statsUrlOf } from './stats-url.ts';
import { CountryTargets } from './targets.tsx';
import { TestSection } from './test-variants.tsx';

/** The sections for the behavior and tracking of a short link. */
export function OptionSections(part: PartProps) {
  return (
    <>
      <FieldSection
        {...part}
        section="targets"
        own={{ geo: <CountryTargets key="geo" {...part} /> }}
      />
      <RulesSection {...part} />
      <TestSection {...part} />
      <FieldSection {...part} section="schedule" />
      <FieldSection
        {...part}
        section="access"
        hints={{ publicStats: <StatsHint record={part.record} /> }}
      />
      <FieldSection
        {...part}
        section="page"
        own={{ pageId: <PageChoice key="pageId" {...part} /> }}
      />
      <FieldSection
        {...part}
        section="redirect"
        own={{ webhookIds: <WebhookChoice key="webhookIds" {...part} /> }}
      />
      <FieldSection {...part} section="more" />
    </>
  );
}

/** A hint with the address of the public statistics. */
function StatsHint({ record }: Pick<PartProps, 'record'>) {
  if (record?.shortLink == null) {
    return 'Anyone can view them on the link’s domain, at /_/stats/ and the slug.';
  }
  const url = statsUrlOf(record.shortLink);
  return (
    <span className="flex flex-wrap items-center gap-1">
      Anyone can view them at <span className="wrap-anywhere">{url}</span>
      <CopyButton text={url} label="Copy the URL of the statistics" />
    </span>
  );
}

function PageChoice({ draft, errors, change }: PartProps) {
  const { api, may } = useWorkspace();
  const pages = useQuery({ ...pagesQuery(api), enabled: may('pages.read') });
  if (!may('pages.read')) return null;
  return (
    <SelectField
      label="Page"
      value={draft.pageId}
      error={errors['pageId']}
      onChange={(event) => change({ pageId: event.target.value })}
      none="None"
      options={pages.data?.map(({ id, title }) => [id, title]) ?? []}
    />
  );
}

function WebhookChoice({ draft, errors, change }: PartProps) {
  const { api, may } = useWorkspace();
  const webhooks = useQuery({ ...webhooksQuery(api), enabled: may('webhooks.read') });
  return (
    <>
      {webhooks.data !== undefined && webhooks.data.length > 0 && (
        <fieldset className="flex flex-col gap-1">
          <legend className="font-medium">Webhooks for visits</legend>
          {webhooks.data.map(({ id, name }) => (
            <label key={id} className="flex h-8 items-center gap-2 max-md:h-11">
              <input
                type="checkbox"
                checked={draft.webhookIds.includes(id)}
                onChange={() => change({ webhookIds: toggled(draft.webhookIds, id) })}
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
      {errors['webhookIds'] !== undefined && (
        <FieldError error={errors['webhookIds']} label="Webhooks" />
      )}
    </>
  );
}
