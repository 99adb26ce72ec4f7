import { useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { Redo2, Undo2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { type KeptDraft, RestoredNote, useDraft } from '../app/draft.tsx';
import { saveRecord } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { useFieldErrors, useFocusOnRefusal } from '../short-links/errors.ts';
import { ScheduleDialog } from '../short-links/schedule-dialog.tsx';
import type { PartProps } from '../short-links/section.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Switch, TextField } from '../ui/field.tsx';
import { Section } from '../ui/section.tsx';
import { toastError } from '../ui/toast-error.ts';
import { raiseToasts, toast } from '../ui/toasts.tsx';
import { useIsShown } from '../ui/use-is-shown.ts';
import { BackgroundPanel } from './background-panel.tsx';
import { type Draft, encodeContent } from './content.ts';
import { faultInWords } from './content-fields.ts';
import { ContentForm } from './content-form.tsx';
import { DownloadPanel } from './download-panel.tsx';
import {
  type CodeDraft,
  changesOf,
  contentOf,
  creationOf,
  draftOf,
  hasOtherContent,
  isOfLink,
  isStaticOf,
  NEW_DRAFT,
  withLink,
} from './draft.ts';
import { FramePanel } from './frame-panel.tsx';
import { ImagePanel } from './image-panel.tsx';
import { KindPanel } from './kind-panel.tsx';
import { LinkChoice } from './link-choice.tsx';
import { type Look, PLAIN_LOOK, type QrCode } from './look.ts';
import { Presets } from './presets.tsx';
import { Preview, Thumbnail } from './preview.tsx';
import { LabelsPanel, OptionsPanel } from './short-link-panel.tsx';
import { OutputPanel, StylePanel } from './style-panel.tsx';
import { TypeChoice } from './type-choice.tsx';
import { type History, useHistory } from './use-history.ts';
import { usePayload } from './use-payload.ts';

interface DesignerProps {
  record: QrCode | undefined;
  /** Style of a new code. */
  look?: Look;
  /** The existing link whose new code is designed. */
  link?: Schemas['Link'] | undefined;
}

/** The form for the content and style of a code, beside a preview. */
export function Designer({ record, look: firstLook = PLAIN_LOOK, link }: DesignerProps) {
  const { may } = useWorkspace();
  const [before, setBefore] = useState(() => {
    if (record !== undefined) return draftOf(record);
    const draft = { ...NEW_DRAFT, look: firstLook };
    return link === undefined ? draft : withLink(draft, link);
  });
  const kept = useDraft(`qrcode ${record?.id ?? link?.id ?? 'new'}`, before);
  const { draft, setDraft, isChanged } = kept;
  const [refusal, setRefusal] = useState<Error | null>(null);
  const [errors, correct] = useFieldErrors(refusal);
  const form = useRef<HTMLFieldSetElement>(null);
  const payload = usePayload(draft, record);
  const save = useSave(record, kept, setRefusal);
  // Fields are disabled while the request runs, so they cannot take the focus yet.
  useFocusOnRefusal(form, save.isPending ? null : refusal);
  useBlocker({
    shouldBlockFn() {
      const isLeft = confirm('Leave without saving the QR code?');
      if (isLeft) kept.forget();
      return !isLeft;
    },
    enableBeforeUnload: false,
    disabled: !isChanged || save.isPending || save.isSuccess,
  });
  const history = useHistory(draft, (value) => setDraft(() => value));
  const edit = (changes: object, update: (now: CodeDraft) => CodeDraft) => {
    save.reset();
    correct(changes);
    history.note(draft, Object.keys(changes).join());
    setDraft(update);
  };
  const change = (changes: Partial<CodeDraft>) => edit(changes, (now) => ({ ...now, ...changes }));
  const changeLook = (changes: Partial<Look>) =>
    edit(changes, (now) => ({ ...now, look: { ...now.look, ...changes } }));
  const mayWrite = may('qrcodes.write');
  const { look, shortLink } = draft;
  const isStatic = isStaticOf(draft);
  const lookProps = { look, onChange: changeLook, errors };
  const part: PartProps = {
    draft: shortLink,
    errors,
    change: (changes) =>
      edit(changes, (now) => ({ ...now, shortLink: { ...now.shortLink, ...changes } })),
    record,
  };
  const content = contentOf(draft);
  const changeContent = (changed: Draft) => {
    const changes = { [draft.type]: changed };
    edit(changes, (now) => ({ ...now, contents: { ...now.contents, ...changes } }));
  };
  /** Checks a content that is new or changed, and tells what it lacks. */
  const isContentComplete = async () => {
    setRefusal(null);
    if (record !== undefined && !hasOtherContent(before, draft)) return true;
    const result = await encodeContent(draft.type, content);
    if (!('faults' in result)) return true;
    const [fault = ''] = result.faults;
    setRefusal(new ApiError(422, 'unprocessable_entity', result.faults.join('; ')));
    toast(faultInWords(draft.type, fault), 'danger');
    return false;
  };
  const submit = async () => {
    if (!(await isContentComplete())) return;
    save.write({ before, draft }, (saved) => {
      // The stored value may differ from the input: the API adds https:// to a URL.
      const stored = draftOf(saved);
      setBefore(stored);
      setDraft(() => stored);
      history.clear();
    });
  };
  const [isScheduling, setScheduling] = useState(false);
  const saveButtons = mayWrite && (
    <>
      <Button
        look="primary"
        busy={save.isPending}
        disabled={record !== undefined && !isChanged}
        onClick={() => void submit()}
      >
        {record === undefined ? 'Create QR code' : 'Save'}
      </Button>
      {record !== undefined && (
        <Button
          disabled={!isChanged || save.isPending}
          onClick={() => void isContentComplete().then(setScheduling)}
        >
          Schedule
        </Button>
      )}
    </>
  );
  return (
    <>
      <div className="grid gap-x-8 gap-y-4 px-4 pb-10 md:px-6 lg:grid-cols-[minmax(0,1fr)_22rem] lg:items-start">
        <fieldset
          ref={form}
          disabled={!mayWrite || save.isPending}
          className="flex min-w-0 flex-col gap-4"
        >
          <legend className="sr-only">Design</legend>
          <RestoredNote {...kept} />
          <Section title="Content">
            <TypeChoice
              type={draft.type}
              isDisabled={record?.static === true}
              onChange={(type) => change({ type })}
            />
            <ContentForm
              key={draft.type}
              type={draft.type}
              draft={content}
              onChange={changeContent}
              errors={errors}
              isDisabled={record?.static === true}
            />
            {record === undefined && draft.type === 'url' && may('links.read') && (
              <div>
                <LinkChoice
                  onChosen={(chosen) => edit({ url: true }, (now) => withLink(now, chosen))}
                />
              </div>
            )}
            {isOfLink(draft) ? (
              <p className="text-xs text-muted">
                The code of an existing link. Scans count as scans of the link, and you can change
                its destination on the page of the link.
              </p>
            ) : (
              <KindPanel draft={draft} onChange={change} isStored={record !== undefined} />
            )}
          </Section>
          <Section title={isStatic ? 'Name' : 'Name and short link'}>
            <LabelsPanel part={part} isStatic={isStatic} />
          </Section>
          <Section title="Presets">
            <Presets onChosen={(chosen) => changeLook({ ...chosen, size: look.size })} />
          </Section>
          <Section title="Style">
            <StylePanel {...lookProps} />
          </Section>
          <Section title="Logo">
            <ImagePanel {...lookProps} />
          </Section>
          <Section title="Background picture">
            <BackgroundPanel {...lookProps} />
          </Section>
          <Section title="Frame">
            <FramePanel {...lookProps} />
          </Section>
          <Section title="Size and error correction">
            <OutputPanel {...lookProps} />
          </Section>
          <Section title="Options">
            <OptionsPanel
              part={part}
              url={draft.type === 'url' && typeof content === 'string' ? content : undefined}
              onUrl={changeContent}
              isStatic={isStatic}
            />
          </Section>
        </fieldset>
        <aside
          className={classes(
            'flex flex-col gap-5 rounded-xl border border-line bg-panel p-4 lg:sticky lg:top-0',
            record !== undefined && 'max-lg:order-first',
          )}
        >
          {mayWrite && <HistoryButtons {...history} isDisabled={save.isPending} />}
          <Preview
            payload={payload.text}
            look={look}
            hint={payload.hint}
            isSample={payload.isSample}
            onLogoSize={mayWrite && !save.isPending ? changeLook : undefined}
          />
          {mayWrite && (
            <div className="flex flex-col gap-3 border-t border-line pt-4">
              <Switch
                label="Save style as template"
                checked={draft.isTemplate}
                onChange={(isTemplate) => change({ isTemplate })}
              />
              {draft.isTemplate && (
                <TextField
                  label="Template name"
                  placeholder="Spring campaign"
                  maxLength={64}
                  value={draft.templateName}
                  onChange={({ target }) => change({ templateName: target.value })}
                  error={errors['templateName']}
                />
              )}
              <div className="grid gap-2 max-lg:hidden">{saveButtons}</div>
            </div>
          )}
          <div className="border-t border-line pt-4">
            {record === undefined ? (
              <p className="text-muted">Create the code to download it.</p>
            ) : isChanged ? (
              <p className="text-muted">Save your changes to download the code.</p>
            ) : (
              <DownloadPanel record={record} />
            )}
          </div>
        </aside>
      </div>
      {mayWrite && (
        <div
          ref={raiseToasts}
          className="sticky bottom-0 z-10 order-last flex items-center gap-3 border-t border-line bg-raised px-4 py-2 lg:hidden"
        >
          <Thumbnail payload={payload.text} look={look} isSample={payload.isSample} />
          {saveButtons}
        </div>
      )}
      {isScheduling && record !== undefined && (
        <ScheduleDialog
          list="qrcodes"
          id={record.id}
          changes={changesOf(before, draft)}
          onScheduled={() => {
            setScheduling(false);
            kept.forget();
            setDraft(() => before);
            history.clear();
          }}
          onClose={() => setScheduling(false)}
        />
      )}
    </>
  );
}

/** Buttons that step back and forth through the changes of the draft. */
function HistoryButtons({
  undo,
  redo,
  isDisabled,
}: Pick<History<CodeDraft>, 'undo' | 'redo'> & { isDisabled: boolean }) {
  return (
    <div className="flex justify-end gap-1">
      <IconButton
        icon={Undo2}
        label="Undo"
        disabled={undo === undefined || isDisabled}
        onClick={undo}
      />
      <IconButton
        icon={Redo2}
        label="Redo"
        disabled={redo === undefined || isDisabled}
        onClick={redo}
      />
    </div>
  );
}

interface Saving {
  before: CodeDraft;
  draft: CodeDraft;
}

function useSave(
  record: QrCode | undefined,
  { forget, idempotencyKey, noteFailure }: KeptDraft<CodeDraft>,
  onRefused: (error: Error) => void,
) {
  const { api, slug } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const isShown = useIsShown();
  const [seen, setSeen] = useState(record);
  const saving = useWrite<Saving, QrCode>({
    send: ({ before, draft }, key) =>
      seen === undefined
        ? saveRecord(api, 'qrcodes', undefined, creationOf(draft), key)
        : saveRecord(api, 'qrcodes', seen, changesOf(before, draft)),
    async onDone(saved, { draft }) {
      client.setQueryData(keys.qrcodes.one(saved.id), saved);
      setSeen(saved);
      if (draft.isTemplate) void client.invalidateQueries({ queryKey: keys.templates.all });
      toast(record === undefined ? 'QR code created' : 'Changes saved');
      forget();
      // The person may have left the page while the write waited for a connection.
      if (record === undefined && isShown.current) {
        await navigate({
          to: '/$workspace/qrcodes/$qrcode/edit',
          params: { workspace: slug, qrcode: saved.id },
        });
        // On phones the downloads are at the top of the page.
        document.getElementById('main')?.scrollTo({ top: 0 });
      }
      void client.invalidateQueries({ queryKey: keys.qrcodes.all });
    },
    onFailed(error) {
      noteFailure(error);
      onRefused(error);
      toastError(error);
    },
  });
  return {
    ...saving,
    write(input: Saving, onSaved: (saved: QrCode) => void) {
      saving.writeAsync(input, idempotencyKey()).then(onSaved, () => undefined);
    },
  };
}
