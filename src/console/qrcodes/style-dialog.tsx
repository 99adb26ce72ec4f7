import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Score, scoreOf } from '../../qrcodes/render/score.ts';
import { describe } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { changeRecords } from '../short-links/bulk.ts';
import type { BulkEdit } from '../short-links/listed.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Skeleton } from '../ui/states.tsx';
import { useIsPainted } from '../ui/use-is-painted.ts';
import { drawCode, payloadOf } from './drawn.ts';
import { QR_CODES } from './kind.ts';
import { fieldsOf, type Look, type QrCode } from './look.ts';
import { type Chosen, Presets } from './presets.tsx';
import { nameOf } from './row.tsx';
import { ScorePanel } from './score-panel.tsx';

/** Number of codes whose score is computed, those with the longest contents. */
const SCORED = 20;

interface StyleDialogProps {
  records: readonly QrCode[];
  onClose(): void;
}

/** Gives many codes another style. */
export function StyleDialog({ records, onClose }: StyleDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [chosen, setChosen] = useState<Chosen | null>(null);
  // The codes of all styles take longer to draw than the rest of the dialog.
  const isPainted = useIsPainted();
  const apply = () => {
    if (chosen === null) return;
    changeRecords({ api, client }, QR_CODES, records, styling(chosen), () => undefined);
    onClose();
  };
  return (
    <FormDialog
      title="Change style"
      action="Apply style"
      size="medium"
      isDisabled={chosen === null}
      onSubmit={apply}
      onClose={onClose}
    >
      <p className="text-muted">
        The content and the short links stay the same, and printed codes keep working. Downloads
        have the new style.
      </p>
      {isPainted ? (
        <Presets chosen={chosen} onChosen={(look, template) => setChosen({ look, template })} />
      ) : (
        <Skeleton className="h-96" />
      )}
      {chosen !== null && <Worst records={records} chosen={chosen} />}
    </FormDialog>
  );
}

/** Shows the score of the code that is the hardest to scan in a new style. */
function Worst({ records, chosen }: { records: readonly QrCode[]; chosen: Chosen }) {
  const { slug } = useWorkspace();
  const ids = records.map(({ id }) => id);
  const { data, isPending } = useQuery({
    queryKey: keys.drawings.list('worst', ids, chosen.look),
    queryFn: () => worstOf(records, chosen, slug),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    networkMode: 'always',
  });
  if (isPending) return <Skeleton className="h-20" />;
  if (!data) return null;
  return (
    <div className="sticky bottom-0 flex flex-col gap-2 rounded-md border border-line bg-raised p-3">
      {records.length > 1 && (
        <p className="truncate">
          Hardest to scan: <span className="font-medium">{nameOf(data.record)}</span>
        </p>
      )}
      <ScorePanel score={data.score} isComplete />
      {data.score.score === 0 && (
        <p className="text-xs text-muted">Codes that can’t be scanned keep their style.</p>
      )}
    </div>
  );
}

interface Scored {
  record: QrCode;
  score: Score;
}

/** Computes the lowest score; `null` if the person cannot read the content of any code. */
async function worstOf(
  records: readonly QrCode[],
  { look, template }: Chosen,
  workspace: string,
): Promise<Scored | null> {
  const longest = records
    .map((record) => ({ record, payload: payloadOf(record) }))
    .filter(({ payload }) => payload !== '')
    .toSorted((a, b) => b.payload.length - a.payload.length)
    .slice(0, SCORED);
  let worst: Scored | null = null;
  for (const { record, payload } of longest) {
    const sized = template === undefined ? { ...look, size: record.size } : look;
    const score = await scoreIn(payload, sized, workspace);
    if (worst === null || score.score < worst.score.score) worst = { record, score };
  }
  return worst;
}

async function scoreIn(payload: string, look: Look, workspace: string): Promise<Score> {
  try {
    return scoreOf(payload, (await drawCode(payload, look, workspace)).design);
  } catch (error) {
    // The content is too long for the level of error correction.
    return { score: 0, findings: [], faults: [describe(error as Error)] };
  }
}

function styling({ look, template }: Chosen): BulkEdit {
  // The codes keep their sizes.
  const { size: _, ...fields } = fieldsOf(look);
  return {
    data: template === undefined ? fields : { templateId: template },
    shown: () => ({}),
    say: (codes) => `Changed the style of ${codes}`,
  };
}
