import { ArrowDown, ArrowUp, GripVertical, Plus, X } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { Button, IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputLook } from '../ui/field.tsx';
import { CONDITIONS, type Condition, newRule, type RuleDraft } from './rule.ts';
import { type PartProps, Section } from './section.tsx';

/** Routing rules in their order: the first that matches decides. Moved by drag and drop, buttons, or Alt and arrows. */
export function RulesSection({ draft, errors, change }: PartProps) {
  const { rules } = draft;
  const [dragged, setDragged] = useState<string>();
  const [said, setSaid] = useState('');
  const list = useRef<HTMLOListElement>(null);

  const move = (from: number, to: number) => {
    if (to < 0 || to >= rules.length || from === to) return;
    const rule = rules[from]!;
    change({ rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule) });
    setSaid(`Rule ${from + 1} is now rule ${to + 1} of ${rules.length}`);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step === undefined || !event.altKey) return;
    event.preventDefault();
    move(index, index + step);
  };
  return (
    <Section title="Rules" isSet={rules.length > 0} hasError={errors['rules'] !== undefined}>
      <p className="text-muted">
        The first rule that matches a visitor decides the destination. If none does, visitors get
        what is entered above.
      </p>
      <ol ref={list} className="flex flex-col gap-2">
        {rules.map((rule, index) => (
          <li
            key={rule.id}
            aria-label={`Rule ${index + 1}`}
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
                  // Firefox drags nothing without data.
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
              change={(changed) => change({ rules: rules.with(index, changed) })}
              remove={() => change({ rules: rules.toSpliced(index, 1) })}
            />
          </li>
        ))}
      </ol>
      <p role="status" className="sr-only">
        {said}
      </p>
      {errors['rules'] && <p className="text-xs text-danger">{errors['rules']}</p>}
      <div>
        <Button icon={Plus} onClick={() => change({ rules: [...rules, newRule()] })}>
          Add a rule
        </Button>
      </div>
    </Section>
  );
}

interface RuleFieldsProps {
  rule: RuleDraft;
  number: number;
  change(rule: RuleDraft): void;
  remove(): void;
}

function RuleFields({ rule, number, change, remove }: RuleFieldsProps) {
  const { conditions } = rule;
  const free = (Object.keys(CONDITIONS) as Condition[]).filter(
    (kind) => !conditions.some((one) => one.kind === kind),
  );
  const set = (index: number, part: Partial<(typeof conditions)[number]>) =>
    change({ ...rule, conditions: conditions.with(index, { ...conditions[index]!, ...part }) });
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      {conditions.map(({ kind, text }, index) => (
        <div key={kind} className="flex items-center gap-2">
          <select
            aria-label={`Condition ${index + 1} of rule ${number}`}
            value={kind}
            onChange={(event) => set(index, { kind: event.target.value as Condition, text: '' })}
            className={`${inputLook} max-w-[40%]`}
          >
            {[kind, ...free].map((one) => (
              <option key={one} value={one}>
                {CONDITIONS[one].label}
              </option>
            ))}
          </select>
          <input
            aria-label={`Value of condition ${index + 1} of rule ${number}`}
            type={kind === 'from' || kind === 'until' ? 'datetime-local' : 'text'}
            placeholder={CONDITIONS[kind].hint}
            title={CONDITIONS[kind].hint}
            value={text}
            onChange={(event) => set(index, { text: event.target.value })}
            className={inputLook}
          />
          {conditions.length > 1 && (
            <IconButton
              icon={X}
              label={`Remove condition ${index + 1} of rule ${number}`}
              onClick={() => change({ ...rule, conditions: conditions.toSpliced(index, 1) })}
            />
          )}
        </div>
      ))}
      <input
        type="url"
        aria-label={`Destination of rule ${number}`}
        placeholder="https://example.com/for-them"
        value={rule.url}
        onChange={(event) => change({ ...rule, url: event.target.value })}
        className={inputLook}
      />
      <div className="flex gap-2">
        {free.length > 0 && (
          <Button
            size="small"
            icon={Plus}
            onClick={() =>
              change({ ...rule, conditions: [...conditions, { kind: free[0]!, text: '' }] })
            }
          >
            Add a condition
          </Button>
        )}
        <Button size="small" look="danger" icon={X} onClick={remove}>
          Remove the rule
        </Button>
      </div>
    </div>
  );
}
