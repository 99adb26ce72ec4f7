import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { pagesQuery } from '../pages/queries.ts';
import { CopyButton } from '../ui/button.tsx';
import { FieldError, SelectField } from '../ui/field.tsx';
import { webhooksQuery } from '../webhooks/queries.ts';
import { FieldSection } from './field-section.tsx';
import type { PartProps } from './section.tsx';

/** The section for start, expiry and visit limits. */
export const ScheduleSection = (part: PartProps) => (
  <FieldSection {...part} section="schedule" title="Schedule and limits" />
);

/** The section for passwords and public statistics. */
export const AccessSection = (part: PartProps) => (
  <FieldSection
    {...part}
    section="access"
    title="Password and visibility"
    hints={{ publicStats: <StatsHint record={part.record} /> }}
  />
);

/** A hint with the address of the public statistics. */
function StatsHint({ record }: Pick<PartProps, 'record'>) {
  if (record?.shortLink == null) {
    return 'Anyone can view them on the link’s domain, at /_/stats/ and the slug.';
  }
  const { origin, pathname } = new URL(record.shortLink);
  const url = `${origin}/_/stats${pathname}`;
  return (
    <span className="flex flex-wrap items-center gap-1">
      Anyone can view them at <span className="wrap-anywhere">{url}</span>
      <CopyButton text={url} label="Copy the URL of the statistics" />
    </span>
  );
}

/** The section for a page that visitors see before the destination. */
export const PageSection = (part: PartProps) => (
  <FieldSection
    {...part}
    section="page"
    title="Page before the destination"
    own={{ pageId: <PageChoice key="pageId" {...part} /> }}
  />
);

function PageChoice({ draft, errors, change }: PartProps) {
  const { api } = useWorkspace();
  const pages = useQuery(pagesQuery(api));
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

/** The section for redirection and tracking. */
export const RedirectSection = (part: PartProps) => (
  <FieldSection
    {...part}
    section="redirect"
    title="Redirect and tracking"
    own={{
      redirectStatus: <StatusChoice key="redirectStatus" {...part} />,
      webhookIds: <WebhookChoice key="webhookIds" {...part} />,
    }}
  />
);

function StatusChoice({ draft, errors, change }: PartProps) {
  return (
    <SelectField
      label="Redirect status"
      value={draft.redirectStatus}
      error={errors['redirectStatus']}
      onChange={(event) => change({ redirectStatus: event.target.value })}
    >
      <option value="301">301, permanent</option>
      <option value="302">302, temporary</option>
      <option value="307">307, temporary, same method</option>
      <option value="308">308, permanent, same method</option>
    </SelectField>
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
                onChange={({ target: { checked } }) =>
                  change({
                    webhookIds: checked
                      ? [...draft.webhookIds, id]
                      : draft.webhookIds.filter((one) => one !== id),
                  })
                }
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

/** The section for notes and links to other systems. */
export const MoreSection = (part: PartProps) => (
  <FieldSection {...part} section="more" title="Comments and IDs" />
);
