import { Plus, Trash2 } from 'lucide-react';
import type { FieldErrors } from '../short-links/errors.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { inputLook, TextArea, TextField } from '../ui/field.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { textOf } from './content.ts';
import { useCropping } from './crop-dialog.tsx';
import { SourceField } from './source-field.tsx';

type Draft = Record<string, unknown>;

interface VcardProps {
  draft: Draft;
  onChange(draft: Draft): void;
  errors: FieldErrors;
}

/** A phone number, email address or website with its kind. */
interface Item {
  type?: string;
  value: string;
}

/** Lists of a contact with their labels and the kinds of their items. */
const LISTS = [
  {
    name: 'phones',
    one: 'phone',
    title: 'Phones',
    kinds: ['mobile', 'work', 'home', 'fax', 'work-fax', 'home-fax'],
    mode: 'tel',
  },
  { name: 'emails', one: 'email', title: 'Emails', kinds: ['work', 'home'], mode: 'email' },
  { name: 'urls', one: 'website', title: 'Websites', kinds: [], mode: 'url' },
] as const;

const ADDRESS = [
  ['street', 'Street and number', 'col-span-2'],
  ['postalCode', 'Postal code', ''],
  ['city', 'City', ''],
  ['region', 'Region', ''],
  ['country', 'Country', ''],
] as const;

/** Names of the kinds of items. */
const KINDS: Readonly<Record<string, string>> = /* text */ {
  mobile: 'mobile',
  work: 'work',
  home: 'home',
  fax: 'fax',
  'work-fax': 'work fax',
  'home-fax': 'home fax',
};

/** Maximum number of items in a list, and of addresses after the first. */
const MOST = 10;
const MOST_ADDRESSES = 5;

const itemsOf = (value: unknown): Item[] =>
  ((value ?? []) as (string | Item)[]).map((item) =>
    typeof item === 'string' ? { value: item } : item,
  );

/** Longest side of a stored photo, in px. */
const PHOTO_PX = 480;

/** The lists, address, birthday and note of a contact. */
export function VcardLists({ draft, onChange, errors }: VcardProps) {
  const address =
    typeof draft['address'] === 'string'
      ? { street: draft['address'] }
      : ((draft['address'] ?? {}) as Record<string, string>);
  const further = (draft['addresses'] ?? []) as Record<string, string>[];
  const photo = useCropping({ mostPx: PHOTO_PX, isRound: true });
  const set = (name: string, value: unknown) => onChange({ ...draft, [name]: value });
  const setFurther = (index: number, value: Record<string, string>) =>
    set(
      'addresses',
      further.map((one, at) => (at === index ? value : one)),
    );
  return (
    <>
      {LISTS.map(({ name, one, title, kinds, mode }) => (
        <ItemList
          key={name}
          title={title}
          one={one}
          kinds={kinds}
          mode={mode}
          items={itemsOf(draft[name])}
          onChange={(items) =>
            set(name, kinds.length === 0 ? items.map(({ value }) => value) : items)
          }
          errorOf={(index) =>
            errors[`vcard.${name}[${index}]`] ?? errors[`vcard.${name}[${index}].value`]
          }
        />
      ))}
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="mb-1 font-medium">Address</legend>
        <AddressFields
          address={address}
          onChange={(value) => set('address', value)}
          errorOf={(name) => errors[`vcard.address.${name}`]}
        />
      </fieldset>
      {further.map((one, index) => (
        // oxlint-disable-next-line no-array-index-key -- the items are texts that may be equal
        <fieldset key={index} className="grid grid-cols-2 gap-3">
          <legend className="mb-1 font-medium">Address {index + 2}</legend>
          <div className="col-span-2 flex gap-2">
            <select
              aria-label={`Kind of address ${index + 2}`}
              value={one['type'] ?? 'work'}
              onChange={({ target }) => setFurther(index, { ...one, type: target.value })}
              className={`${inputLook} max-w-28`}
            >
              <option value="work">{KINDS['work']}</option>
              <option value="home">{KINDS['home']}</option>
            </select>
            <IconButton
              icon={Trash2}
              label={`Remove address ${index + 2}`}
              onClick={() =>
                set(
                  'addresses',
                  further.filter((_, at) => at !== index),
                )
              }
            />
          </div>
          <AddressFields
            address={one}
            onChange={(value) => setFurther(index, value)}
            errorOf={(name) => errors[`vcard.addresses[${index}].${name}`]}
          />
        </fieldset>
      ))}
      {further.length < MOST_ADDRESSES && (
        <Button
          size="small"
          icon={Plus}
          className="self-start"
          onClick={() => set('addresses', [...further, { type: 'home' }])}
        >
          Add address
        </Button>
      )}
      <SourceField
        label="Photo"
        hint="Shown on the page of a dynamic code."
        placeholder="https://example.com/ada.jpg"
        accept="image/*"
        read={photo.read}
        source={textOf(draft['photo'])}
        onChange={(photo) => set('photo', photo)}
        error={errors['vcard.photo']}
      />
      {photo.dialog}
      <TextField
        label="Birthday"
        type="date"
        value={textOf(draft['birthday'])}
        onChange={({ target }) => set('birthday', target.value)}
        error={errors['vcard.birthday']}
      />
      <TextArea
        label="Note"
        value={textOf(draft['note'])}
        onChange={({ target }) => set('note', target.value)}
        error={errors['vcard.note']}
      />
    </>
  );
}

interface AddressProps {
  address: Record<string, string>;
  onChange(address: Record<string, string>): void;
  errorOf(name: string): string | undefined;
}

const AddressFields = ({ address, onChange, errorOf }: AddressProps) =>
  ADDRESS.map(([name, label, look]) => (
    <div key={name} className={look}>
      <TextField
        label={label}
        value={address[name] ?? ''}
        onChange={({ target }) => onChange({ ...address, [name]: target.value })}
        error={errorOf(name)}
      />
    </div>
  ));

interface ItemListProps {
  title: string;
  one: string;
  kinds: readonly string[];
  mode: 'tel' | 'email' | 'url';
  items: readonly Item[];
  onChange(items: Item[]): void;
  errorOf(index: number): string | undefined;
}

function ItemList({ title, one, kinds, mode, items, onChange, errorOf }: ItemListProps) {
  const [first] = kinds;
  const setItem = (index: number, change: Partial<Item>) =>
    onChange(items.map((item, at) => (at === index ? { ...item, ...change } : item)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{title}</legend>
      {items.map((item, index) => (
        // oxlint-disable-next-line no-array-index-key -- the items are texts that may be equal
        <div key={index}>
          <div className="flex gap-2">
            {kinds.length > 0 && (
              <select
                aria-label={`Kind of ${one} ${index + 1}`}
                value={item.type === 'cell' ? 'mobile' : (item.type ?? first)}
                onChange={({ target }) => setItem(index, { type: target.value })}
                className={`${inputLook} max-w-28`}
              >
                {[...new Set<string>([...kinds, item.type ?? first!])]
                  .filter((kind) => kind !== 'cell')
                  .map((kind) => (
                    <option key={kind} value={kind}>
                      {KINDS[kind] ?? kind}
                    </option>
                  ))}
              </select>
            )}
            <input
              aria-label={`${sentenceCase(one)} ${index + 1}`}
              aria-invalid={errorOf(index) === undefined ? undefined : true}
              inputMode={mode}
              value={item.value}
              onChange={({ target }) => setItem(index, { value: target.value })}
              className={inputLook}
            />
            <IconButton
              icon={Trash2}
              label={`Remove ${one} ${index + 1}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            />
          </div>
          {errorOf(index) && <p className="mt-1 text-xs text-danger">{errorOf(index)}</p>}
        </div>
      ))}
      {items.length < MOST && (
        <Button
          size="small"
          icon={Plus}
          className="self-start"
          onClick={() =>
            onChange([...items, first === undefined ? { value: '' } : { type: first, value: '' }])
          }
        >
          Add {one}
        </Button>
      )}
    </fieldset>
  );
}
