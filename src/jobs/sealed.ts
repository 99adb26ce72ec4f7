import { type Purpose, seal, unseal } from '../infra/seal.ts';

/*
 * Jobs and their results are plain text in Redis and Postgres, so passwords, secrets and refused
 * inputs are encrypted in them, and opened only in the answer to their owner. In results they are
 * objects, which only workers create: a caller's text is never opened, whatever it looks like.
 */

/** A sealed text as a member of a result. */
export interface Sealed {
  sealed: string;
}

/** Seals the input of a bulk request, any field of which may hold a secret. */
export const sealInput = (projectId: string, sent: unknown): string =>
  seal({ purpose: 'job input', owner: projectId }, JSON.stringify(sent));

/** Reseals the items of a list from {@link sealInput}, each on its own. */
export const sealEach = (projectId: string, sealed: string): string[] =>
  (JSON.parse(openText(projectId, 'job input', sealed)) as unknown[]).map((sent) =>
    sealInput(projectId, sent),
  );

/** Opens the input in a refused item of a bulk answer. */
export const openInput = (projectId: string, item: object): object =>
  mapMembers(
    item,
    REFUSED,
    (sealed, purpose) => JSON.parse(openText(projectId, purpose, sealed)) as unknown,
  );

/** Decrypts a sealed field of a job's result. @throws Error unless it was sealed for this purpose */
export function openSealed(projectId: string, purpose: Purpose, member: Sealed): string {
  const sealed = sealedIn(member);
  if (sealed === undefined) throw new Error('not a sealed member');
  return openText(projectId, purpose, sealed);
}

/**
 * Opens the sealed members of a job's result, like the answer to its request would. The kind of the
 * record, known by its id, decides which members those are.
 */
export function openResult(projectId: string, result: unknown): unknown {
  if (typeof result === 'object' && result !== null && 'isReplayed' in result) {
    if ('answer' in result) return result.answer;
  }
  return mapSealed(result, (sealed, purpose) => {
    const text = openText(projectId, purpose, sealed);
    return purpose === 'job input' ? (JSON.parse(text) as unknown) : text;
  });
}

/** Reseals the sealed members of a job's result with the present SECRET_KEY. */
export const sealAgain = (projectId: string, result: unknown): unknown =>
  mapSealed(result, (sealed, purpose): Sealed => {
    const context = { purpose, owner: projectId };
    return { sealed: seal(context, unseal(context, sealed)) };
  });

/** Replaces each sealed member of a result. */
function mapSealed(result: unknown, map: (sealed: string, purpose: Purpose) => unknown): unknown {
  if (Array.isArray(result)) return result.map((item) => mapSealed(item, map));
  if (typeof result !== 'object' || result === null) return result;
  const kind = 'id' in result && typeof result.id === 'string' ? result.id.split('_')[0]! : '';
  return mapMembers(result, 'error' in result ? REFUSED : (OPENED[kind] ?? {}), map);
}

/** Sealed members of records, by the prefix of the record's id. */
const OPENED: Readonly<Record<string, Readonly<Record<string, Purpose>>>> = {
  link: { password: 'password' },
  qr: { password: 'password' },
  wh: { secret: 'webhook secret' },
  key: { key: 'api key' },
  inv: { url: 'invitation' },
  shr: { url: 'report' },
};

/** Sealed members of refused items. */
const REFUSED: Readonly<Record<string, Purpose>> = { link: 'job input', qrcode: 'job input' };

function mapMembers(
  item: object,
  purposes: Readonly<Record<string, Purpose>>,
  map: (sealed: string, purpose: Purpose) => unknown,
): object {
  const copy = { ...item } as Record<string, unknown>;
  for (const [name, purpose] of Object.entries(purposes)) {
    const sealed = sealedIn(copy[name]);
    if (sealed !== undefined) copy[name] = map(sealed, purpose);
  }
  return copy;
}

/**
 * The sealed text of a member. Results of 0.5 and earlier hold it as plain text, in members that
 * hold nothing else.
 */
function sealedIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.startsWith('sealed:v1:') ? value : undefined;
  const isSealed = typeof value === 'object' && value !== null && 'sealed' in value;
  return isSealed && typeof value.sealed === 'string' ? value.sealed : undefined;
}

const openText = (projectId: string, purpose: Purpose, sealed: string): string =>
  unseal({ purpose, owner: projectId }, sealed);
