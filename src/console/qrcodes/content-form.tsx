import type { FieldErrors } from '../short-links/errors.ts';
import { dataUriOf } from '../ui/data-uri.ts';
import { SelectField } from '../ui/field.tsx';
import { TableField } from '../ui/table-field.tsx';
import { type ContentName, type Draft, textOf, withValueAt } from './content.ts';
import { BR_CODE_FIELD, CONTENT_FORMS, type ContentField } from './content-fields.ts';
import { ListFields } from './list-fields.tsx';
import { SourceField } from './source-field.tsx';
import { VcardLists } from './vcard-form.tsx';

interface ContentFormProps {
  type: ContentName;
  draft: Draft;
  onChange(draft: Draft): void;
  /** Errors of the content by field path: `wifi.ssid`. */
  errors: FieldErrors;
  /** True when the content cannot change, because a static code may be printed. */
  isDisabled: boolean;
}

/** The fields of a content type. */
export function ContentForm({ type, draft, onChange, errors, isDisabled }: ContentFormProps) {
  const isText = typeof draft === 'string';
  const form = isText && type === 'pix' ? [BR_CODE_FIELD] : CONTENT_FORMS[type].fields;
  const fields = form.filter(({ isShown }) => isText || isShown?.(draft) !== false);
  return (
    <fieldset disabled={isDisabled} className="flex flex-col gap-3">
      <legend className="sr-only">Content</legend>
      {type === 'pix' && (
        <SelectField
          label="Entered as"
          value={isText ? 'code' : 'payment'}
          onChange={({ target }) => onChange(target.value === 'code' ? '' : {})}
          options={[
            ['payment', 'Payment'],
            ['code', 'Complete BR Code'],
          ]}
        />
      )}
      <div className="grid grid-cols-2 gap-3">
        {fields.map((field) => (
          <div
            key={`${field.name} ${field.input}`}
            className={field.isHalf ? 'max-sm:col-span-2' : 'col-span-2'}
          >
            {field.isFile && !isText ? (
              <SourceField
                label={field.label}
                hint={field.hint}
                placeholder={field.placeholder ?? ''}
                accept="application/pdf,image/png,image/jpeg,image/gif,image/webp"
                read={dataUriOf}
                source={textOf(valueAt(draft, field.name))}
                error={errors[`${type}.${field.name}`]}
                onChange={(value) => onChange(withValueAt(draft, field.name, value))}
              />
            ) : (
              <TableField
                control={field}
                value={isText ? draft : valueAt(draft, field.name)}
                error={errors[field.name === '' ? type : `${type}.${field.name}`]}
                autoComplete="off"
                onChange={(value) =>
                  onChange(
                    field.name === '' || isText
                      ? String(value)
                      : withoutHidden(form, {
                          ...withValueAt(draft, field.name, value),
                          ...(type === 'latlog' && pairOf(value)),
                        }),
                  )
                }
              />
            )}
          </div>
        ))}
      </div>
      {!isText &&
        CONTENT_FORMS[type].lists?.map((list) => (
          <ListFields
            key={list.name}
            list={list}
            items={(draft[list.name] ?? []) as Record<string, unknown>[]}
            errorOf={(index, name) => errors[`${type}.${list.name}[${index}].${name}`]}
            onChange={(items) => onChange({ ...draft, [list.name]: items })}
          />
        ))}
      {type === 'vcard' && !isText && (
        <VcardLists draft={draft} onChange={onChange} errors={errors} />
      )}
      {errors[type] !== undefined && fields[0]?.name !== '' && (
        <p role="alert" className="text-xs text-danger">
          {errors[type]}
        </p>
      )}
    </fieldset>
  );
}

/** Reads a field by its path, which has at most two names: `creditor.city`. */
function valueAt(draft: Record<string, unknown>, path: string): unknown {
  const [name = '', part] = path.split('.');
  return part === undefined ? draft[name] : (draft[name] as Record<string, unknown>)?.[part];
}

/** Removes the values of fields that the others hide. */
const withoutHidden = (form: readonly ContentField[], draft: Record<string, unknown>) => {
  const hidden = new Set(
    form.filter(({ isShown }) => isShown?.(draft) === false).map(({ name }) => name),
  );
  // A field can have two controls, one of which is shown.
  for (const { name, isShown } of form) if (isShown?.(draft) !== false) hidden.delete(name);
  return Object.fromEntries(Object.entries(draft).filter(([name]) => !hidden.has(name)));
};

/** Splits a pair of coordinates, as map services copy it. */
function pairOf(value: string | boolean) {
  const pair = /^\s*(-?[\d.]+)\s*[,;]\s*(-?[\d.]+)\s*$/.exec(String(value));
  return pair === null ? undefined : { latitude: pair[1], longitude: pair[2] };
}
