import type { MailTable, Message } from '../../mail/message.ts';
import { type Language, say } from '../../web/language.ts';
import type { ReportList } from '../numbers.ts';
import { formats, periodInWords, rowNames, shownNumbers, titleOf } from '../words.ts';
import type { MailNumbers } from './numbers.ts';

/** Maximum number of rows of each list. */
const MAX_ROWS = 5;

/** The texts of a mail that are not its numbers. */
interface MailTexts {
  /** Name of the report. */
  name: string;
  workspace: string;
  /** URL of the report. */
  url: string;
  language: Language;
}

/** Writes a report as a mail, without the URL to unsubscribe. */
export function reportMessage(
  { span, names, totals, previous, lists }: MailNumbers,
  { name, workspace, url, language }: MailTexts,
): Message {
  const { nameOf, show } = formats(language);
  const percent = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const compared = (number: string) => {
    const [value, earlier] = [totals[number]!, previous[number]!];
    const before = say(language, '{} before', show(number, earlier));
    const change = earlier === 0 ? [] : [percent.format((value - earlier) / Math.abs(earlier))];
    return `${show(number, value)} (${[before, ...change].join(', ')})`;
  };
  return {
    language,
    subject: `${name}: ${periodInWords(span, language)}`,
    lines: [say(language, 'Times are in {}.', span.timezone.replaceAll('_', ' '))],
    tables: [
      {
        title: say(language, 'Total'),
        rows: shownNumbers(names, totals, previous).map((one) => [nameOf(one), compared(one)]),
      },
      ...lists.flatMap((list) => tableOf(list, language)),
    ],
    action: { label: say(language, 'Open the report'), url },
    reason: say(
      language,
      'You get this email because you confirmed that you want this report of {}.',
      workspace,
    ),
  };
}

function tableOf({ group, names: [measure], rows }: ReportList, language: Language): MailTable[] {
  if (rows.length === 0) return [];
  const nameOf = rowNames(group, language);
  const count = new Intl.NumberFormat(language);
  return [
    {
      title: titleOf(group, language),
      rows: rows
        .slice(0, MAX_ROWS)
        .map((row) => [nameOf(row), count.format(Number(row[measure!]))]),
    },
  ];
}
