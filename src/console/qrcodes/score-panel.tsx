import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { Score } from '../../qrcodes/render/score.ts';
import { classes } from '../ui/classes.ts';
import { sentenceCase } from '../ui/sentence.ts';

/** Words for scores, each with its minimum score. */
const WORDS: [least: number, word: string][] = [
  [90, 'Easy to scan'],
  [70, 'OK to scan'],
  [50, 'Hard to scan'],
  [0, 'Can’t be scanned'],
];
const FINE = 90;
const BEARABLE = 70;

/** Labels of the fields that faults name. */
const LABELS: Readonly<Record<string, string>> = {
  fgColor: 'color',
  bgColor: 'background',
  frameColor: 'frame color',
  frameTextColor: 'text color',
  quietZoneColor: 'quiet zone',
  backgroundSrc: 'background picture',
  backgroundStyle: 'picture',
  backgroundStrength: 'strength of the picture',
  fgGradient: 'gradient',
  bgGradient: 'background gradient',
  eyeColor: 'eye color',
  eyeBallColor: 'ball color',
  eyeColors: 'eye color',
  eyeGradient: 'eye gradient',
  frameText: 'frame text',
  frameIcon: 'frame icon',
};

/** Returns the word for a scannability score. */
export const wordOf = ({ score }: Score): string => WORDS.find(([least]) => score >= least)![1];

/** Word in place of a score while the content is incomplete. */
export const NOT_COMPLETE = 'Not complete';

/**
 * Shows the scannability of a code, with the reasons.
 *
 * @param isComplete false while the picture has other content than the code will have
 */
export function ScorePanel({ score: all, isComplete }: { score: Score; isComplete: boolean }) {
  const { score, findings, faults } = all;
  return (
    <section aria-label="Scannability" className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between" role="status">
        <h2 className="font-medium">{isComplete || score === 0 ? wordOf(all) : NOT_COMPLETE}</h2>
        {isComplete && <span className="text-muted tabular-nums">{score} of 100</span>}
      </div>
      {isComplete && (
        <meter
          min={0}
          max={100}
          low={BEARABLE}
          high={FINE}
          optimum={100}
          value={score}
          aria-label="Scannability"
          className="h-2 w-full"
        />
      )}
      <ul className="flex flex-col gap-1 text-xs">
        {faults.map((fault) => (
          <Reason key={fault} score={0} text={fault} />
        ))}
        {(isComplete ? findings : []).map(({ name, score: own, reason }) => (
          <Reason key={name} score={own} text={reason} />
        ))}
      </ul>
    </section>
  );
}

function Reason({ score, text }: { score: number; text: string }) {
  const [Icon, look] =
    score >= FINE
      ? ([CircleCheck, 'text-success'] as const)
      : score > 0
        ? ([TriangleAlert, 'text-warning'] as const)
        : ([CircleAlert, 'text-danger'] as const);
  return (
    <li className="flex gap-1.5">
      <Icon size={14} aria-hidden className={classes('mt-px shrink-0', look)} />
      <span className={score === 0 ? 'text-danger' : 'text-muted'}>{inLabels(text)}</span>
    </li>
  );
}

const inLabels = (fault: string): string =>
  sentenceCase(fault.replaceAll(/\b[a-z]+[A-Z]\w*/g, (name) => LABELS[name] ?? name));
