import { expect } from 'chai';
import { db, rows } from '../../src/infra/db.ts';
import { nameKey } from '../../src/infra/name-key.ts';
import '../support/servers.ts';

const letters = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => String.fromCodePoint(first + n));

describe('keys of names', () => {
  it('are without case and accents', () => {
    const pairs = [
      ['Böblingen', 'boblingen'],
      ['SA\u0303O PAULO', 'sao paulo'],
      ['Straße, STRAẞE', 'strasse, strasse'],
      ['Łódź', 'lodz'],
      ['Đà Nẵng', 'da nang'],
      ['Iğdır, İzmir', 'igdir, izmir'],
      ['Ærøskøbing', 'aeroskobing'],
      ['Reykjavík, Þórshöfn', 'reykjavik, thorshofn'],
      ['L’Aquila', "l'aquila"],
      ['ΑΘΗΝΑΣ', 'αθηνασ'],
      ['МОСКВА', 'москва'],
      ['東京', '東京'],
      ['', ''],
    ];
    for (const [name, key] of pairs) {
      expect(nameKey(name!), name).to.equal(key);
      expect(nameKey(key!), name).to.equal(key);
    }
  });

  it('are the same in the database, also of single letters', async () => {
    const names = [
      ...letters(0x20, 0x17f),
      ...letters(0x1e00, 0x1ef9),
      ...letters(0x391, 0x3ce),
      ...letters(0x400, 0x45f),
      'São Paulo',
      'SA\u0303O PAULO',
      'Đà Nẵng',
      "L'Aquila, L’Aquila",
      'ΑΘΗΝΑΣ',
      '東京',
      '',
    ].filter((name) => !/[\p{Cc}\p{Cn}]/u.test(name));
    expect(names).to.have.length.of.at.least(700);
    const keys = await rows<{ name: string; key: string }>(
      db(),
      'SELECT name, name_key(name) AS key FROM unnest(?::text[]) AS listed(name)',
      [names],
    );
    expect(keys.map(({ name, key }) => [name, key])).to.deep.equal(
      names.map((name) => [name, nameKey(name)]),
    );
  });
});
