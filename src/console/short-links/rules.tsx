import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, GripVertical, Plus, TriangleAlert, X } from 'lucide-react';
import { type ComponentProps, type KeyboardEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { Choices } from '../ui/choices.tsx';
import { classes } from '../ui/classes.ts';
import { FieldError, inputLook, Options, RowInput, UrlInput, ZONE_HINT } from '../ui/field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import type { FieldErrors } from './errors.ts';
import { citiesQuery } from './queries.ts';
import {
  CONDITIONS,
  type Condition,
  type ConditionForm,
  listOf,
  newRule,
  type RuleDraft,
  ruleToBody,
} from './rule.ts';
import { type PartProps, Section } from './section.tsx';
import { TimeOfDay } from './time-of-day.tsx';
import { named } from './traits.ts';
import { type Unreachable, unreachable } from './unreachable.ts';

/** Pause in typing after which cities are searched, in ms. */
const TYPING_MS = 200;

/**
 * The routing rules in order; the first matching rule decides. Drag and drop, buttons, or Alt with
 * the arrow keys reorder them.
 */
export function RulesSection({ draft, errors, change }: PartProps) {
  const { rules } = draft;
  const [dragged, setDragged] = useState<string>();
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const [now] = useState(() => Date.now());
  const reasons = unreachable(
    rules.map((rule) => ruleToBody(rule).value),
    now,
  );

  const move = (from: number, to: number) => {
    if (to < 0 || to >= rules.length || from === to) return;
    const rule = rules[from]!;
    change({ rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule) });
    setSaid(`Rule ${from + 1} is now rule ${to + 1} of ${rules.length}`);
  };
  const remove = (index: number) => {
    // The focus can move only once the rule and its focused button are gone.
    flushSync(() => {
      change({ rules: rules.toSpliced(index, 1) });
      setSaid(`Rule ${index + 1} removed`);
    });
    const left = [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])];
    (left[index] ?? left.at(-1) ?? addButton.current)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || !event.altKey) return;
    event.preventDefault();
    move(index, index + step);
  };
  return (
    <Section title="Rules" summary={summaryOf(rules)} hasError={errors['rules'] !== undefined}>
      <p className="text-muted">
        The first rule that matches a visitor decides where they go. If none matches, they go to the
        destination above.
      </p>
      <ol ref={list} className="flex flex-col gap-2">
        {rules.map((rule, index) => (
          <li
            key={rule.id}
            aria-label={`Rule ${index + 1}`}
            tabIndex={-1}
            onDragOver={(event) => {
              if (dragged === undefined) return;
              event.preventDefault();
              const from = rules.findIndex(({ id }) => id === dragged);
              if (from !== index) move(from, index);
            }}
            onDrop={(event) => event.preventDefault()}
            onKeyDown={(event) => onKeyDown(event, index)}
            className={classes(
              'flex gap-2 rounded-lg border border-line p-2',
              dragged === rule.id && 'opacity-60',
            )}
          >
            <div className="flex flex-col items-center">
              <span
                draggable
                aria-hidden
                title="Drag to change the order"
                onDragStart={(event) => {
                  event.dataTransfer.effectAllowed = 'move';
                  // Firefox starts a drag only when it has data.
                  event.dataTransfer.setData('text/plain', rule.id);
                  setDragged(rule.id);
                }}
                onDragEnd={() => setDragged(undefined)}
                className="cursor-grab p-2 text-muted"
              >
                <GripVertical size={16} />
              </span>
              <IconButton
                icon={ArrowUp}
                label={`Move rule ${index + 1} up`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              />
              <IconButton
                icon={ArrowDown}
                label={`Move rule ${index + 1} down`}
                disabled={index === rules.length - 1}
                onClick={() => move(index, index + 1)}
              />
            </div>
            <RuleFields
              rule={rule}
              number={index + 1}
              warning={warningOf(reasons.get(index))}
              errorOf={(part) => errorAt(errors, `rules[${index}]${part}`)}
              change={(changed) => change({ rules: rules.with(index, changed) })}
              remove={() => remove(index)}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      {errors['rules'] !== undefined && !hasRowError(errors) && (
        <FieldError error={errors['rules']} label="Rules" />
      )}
      <div>
        <Button
          ref={addButton}
          icon={Plus}
          onClick={() => change({ rules: [...rules, newRule()] })}
        >
          Add rule
        </Button>
      </div>
    </Section>
  );
}

/** Summarizes the rules: "Germany, Austria → example.de", or their number. */
function summaryOf(rules: readonly RuleDraft[]): string | undefined {
  const [rule] = rules;
  if (rule === undefined) return undefined;
  if (rules.length > 1) return `${rules.length} rules`;
  const texts = rule.conditions.map(inWords).filter((text) => text !== '');
  return texts.length === 0 ? '1 rule' : `${texts.join(' · ')} → ${rule.url}`;
}

/** Replaces the codes of a condition by the names that its field shows. */
function inWords({ kind, text }: RuleDraft['conditions'][number]): string {
  const { choices }: ConditionForm = CONDITIONS[kind];
  if (choices === undefined || choices.length === 0) return text;
  const names = new Map(choices.map(([value, name]) => [value.toLowerCase(), name]));
  return listOf(text)
    .map((value) => names.get(value.toLowerCase()) ?? value)
    .join(', ');
}

/** Finds the error of a field or of an item in it, because the API also names list items. */
const errorAt = (errors: FieldErrors, path: string): string | undefined =>
  errors[path] ??
  Object.entries(errors).find(
    ([name]) => name.startsWith(path) && /^[.[]/.test(name.slice(path.length)),
  )?.[1];

/** True when a rule shows its own error. */
const hasRowError = (errors: FieldErrors): boolean =>
  Object.keys(errors).some((path) => /^rules\[\d+\]\.(?:url$|value)/.test(path));

/** Tells why a rule never matches. */
function warningOf(reason: Unreachable | undefined): string | undefined {
  if (reason === undefined) return undefined;
  return 'ended' in reason
    ? 'This rule never matches: its end has passed.'
    : `This rule never matches: rule ${reason.coveredBy + 1} matches all of its visitors first.`;
}

interface RuleFieldsProps {
  rule: RuleDraft;
  number: number;
  warning: string | undefined;
  /**
   * Finds the error of a field of the rule.
   *
   * @param part path of the field within the rule: `.url`
   */
  errorOf(part: string): string | undefined;
  change(rule: RuleDraft): void;
  remove(): void;
}

function RuleFields({ rule, number, warning, errorOf, change, remove }: RuleFieldsProps) {
  const { conditions } = rule;
  const free = (Object.keys(CONDITIONS) as Condition[]).filter(
    (kind) => !conditions.some((one) => one.kind === kind),
  );
  const set = (index: number, part: Partial<(typeof conditions)[number]>) =>
    change({ ...rule, conditions: conditions.with(index, { ...conditions[index]!, ...part }) });
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      {conditions.map(({ kind, text }, index) => (
        <div key={kind} className="flex items-start gap-2 max-md:flex-wrap">
          <select
            aria-label={`Condition ${index + 1} of rule ${number}`}
            value={kind}
            onChange={(event) => set(index, { kind: event.target.value as Condition, text: '' })}
            className={`${inputLook} max-md:flex-1 md:max-w-[40%]`}
          >
            <Options of={[kind, ...free].map((one) => [one, CONDITIONS[one].label])} />
          </select>
          {/* On phones, the value has a line of its own, below its kind and the button. */}
          <div className="flex min-w-0 flex-1 max-md:order-last max-md:basis-full">
            <ConditionValue
              label={`Value of condition ${index + 1} of rule ${number}`}
              kind={kind}
              text={text}
              // A rule with a single trait sends one value instead of an object of conditions.
              error={errorOf(conditions[0]?.kind === 'trait' ? '.value' : `.value.${kind}`)}
              onChange={(changed) => set(index, { text: changed })}
            />
          </div>
          {conditions.length > 1 && (
            <IconButton
              icon={X}
              label={`Remove condition ${index + 1} of rule ${number}`}
              onClick={({ currentTarget }) => {
                // The button disappears with its condition.
                currentTarget.closest('li')?.focus();
                change({ ...rule, conditions: conditions.toSpliced(index, 1) });
              }}
            />
          )}
        </div>
      ))}
      {/* This wrapper keeps the input at its own width, because the row has no column for it to
          grow in. */}
      <div className="flex">
        <UrlInput
          aria-label={`Destination of rule ${number}`}
          placeholder="https://example.com/for-them"
          value={rule.url}
          error={errorOf('.url')}
          onChange={(event) => change({ ...rule, url: event.target.value })}
        />
      </div>
      {warning !== undefined && (
        <p className="flex items-center gap-1.5 text-warning">
          <TriangleAlert size={15} aria-hidden className="shrink-0" />
          {warning}
        </p>
      )}
      <div className="flex gap-2">
        {free.length > 0 && (
          <Button
            size="small"
            icon={Plus}
            aria-label={`Add condition to rule ${number}`}
            onClick={() =>
              change({ ...rule, conditions: [...conditions, { kind: free[0]!, text: '' }] })
            }
          >
            Add condition
          </Button>
        )}
        <Button
          size="small"
          look="danger"
          icon={X}
          aria-label={`Remove rule ${number}`}
          onClick={remove}
        >
          Remove rule
        </Button>
      </div>
    </div>
  );
}

interface ConditionValueProps {
  label: string;
  kind: Condition;
  text: string;
  error: string | undefined;
  onChange(text: string): void;
}

/** The input for the value of a condition: a list of choices if the kind has one. */
function ConditionValue({ label, kind, text, error, onChange }: ConditionValueProps) {
  const isMoment = kind === 'from' || kind === 'until';
  const { hint, choices, isClosed }: ConditionForm = CONDITIONS[kind];
  if (kind === 'time') return <TimeOfDay {...{ label, text, error, onChange }} />;
  if (choices !== undefined) {
    const field = {
      label,
      values: listOf(text),
      options: choices,
      isClosed: isClosed === true,
      placeholder: hint,
      error,
      onChange: (values: string[]) => onChange(values.join(', ')),
    };
    return kind === 'city' ? <CityChoices {...field} /> : <Choices key={kind} {...field} />;
  }
  return (
    <RowInput
      aria-label={label}
      type={isMoment ? 'datetime-local' : 'text'}
      placeholder={hint}
      title={hint}
      value={text}
      hint={isMoment ? ZONE_HINT : undefined}
      error={error}
      errorLabel={CONDITIONS[kind].label}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** Edits cities, and suggests those of the database of places. */
function CityChoices(field: ComponentProps<typeof Choices>) {
  const { api } = useWorkspace();
  const [typed, setTyped] = useState('');
  const search = useDebounced(typed.trim(), TYPING_MS);
  const cities = useQuery({ ...citiesQuery(api, search), placeholderData: keepPreviousData });
  return <Choices {...field} options={named(cities.data ?? [])} onType={setTyped} />;
}
