import { Refusal } from '../errors.ts';
import { type Db, rows } from '../infra/db.ts';
import { withoutCase, withoutSelectors } from '../lookup/key-spelling.ts';

/** Claims that are read and updated at a time. */
const BATCH = 5_000;
/** Pairs of keys that a refusal names. */
const NAMED_PAIRS = 5;

/** A rule for the spelling of a domain's keys. */
interface SpellingRule {
  caseSensitive: boolean;
  /** Number of changes of the rule. */
  keyVersion: number;
}

interface Respelled {
  key: string;
  canonical_key: string | null;
}

/**
 * Applies another rule to the claims of a domain, which the transaction has locked: until it
 * commits, redirects look keys up by the previous rule, and new links of the domain wait. The
 * former canonical keys begin with another version, so nothing in a cache is outdated.
 *
 * @throws Refusal `conflict` naming keys that the rule makes the same
 */
export async function respellClaims(
  trx: Db,
  { id, slug }: { id: string; slug: string },
  rule: SpellingRule,
): Promise<void> {
  const pairs = await respell(trx, id, rule, false);
  if (pairs.length > 0) {
    const named = pairs.slice(0, NAMED_PAIRS).map(([a, b]) => `"${a}" and "${b}"`);
    const more = pairs.length > NAMED_PAIRS ? ', and others' : '';
    throw new Refusal(
      'conflict',
      `caseSensitive must not be false while slugs of ${slug} differ by case only: change or delete ` +
        `one of ${named.join(', of ')}${more}`,
    );
  }
  // A reserved name that has become the same as a used one no longer reserves anything else.
  await respell(trx, id, rule, true);
}

/**
 * Sets the canonical keys of the claims in use, or of those that a record has left.
 *
 * @returns pairs of keys with the same canonical key; the first key of a pair got it
 */
async function respell(
  trx: Db,
  domainId: string,
  { caseSensitive, keyVersion }: SpellingRule,
  isLeft: boolean,
): Promise<[string, string][]> {
  const pairs: [string, string][] = [];
  for (let after = ''; ; ) {
    const claims = await rows<{ key: string }>(
      trx,
      `SELECT key FROM claims WHERE domain_id = :domainId AND key > :after AND (free_at IS NOT NULL) = :isLeft
        ORDER BY key LIMIT ${BATCH}`,
      { domainId, after, isLeft },
    );
    const respelled = claims.map(({ key }): Respelled => {
      const canonical = caseSensitive ? withoutSelectors(key) : withoutCase(key);
      return { key, canonical_key: canonical === null ? null : `${keyVersion}/${canonical}` };
    });
    pairs.push(...(await updateClaims(trx, domainId, respelled)));
    if (claims.length < BATCH || pairs.length > NAMED_PAIRS) return pairs;
    after = claims.at(-1)!.key;
  }
}

async function updateClaims(
  trx: Db,
  domainId: string,
  respelled: readonly Respelled[],
): Promise<[string, string][]> {
  return (
    await rows<{ first: string; second: string }>(
      trx,
      `WITH wanted AS MATERIALIZED (
         SELECT w.key, w.canonical_key,
                coalesce(o.key, first_value(w.key) OVER (PARTITION BY w.canonical_key ORDER BY w.key COLLATE "C")) AS holder
           FROM json_to_recordset(:respelled) AS w (key text, canonical_key text)
           LEFT JOIN claims o ON o.domain_id = :domainId AND o.canonical_key = w.canonical_key),
       updated AS (
         UPDATE claims c SET canonical_key = w.canonical_key FROM wanted w
          WHERE c.domain_id = :domainId AND c.key = w.key AND (w.canonical_key IS NULL OR w.holder = w.key))
       SELECT holder AS first, key AS second FROM wanted
        WHERE canonical_key IS NOT NULL AND holder <> key`,
      { domainId, respelled: JSON.stringify(respelled) },
    )
  ).map(({ first, second }) => [first, second]);
}
