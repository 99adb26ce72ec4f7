import type { Knex } from 'knex';

/** Claims that are read at a time. */
const PAGE = 5_000;

/**
 * Emoji with and without U+FE0F are one key from now on: `canonical_key` has the form without it.
 * Where a domain has both already, one of them stays without it, and each is found by its own
 * spelling.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE domains ADD COLUMN case_sensitive boolean NOT NULL DEFAULT true;
    ALTER TABLE domains ADD COLUMN key_version integer NOT NULL DEFAULT 0;
    ALTER TABLE claims ADD COLUMN canonical_key text COLLATE "C";
    CREATE UNIQUE INDEX claims_canonical_key ON claims (domain_id, canonical_key)
      WHERE canonical_key IS NOT NULL;
  `);
  for (let last = { domain_id: '', key: '' }; ; ) {
    const { rows } = await knex.raw<{ rows: (typeof last)[] }>(
      `SELECT domain_id, key FROM claims
        WHERE (domain_id, key) > (:domain_id, :key) AND octet_length(key) > length(key)
        ORDER BY domain_id, key LIMIT ${PAGE}`,
      last,
    );
    const claims = rows.flatMap((claim) => {
      const canonical = canonicalOf(claim.key);
      return canonical === '' ? [] : [{ ...claim, canonical }];
    });
    await knex.raw(
      `WITH f AS (SELECT DISTINCT ON (domain_id, canonical) domain_id, key, canonical
                    FROM json_to_recordset(?) AS f (domain_id text, key text, canonical text)
                   ORDER BY domain_id, canonical, key)
       UPDATE claims AS c SET canonical_key = '0/' || f.canonical FROM f
        WHERE c.domain_id = f.domain_id AND c.key = f.key
          AND NOT EXISTS (SELECT 1 FROM claims o
                           WHERE o.domain_id = f.domain_id AND o.canonical_key = '0/' || f.canonical)`,
      [JSON.stringify(claims)],
    );
    if (rows.length < PAGE) return;
    last = rows.at(-1)!;
  }
}

/** As src/lookup/key-spelling.ts had it then; empty for a key with one spelling. */
function canonicalOf(key: string): string {
  if (!/[\ufe0e\ufe0f\u20e3\p{Extended_Pictographic}]/u.test(key)) return '';
  const bare = key.replaceAll(/[\ufe0e\ufe0f]/g, '');
  return /\p{M}{31}/u.test(bare) ? bare : bare.normalize('NFC');
}

export async function down(knex: Knex): Promise<void> {
  // The index goes with its column.
  await knex.raw(`
    ALTER TABLE claims DROP COLUMN canonical_key;
    ALTER TABLE domains DROP COLUMN key_version;
    ALTER TABLE domains DROP COLUMN case_sensitive;
  `);
}
