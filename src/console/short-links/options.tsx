import { useQuery } from '@tanstack/react-query';

import { useWorkspace } from '../app/workspace.tsx';
import { pagesQuery } from '../pages/queries.ts';
import { CopyButton } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import {
  DateTimeField,
  FieldError,
  SelectField,
  Switch,
  TextArea,
  TextField,
} from '../ui/field.tsx';
import { webhooksQuery } from '../webhooks/queries.ts';
import { EMPTY } from './draft.ts';
import { type PartProps, Section, summaryOf } from './section.tsx';

/** True when one of the fields was refused. */
const anyOf = (errors: PartProps['errors'], ...names: string[]): boolean =>
  names.some((name) => errors[name] !== undefined);

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const dayAndYear = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** The day of a time of a field, with its year where that is another one: "Dec 24". */
function dayOf(local: string): string {
  const at = new Date(local);
  if (Number.isNaN(at.getTime())) return '';
  return (at.getFullYear() === new Date().getFullYear() ? day : dayAndYear).format(at);
}

/** When it works, and how often. */
export function ScheduleSection({ draft, errors, change }: PartProps) {
  const { startsAt, expiresAt, expiredUrl, maxVisits } = draft;
  return (
    <Section
      title="Schedule and limits"
      summary={summaryOf(
        startsAt !== '' && `starts ${dayOf(startsAt)}`,
        expiresAt !== '' && `expires ${dayOf(expiresAt)}`,
        maxVisits !== '' && `${maxVisits} clicks`,
        expiredUrl !== '' && 'then another URL',
      )}
      hasError={anyOf(errors, 'startsAt', 'expiresAt', 'expiredUrl', 'maxVisits')}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <DateTimeField
          label="Starts at"
          value={startsAt}
          error={errors['startsAt']}
          onChange={(event) => change({ startsAt: event.target.value })}
        />
        <DateTimeField
          label="Expires at"
          value={expiresAt}
          error={errors['expiresAt']}
          onChange={(event) => change({ expiresAt: event.target.value })}
        />
      </div>
      <TextField
        label="Click limit"
        type="number"
        min={1}
        value={maxVisits}
        error={errors['maxVisits']}
        hint="The link expires after this many clicks."
        onChange={(event) => change({ maxVisits: event.target.value })}
      />
      <TextField
        label="Destination after it expires"
        type="url"
        value={expiredUrl}
        error={errors['expiredUrl']}
        hint="Leave empty to use the domain’s setting."
        onChange={(event) => change({ expiredUrl: event.target.value })}
      />
    </Section>
  );
}

/** Who may see what. */
export function AccessSection({ draft, errors, change, record }: PartProps) {
  return (
    <Section
      title="Password and visibility"
      summary={summaryOf(
        draft.password !== '' && 'password',
        draft.publicStats && 'public statistics',
        draft.doIndex && 'in search engines',
      )}
      hasError={anyOf(errors, 'password', 'publicStats', 'doIndex')}
    >
      <TextField
        label="Password"
        autoComplete="off"
        maxLength={200}
        value={draft.password}
        error={errors['password']}
        hint="Visitors enter it to reach the destination."
        onChange={(event) => change({ password: event.target.value })}
      />
      <Switch
        label="Public statistics"
        hint={<StatsHint record={record} />}
        checked={draft.publicStats}
        onChange={(publicStats) => change({ publicStats })}
      />
      <Switch
        label="Allow search engines to index the link"
        checked={draft.doIndex}
        onChange={(doIndex) => change({ doIndex })}
      />
    </Section>
  );
}

/** Where anybody sees the statistics of a short link. */
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

/** A page that visitors see first. */
export function PageSection({ draft, errors, change }: PartProps) {
  const { api } = useWorkspace();
  const pages = useQuery(pagesQuery(api));
  return (
    <Section
      title="Page before the destination"
      summary={summaryOf(draft.preRedirection && 'shown first')}
      hasError={anyOf(errors, 'preRedirection', 'pageId', 'pageUrl', 'isFormMandatory')}
    >
      <Switch
        label="Show a page first"
        checked={draft.preRedirection}
        onChange={(preRedirection) => change({ preRedirection })}
      />
      <SelectField
        label="Page"
        value={draft.pageId}
        error={errors['pageId']}
        onChange={(event) => change({ pageId: event.target.value })}
      >
        <option value="">None</option>
        {(pages.data ?? []).map(({ id, title }) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </SelectField>
      <TextField
        label="URL of a page on your site"
        type="url"
        value={draft.pageUrl}
        error={errors['pageUrl']}
        hint="We add the parameter “continue”. Your page sends visitors on to its value."
        onChange={(event) => change({ pageUrl: event.target.value })}
      />
      <Switch
        label="Require the page’s form"
        checked={draft.isFormMandatory}
        onChange={(isFormMandatory) => change({ isFormMandatory })}
      />
    </Section>
  );
}

/** How it redirects, and what it tracks. */
export function RedirectSection({ draft, errors, change }: PartProps) {
  const { api, may } = useWorkspace();
  const webhooks = useQuery({ ...webhooksQuery(api), enabled: may('webhooks.read') });
  const names = ['trackConversion', 'flexible', 'forwardQuery', 'redirectStatus', 'rewrite'];
  return (
    <Section
      title="Redirect and tracking"
      summary={summaryOf(
        draft.trackConversion && 'conversions',
        draft.flexible && 'passes the path',
        !draft.forwardQuery && 'drops the query',
        draft.rewrite && 'in a frame',
        draft.redirectStatus !== EMPTY.redirectStatus && draft.redirectStatus,
        draft.webhookIds.length > 0 && countOf(draft.webhookIds.length, 'webhook'),
      )}
      hasError={anyOf(errors, ...names, 'webhookIds')}
    >
      <Switch
        label="Track conversions"
        hint="Adds click_id to the destination URL so you can attribute leads and sales."
        checked={draft.trackConversion}
        onChange={(trackConversion) => change({ trackConversion })}
      />
      <Switch
        label="Forward the path"
        hint="/slug/more goes to the destination with /more added."
        checked={draft.flexible}
        onChange={(flexible) => change({ flexible })}
      />
      <Switch
        label="Forward query parameters"
        hint="/slug?a=1 goes to the destination with a=1 added."
        checked={draft.forwardQuery}
        onChange={(forwardQuery) => change({ forwardQuery })}
      />
      <Switch
        label="Cloak the destination"
        hint="Shows the page in a frame under your short link. Some sites don’t allow it."
        checked={draft.rewrite}
        onChange={(rewrite) => change({ rewrite })}
      />
      {errors['rewrite'] !== undefined && <FieldError error={errors['rewrite']} label="Cloaking" />}
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
    </Section>
  );
}

/** Notes, and what ties it to other systems. */
export function MoreSection({ draft, errors, change, record }: PartProps) {
  const { comments, externalId, notificationToken, prefix, archived } = draft;
  return (
    <Section
      title="Comments and IDs"
      summary={summaryOf(
        comments !== '' && 'comments',
        externalId !== '' && `ID ${externalId}`,
        notificationToken !== '' && 'notification token',
        prefix !== '' && `prefix ${prefix}`,
        archived && 'archived',
      )}
      hasError={anyOf(errors, 'comments', 'externalId', 'notificationToken', 'prefix', 'archived')}
    >
      <TextArea
        label="Comments"
        maxLength={10_000}
        value={comments}
        error={errors['comments']}
        hint="Only your team sees them."
        onChange={(event) => change({ comments: event.target.value })}
      />
      <TextField
        label="External ID"
        maxLength={255}
        value={externalId}
        error={errors['externalId']}
        hint="The link’s ID in your system."
        onChange={(event) => change({ externalId: event.target.value })}
      />
      <TextField
        label="Notification token"
        maxLength={1000}
        value={notificationToken}
        error={errors['notificationToken']}
        hint="Any text. The API returns it unchanged."
        onChange={(event) => change({ notificationToken: event.target.value })}
      />
      {record === undefined && (
        <TextField
          label="Prefix for a random slug"
          value={prefix}
          error={errors['prefix']}
          hint="Used when you leave the slug empty."
          onChange={(event) => change({ prefix: event.target.value })}
        />
      )}
      <Switch
        label="Archived"
        hint="Hidden from lists. The link keeps working."
        checked={archived}
        onChange={(archived) => change({ archived })}
      />
    </Section>
  );
}
