import { Plus, X } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { DateTimeField, FieldError, inputLook, UrlInput } from '../ui/field.tsx';
import type { ShortLinkDraft } from './fields.ts';
import { leave, type PartProps, Section, summaryOf } from './section.tsx';
import { TestResults } from './test-results.tsx';

type Variant = ShortLinkDraft['testVariants'][number];

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
const TITLE = 'A/B test';

/** The section for an A/B test of destinations: variants, their shares and their results. */
export function TestSection({ draft, errors, change, record }: PartProps) {
  const { testVariants: variants, testCompletedAt } = draft;
  const names = ['testVariants', 'testCompletedAt', 'testWinner'];
  const error = errors['testVariants'];
  const sum = variants.reduce((total, { percentage }) => total + Number(percentage), 0);
  const set = (index: number, part: Partial<Variant>) =>
    change({ testVariants: variants.with(index, { ...variants[index]!, ...part }) });
  const remove = (index: number) => {
    const left = variants.toSpliced(index, 1);
    change({ testVariants: left.length < 2 ? [] : equally(left) });
  };
  const add = () => {
    const name = LETTERS.find((one) => !variants.some((variant) => variant.name === one))!;
    change({ testVariants: equally([...variants, { name, url: '', percentage: '' }]) });
  };
  const begin = () => {
    const url = record?.url ?? '';
    change({
      testVariants: equally([
        { name: 'A', url, percentage: '' },
        { name: 'B', url: '', percentage: '' },
      ]),
    });
  };
  if (variants.length === 0) {
    return (
      <Section title={TITLE} summary={undefined} hasError={names.some((name) => errors[name])}>
        <p className="text-muted">
          Split traffic between destinations and see which converts best. Each visitor always sees
          the same one.
        </p>
        <div>
          <Button icon={Plus} onClick={begin}>
            Set up test
          </Button>
        </div>
      </Section>
    );
  }
  return (
    <Section
      title={TITLE}
      summary={summaryOf(
        variants.map(({ name, percentage }) => `${name} ${percentage}%`).join(', '),
      )}
      hasError={names.some((name) => errors[name])}
    >
      <p className="text-muted">
        While the test runs, these destinations replace the one above. Rules and targets apply
        first. Changing a variant restarts the test.
      </p>
      {variants.map(({ name, url, percentage }, index) => (
        <div key={name} data-variant className="flex flex-col gap-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          <div className="flex items-start gap-2">
            <UrlInput
              aria-label={`Destination of variant ${name}`}
              placeholder="https://example.com/variant"
              value={url}
              error={errors[`testVariants[${index}].url`]}
              onChange={(event) => set(index, { url: event.target.value })}
            />
            <input
              type="number"
              min={1}
              max={99}
              aria-label={`Percentage of variant ${name}`}
              aria-invalid={error ? true : undefined}
              value={percentage}
              onChange={(event) => set(index, { percentage: event.target.value })}
              className={`${inputLook} max-w-20 text-right max-md:max-w-16`}
            />
            <span aria-hidden className="self-center">
              %
            </span>
            <IconButton
              icon={X}
              label={`Remove variant ${name}`}
              onClick={({ currentTarget }) => {
                // One variant is no test, so that the other goes too.
                const row = variants.length > 2 ? currentTarget.closest('[data-variant]') : null;
                leave(currentTarget, row);
                remove(index);
              }}
            />
          </div>
        </div>
      ))}
      {sum !== 100 && (
        <p role="status" className="text-xs text-muted">
          The percentages add up to {sum}; they must add up to 100.
        </p>
      )}
      {error !== undefined && variants.every((_, at) => !errors[`testVariants[${at}].url`]) && (
        <FieldError error={error} label="Variants" />
      )}
      <div className="flex flex-wrap gap-2">
        {variants.length < LETTERS.length && (
          <Button icon={Plus} onClick={add}>
            Add variant
          </Button>
        )}
        <Button onClick={() => change({ testVariants: equally(variants) })}>Split equally</Button>
        <Button
          look="danger"
          icon={X}
          onClick={({ currentTarget }) => {
            leave(currentTarget);
            change({ testVariants: [], testCompletedAt: '' });
          }}
        >
          Remove test
        </Button>
      </div>
      <DateTimeField
        label="Ends at"
        value={testCompletedAt}
        error={errors['testCompletedAt']}
        hint="After that, all visitors go to the destination above."
        onChange={(event) => change({ testCompletedAt: event.target.value })}
      />
      {record !== undefined && record.testVariants !== null && <TestResults record={record} />}
    </Section>
  );
}

/** Divides 100% equally among the variants; the first variants get the remainder. */
function equally(variants: readonly Variant[]): Variant[] {
  const share = Math.floor(100 / variants.length);
  const rest = 100 - share * variants.length;
  return variants.map((variant, at) => ({
    ...variant,
    percentage: String(share + (at < rest ? 1 : 0)),
  }));
}
