import { expect } from 'chai';
import {
  CURRENT_PREFIX,
  decodeDomain,
  decodeLink,
  decodePage,
  decodeRecord,
  decodeWorkspace,
  encodeDomain,
  encodeLink,
  encodePage,
  encodeRecord,
  encodeWorkspace,
} from '../../src/lookup/codec.ts';
import type { LinkEntry } from '../../src/lookup/entry.ts';

const plain: LinkEntry = { id: 'link_1', projectId: 'proj_1', destination: 'https://e.com/' };
const full: LinkEntry = {
  ...plain,
  expiresAt: 1_700_000_000_000,
  geo: { DE: 'https://e.com/\u2028' },
};
const EXTRAS = '{"expiresAt":1700000000000,"geo":{"DE":"https://e.com/\u2028"}}';

describe('the text of a look-up entry', () => {
  it('is the one that releases have stored in Postgres and Redis', () => {
    const pairs: [encoded: string, stored: string][] = [
      [encodeLink(plain), '3\nlink_1\nproj_1\nhttps://e.com/\n'],
      [encodeLink(full), `3\nlink_1\nproj_1\nhttps://e.com/\n${EXTRAS}`],
      [encodeDomain({ id: 'dom_1', projectId: '' }), '3\ndom_1\n\n'],
      [
        encodeDomain({ id: 'dom_1', projectId: 'proj_1', isFramed: true }),
        '3\ndom_1\nproj_1\n{"isFramed":true}',
      ],
      [
        encodeWorkspace({ projectId: 'proj_1', dedupeSeconds: 3_600 }),
        '3\nproj_1\n{"dedupeSeconds":3600}',
      ],
      [
        encodePage({ id: 'page_1', projectId: 'proj_1', title: 'A\nB' }),
        '3\npage_1\nproj_1\n{"title":"A\\nB"}',
      ],
    ];
    for (const [encoded, stored] of pairs) {
      expect(encoded).to.equal(stored);
      expect(stored.startsWith(CURRENT_PREFIX)).to.equal(true);
    }
  });

  it('is read in each version that may still be stored', () => {
    for (const version of ['1', '2', '3']) {
      expect(decodeLink(`${version}\nlink_1\nproj_1\nhttps://e.com/\n`)).to.deep.equal(plain);
      expect(decodeLink(`${version}\nlink_1\nproj_1\nhttps://e.com/\n${EXTRAS}`)).to.deep.equal(
        full,
      );
      expect(decodeDomain(`${version}\ndom_1\n\n`)).to.deep.equal({ id: 'dom_1', projectId: '' });
      expect(decodeWorkspace(`${version}\nproj_1\n{"dedupeSeconds":60}`)).to.deep.equal({
        projectId: 'proj_1',
        dedupeSeconds: 60,
      });
      expect(decodePage(`${version}\npage_1\nproj_1\n{"title":"A"}`)).to.deep.equal({
        id: 'page_1',
        projectId: 'proj_1',
        title: 'A',
      });
    }
  });

  it('is refused in any other version or shape', () => {
    for (const text of [
      '',
      '0\na\nb\nc\n',
      '4\na\nb\nc\n',
      '3\na\nb\n',
      '3\na\nb\nc\n\n',
      '3\na\nb\nc\n{',
    ]) {
      expect(() => decodeLink(text), JSON.stringify(text)).to.throw(Error);
    }
  });

  it('has no version and workspace in memory', () => {
    for (const link of [plain, full]) {
      const text = encodeRecord('summer', link);
      expect(text.startsWith('summer\nlink_1\nhttps://e.com/\n')).to.equal(true);
      expect(decodeRecord(text, 'summer\n'.length, 'proj_1')).to.deep.equal(link);
    }
  });
});
