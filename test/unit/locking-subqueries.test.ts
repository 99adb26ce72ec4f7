import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';

const files = ['src', 'workers', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => name.endsWith('.ts')),
);

/** Finds the beginnings of subqueries that lock rows, each with the text before it. */
function lockingSubqueries(text: string): string[] {
  const found: string[] = [];
  for (const { index } of text.matchAll(/\bFOR (?:NO KEY )?UPDATE\b/g)) {
    for (let depth = 0, at = index; at >= 0; at -= 1) {
      // At the beginning of the SQL text, the statement itself locks.
      if (text[at] === '`' || text[at] === "'") break;
      if (text[at] === ')') depth += 1;
      if (text[at] === '(') depth -= 1;
      if (depth < 0) {
        if (/^\(\s*SELECT\b/.test(text.slice(at)))
          found.push(text.slice(Math.max(0, at - 40), index));
        break;
      }
    }
  }
  return found;
}

describe('subqueries that lock rows', () => {
  /*
   * Postgres can run a subquery in FROM once per updated row. With LIMIT and SKIP LOCKED, each run
   * locks other rows, and without statistics, as after an import, it takes hours.
   */
  it('are materialized, so that each runs once', () => {
    const subqueries = files.flatMap((file) =>
      lockingSubqueries(readFileSync(file, 'utf8')).map((sql) => ({ file, sql })),
    );
    expect(subqueries).to.have.length.above(4);
    expect(subqueries.filter(({ sql }) => !/AS MATERIALIZED \(\s*SELECT/.test(sql))).to.deep.equal(
      [],
    );
  });

  it('are found', () => {
    expect(
      lockingSubqueries('`UPDATE a FROM (SELECT id FROM b WHERE c IN (1) FOR UPDATE) AS d`'),
    ).to.have.length(1);
    expect(lockingSubqueries('`SELECT id FROM b WHERE c IN (1) FOR UPDATE`')).to.deep.equal([]);
  });
});
