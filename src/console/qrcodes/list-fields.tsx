import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../ui/button.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { TableField } from '../ui/table-field.tsx';
import type { ContentList } from './content-fields.ts';

type Item = Record<string, unknown>;

interface ListFieldsProps {
  list: ContentList;
  items: readonly Item[];
  onChange(items: Item[]): void;
  errorOf(index: number, name: string): string | undefined;
}

/** The entries of a list in the form of a content type, in the order of the page. */
export function ListFields({ list, items, onChange, errorOf }: ListFieldsProps) {
  const { title, one, most, fields } = list;
  const raise = (index: number) =>
    onChange(
      items.map((item, at) =>
        at === index - 1 ? items[index]! : at === index ? items[at - 1]! : item,
      ),
    );
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{title}</legend>
      {items.map((item, index) => (
        // oxlint-disable-next-line no-array-index-key -- the entries may be equal
        <fieldset key={index} className="flex flex-col gap-3 rounded-lg border border-line p-3">
          <legend className="sr-only">
            {sentenceCase(one)} {index + 1}
          </legend>
          <div className="grid grid-cols-2 gap-3">
            {fields.map((field) => (
              <div key={field.name} className={field.isHalf ? 'max-sm:col-span-2' : 'col-span-2'}>
                <TableField
                  control={field}
                  value={item[field.name]}
                  error={errorOf(index, field.name)}
                  autoComplete="off"
                  onChange={(value) =>
                    onChange(
                      items.map((other, at) =>
                        at === index ? { ...other, [field.name]: value } : other,
                      ),
                    )
                  }
                />
              </div>
            ))}
          </div>
          <div className="flex gap-1 self-end">
            {index > 0 && (
              <IconButton
                icon={ArrowUp}
                label={`Move ${one} ${index + 1} up`}
                onClick={() => raise(index)}
              />
            )}
            <IconButton
              icon={Trash2}
              label={`Remove ${one} ${index + 1}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            />
          </div>
        </fieldset>
      ))}
      {items.length < most && (
        <Button
          size="small"
          icon={Plus}
          className="self-start"
          onClick={() => onChange([...items, {}])}
        >
          Add {one}
        </Button>
      )}
    </fieldset>
  );
}
