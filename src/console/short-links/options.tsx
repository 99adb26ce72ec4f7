import { useQuery } from '@tanstack/react-query';
import { answer } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, Switch, TextArea, TextField } from '../ui/field.tsx';
import { EMPTY } from './draft.ts';
import { type PartProps, Section } from './section.tsx';

/** True when one of the fields was refused. */
const anyOf = (errors: PartProps['errors'], ...names: string[]): boolean =>
  names.some((name) => errors[name] !== undefined);

/** When it works, and how often. */
export function ScheduleSection({ draft, errors, change }: PartProps) {
  const { startsAt, expiresAt, expiredUrl, maxVisits } = draft;
  return (
    <Section
      title="Schedule and limits"
      isSet={[startsAt, expiresAt, expiredUrl, maxVisits].some((text) => text !== '')}
      hasError={anyOf(errors, 'startsAt', 'expiresAt', 'expiredUrl', 'maxVisits')}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Starts at"
          type="datetime-local"
          value={startsAt}
          error={errors['startsAt']}
          onChange={(event) => change({ startsAt: event.target.value })}
        />
        <TextField
          label="Expires at"
          type="datetime-local"
          value={expiresAt}
          error={errors['expiresAt']}
          onChange={(event) => change({ expiresAt: event.target.value })}
        />
      </div>
      <TextField
        label="Most visits"
        type="number"
        min={1}
        value={maxVisits}
        error={errors['maxVisits']}
        hint="After this many counted visits it has expired."
        onChange={(event) => change({ maxVisits: event.target.value })}
      />
      <TextField
        label="Destination once it has expired"
        type="url"
        value={expiredUrl}
        error={errors['expiredUrl']}
        hint="Empty: that of the domain, or a page that says so."
        onChange={(event) => change({ expiredUrl: event.target.value })}
      />
    </Section>
  );
}

/** Who may see what. */
export function AccessSection({ draft, errors, change }: PartProps) {
  return (
    <Section
      title="Password and visibility"
      isSet={draft.password !== '' || draft.publicStats || draft.doIndex}
      hasError={anyOf(errors, 'password', 'publicStats', 'doIndex')}
    >
      <TextField
        label="Password"
        autoComplete="off"
        maxLength={200}
        value={draft.password}
        error={errors['password']}
        hint="Visitors must enter it."
        onChange={(event) => change({ password: event.target.value })}
      />
      <Switch
        label="Public statistics"
        hint="Anyone may see them, at the short link with /_/stats before its slug."
        checked={draft.publicStats}
        onChange={(publicStats) => change({ publicStats })}
      />
      <Switch
        label="Search engines may index it"
        checked={draft.doIndex}
        onChange={(doIndex) => change({ doIndex })}
      />
    </Section>
  );
}

/** A page that visitors see first. */
export function PageSection({ draft, errors, change }: PartProps) {
  const { api } = useWorkspace();
  const pages = useQuery({
    queryKey: ['pages'],
    queryFn: ({ signal }) => answer(api.GET('/pages', { signal })),
    staleTime: 60_000,
  });
  return (
    <Section
      title="Page before the destination"
      isSet={draft.preRedirection}
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
        label="Address of your own page"
        type="url"
        value={draft.pageUrl}
        error={errors['pageUrl']}
        hint="It gets the parameter “continue”, which leads on to the destination."
        onChange={(event) => change({ pageUrl: event.target.value })}
      />
      <Switch
        label="The form must be filled in"
        checked={draft.isFormMandatory}
        onChange={(isFormMandatory) => change({ isFormMandatory })}
      />
    </Section>
  );
}

/** How it redirects, and what it tracks. */
export function RedirectSection({ draft, errors, change }: PartProps) {
  const { api, may } = useWorkspace();
  const webhooks = useQuery({
    queryKey: ['webhooks'],
    queryFn: ({ signal }) => answer(api.GET('/webhooks', { signal })),
    enabled: may('webhooks.read'),
    staleTime: 60_000,
  });
  const names = ['trackConversion', 'flexible', 'forwardQuery', 'redirectStatus', 'rewrite'];
  return (
    <Section
      title="Redirect and tracking"
      isSet={
        draft.trackConversion ||
        draft.flexible ||
        !draft.forwardQuery ||
        draft.rewrite ||
        draft.redirectStatus !== EMPTY.redirectStatus ||
        draft.webhookIds.length > 0
      }
      hasError={anyOf(errors, ...names, 'webhookIds')}
    >
      <Switch
        label="Track conversions"
        hint="The id of the click goes to the destination as click_id; leads and sales are attributed by it."
        checked={draft.trackConversion}
        onChange={(trackConversion) => change({ trackConversion })}
      />
      <Switch
        label="Pass on the path"
        hint="/slug/more leads to the destination with /more added."
        checked={draft.flexible}
        onChange={(flexible) => change({ flexible })}
      />
      <Switch
        label="Pass on the query"
        checked={draft.forwardQuery}
        onChange={(forwardQuery) => change({ forwardQuery })}
      />
      <Switch
        label="Show the destination under the short link"
        hint="In a frame, where the destination lets itself be framed."
        checked={draft.rewrite}
        onChange={(rewrite) => change({ rewrite })}
      />
      {errors['rewrite'] && <p className="text-xs text-danger">{errors['rewrite']}</p>}
      <SelectField
        label="Status of the redirect"
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
          <legend className="font-medium">Webhooks for its visits</legend>
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
      {errors['webhookIds'] && <p className="text-xs text-danger">{errors['webhookIds']}</p>}
    </Section>
  );
}

/** Notes, and what ties it to other systems. */
export function MoreSection({ draft, errors, change, record }: PartProps) {
  const { comments, externalId, notificationToken, prefix, archived } = draft;
  return (
    <Section
      title="Comments and ids"
      isSet={
        archived || [comments, externalId, notificationToken, prefix].some((text) => text !== '')
      }
      hasError={anyOf(errors, 'comments', 'externalId', 'notificationToken', 'prefix', 'archived')}
    >
      <TextArea
        label="Comments"
        maxLength={10_000}
        value={comments}
        error={errors['comments']}
        hint="For your team; visitors don’t see them."
        onChange={(event) => change({ comments: event.target.value })}
      />
      <TextField
        label="External id"
        maxLength={255}
        value={externalId}
        error={errors['externalId']}
        hint="The id of the record in your own system."
        onChange={(event) => change({ externalId: event.target.value })}
      />
      <TextField
        label="Notification token"
        maxLength={1000}
        value={notificationToken}
        error={errors['notificationToken']}
        hint="A text of your own that the API returns as it is."
        onChange={(event) => change({ notificationToken: event.target.value })}
      />
      {record === undefined && (
        <TextField
          label="Prefix of a random slug"
          value={prefix}
          error={errors['prefix']}
          hint="Used when no slug is entered."
          onChange={(event) => change({ prefix: event.target.value })}
        />
      )}
      <Switch
        label="Archived"
        hint="Lists leave it out. It works as before."
        checked={archived}
        onChange={(archived) => change({ archived })}
      />
    </Section>
  );
}
