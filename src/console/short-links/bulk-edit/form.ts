import { fromLocal } from '../../ui/time.tsx';
import type { UtmName, UtmValues } from '../utm.ts';
import type { BulkBody } from './changes.ts';

/** Bulk edits that are checked before they are made. */
export type BulkEditName = 'utm' | 'expiration' | 'domain' | 'replace';

/** Choice for a field: it stays, gets a value, or is cleared. */
export type Choice = 'keep' | 'set' | 'clear';

/** Values of the form of a bulk edit. */
export interface BulkForm {
  utm: UtmValues;
  /** UTM parameters to remove. */
  removed: ReadonlySet<UtmName>;
  expiration: Choice;
  /** In the zone of the browser. */
  expiresAt: string;
  expiredUrlChoice: Choice;
  expiredUrl: string;
  domain: string;
  find: string;
  with: string;
  in: 'url' | 'host' | 'path' | 'query';
  matchesCase: boolean;
}

export const EMPTY_FORM: BulkForm = {
  utm: {},
  removed: new Set(),
  expiration: 'keep',
  expiresAt: '',
  expiredUrlChoice: 'keep',
  expiredUrl: '',
  domain: '',
  find: '',
  with: '',
  in: 'url',
  matchesCase: true,
};

/** Builds the change of a request; `undefined` while the form is incomplete. */
export function bodyOf(name: BulkEditName, form: BulkForm): BulkBody | undefined {
  if (name === 'domain') return form.domain === '' ? undefined : { data: { domain: form.domain } };
  if (name === 'replace') {
    const { find, with: to, in: part, matchesCase } = form;
    if (find === '') return undefined;
    return { replace: { find, with: to, in: part, ignoreCase: !matchesCase } };
  }
  const data = name === 'utm' ? utmData(form) : expirationData(form);
  return data === undefined || Object.keys(data).length === 0 ? undefined : { data };
}

const utmData = ({ utm, removed }: BulkForm): NonNullable<BulkBody['data']> => ({
  ...Object.fromEntries(Object.entries(utm).filter(([, value]) => value !== '')),
  ...Object.fromEntries([...removed].map((name) => [name, null])),
});

function expirationData(form: BulkForm): BulkBody['data'] | undefined {
  const { expiration, expiredUrlChoice, expiredUrl } = form;
  const expiresAt = fromLocal(form.expiresAt);
  const lacksTime = expiration === 'set' && expiresAt === null;
  if (lacksTime || (expiredUrlChoice === 'set' && expiredUrl === '')) return undefined;
  return {
    ...(expiration !== 'keep' && { expiresAt: expiration === 'set' ? expiresAt : null }),
    ...(expiredUrlChoice !== 'keep' && {
      expiredUrl: expiredUrlChoice === 'set' ? expiredUrl : null,
    }),
  };
}
